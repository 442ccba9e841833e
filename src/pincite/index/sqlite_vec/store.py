"""One connection to the file, and what is worth remembering between two writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import apsw
import sqlite_vec

from pincite.advice import place, repair
from pincite.errors import Damaged, Locked, PinciteError, StorageFull
from pincite.index.sqlite_vec.schema import PRAGMAS

T = TypeVar("T")
Row = tuple[Any, ...]
Values = Mapping[str, Any] | tuple[Any, ...]

MAX_REMEMBERED = 20_000
BUSY_MILLISECONDS = 10_000
"""How long a reader waits where SQLite must recover a log first; writers say how long they wait."""


class SqliteVecFile:
    """A connection with sqlite-vec loaded; used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self.writing = False
        self._remembered: dict[object, Any] = {}
        self._seen: tuple[int, int] = (-1, -1)
        path.parent.mkdir(parents=True, exist_ok=True)
        with clear_errors("opening the index", path):
            self.connection = apsw.Connection(str(path))
            self.connection.set_busy_timeout(BUSY_MILLISECONDS)
            self.connection.enable_load_extension(True)
            self.connection.load_extension(sqlite_vec.loadable_path())
            self.connection.enable_load_extension(False)
            self.connection.execute(PRAGMAS).fetchall()  # each answers with a row; the next runs once it is read
        self.file = path.stat().st_ino

    def close(self) -> None:
        """Wait for who reads, then let go of the file."""
        with self.lock:
            self.connection.close()

    def all(self, sql: str, values: Values = ()) -> list[Row]:
        return self.connection.execute(sql, values).fetchall()

    def one(self, sql: str, values: Values = ()) -> Any:
        """The first column of the first row; None without a row."""
        row = self.connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def run(self, sql: str, values: Values = ()) -> None:
        self.connection.execute(sql, values)

    def insert(self, sql: str, values: Values) -> int:
        """Run an INSERT; the key of the new row."""
        self.connection.execute(sql, values)
        return self.connection.last_insert_rowid()

    def remember(self, key: object, compute: Callable[[], T]) -> T:
        """What `compute` gives, kept until somebody writes; while `reading`."""
        if self.writing:
            return compute()
        if key not in self._remembered:
            self._remembered[key] = compute()
        found: T = self._remembered[key]
        return found

    def _forget_outdated(self) -> None:
        seen = (int(self.one("PRAGMA data_version")), self.connection.total_changes())
        if seen != self._seen or len(self._remembered) > MAX_REMEMBERED:
            self._remembered, self._seen = {}, seen

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All statements inside see one state of the file; those of a writer see what it has written."""
        with self.lock, clear_errors("reading the index", self.path), self._one_state():
            self._forget_outdated()
            yield

    def _one_state(self) -> AbstractContextManager[None]:
        return nullcontext() if self.writing else self._transaction("BEGIN")

    @contextmanager
    def write(self, *, wait_seconds: float) -> Iterator[None]:
        """One transaction: all of it or nothing. `Locked` if another writer holds the file for longer than the wait."""
        with self.lock, clear_errors("writing the index", self.path):
            self.connection.set_busy_timeout(int(1000 * wait_seconds))
            try:
                with self._transaction("BEGIN IMMEDIATE"):
                    self.writing = True
                    try:
                        yield
                    finally:
                        self.writing = False
            finally:
                self.connection.set_busy_timeout(BUSY_MILLISECONDS)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self.connection.execute(begin)
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")


@contextmanager
def clear_errors(doing: str, path: Path) -> Iterator[None]:
    """What SQLite reports, as one of our errors."""
    try:
        yield
    except PinciteError:
        raise
    except apsw.BusyError as error:
        raise Locked(f"another writer holds {place(path)}; wait for it to finish, then run this again") from error
    except apsw.FullError as error:
        raise StorageFull(f"the disk is full while {doing}; free some space, then run this again") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Damaged(f"{path.name} is damaged ({error}); {repair()}") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise PermissionError(f"{path} cannot be written: {error}") from error
