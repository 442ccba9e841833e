"""The catalog in one SQLite file, composed of its parts."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pincite.catalog.bounds import Bounds, BoundSession
from pincite.catalog.sqlite.check import check
from pincite.catalog.sqlite.connection import DatabaseFile, translate
from pincite.catalog.sqlite.parts import SqliteOperator, SqliteParts
from pincite.catalog.sqlite.pinned import pinned
from pincite.catalog.sqlite.purge import remove_traces, traces_pending
from pincite.catalog.sqlite.server import SqliteServerState
from pincite.durable import sync_folder
from pincite.errors import StorageFull
from pincite.protocols import Operator, Session

FILE = "catalog.db"
"""In the library's folder."""

_LIBRARY_ID = "SELECT value FROM meta WHERE key = 'library_id'"


def now_us() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


class SqliteCatalog(SqliteParts):
    """The truth of a library. Opening creates the file; one object serves all threads of a process."""

    def __init__(self, path: Path | str, *, clock: Callable[[], int] = now_us) -> None:
        self._database = DatabaseFile(Path(path))
        self._clock = clock
        self.server = SqliteServerState(Path(path).parent)
        try:
            with self._database.read() as connection:
                (library_id,) = connection.execute(_LIBRARY_ID).fetchone()
            super().__init__(self._database, clock, library_id)
            self.upkeep()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def session(self, tenant: str) -> Iterator[Session]:
        """The catalog for one tenant, in the state at the beginning of the block."""
        with pinned(self._database) as state:
            yield BoundSession(SqliteParts(state, self._clock, self.library_id), Bounds(tenant))

    @contextmanager
    def operator(self) -> Iterator[Operator]:
        """The catalog for the operator, in the state at the beginning of the block."""
        with pinned(self._database) as state:
            yield SqliteOperator(state, self._clock, self.library_id)

    def backup(self, folder: Path) -> None:
        """A consistent copy in the folder, which is replaced in one step once the copy is on disk."""
        folder.mkdir(parents=True, exist_ok=True)
        target, partial = folder / FILE, folder / f"{FILE}.{os.getpid()}.partial"
        try:
            self._copy(partial)
            with partial.open("rb+") as copied:
                os.fsync(copied.fileno())
            partial.replace(target)
            sync_folder(folder)
        finally:
            partial.unlink(missing_ok=True)

    def check(self) -> tuple[str, ...]:
        """What is damaged or unfinished, in words; empty when sound."""
        return check(self._database)

    def upkeep(self) -> None:
        """Remove what a purge left in free pages and in the log because a reader held it; nothing without a purge."""
        if self.traces_pending():
            with suppress(StorageFull):  # reading needs no space; `check` says what is still to be done
                remove_traces(self._database)

    def traces_pending(self) -> bool:
        """Whether purged content may still lie in the write-ahead log, because a reader held it."""
        return traces_pending(self._database)

    def close(self) -> None:
        """Close the connections of all threads."""
        self._database.close()
        self.server.close()

    def _copy(self, target: Path) -> None:
        # A connection of its own: the copy must not hang on a snapshot that this thread may hold.
        source = self._database.connect()
        try:
            copy = sqlite3.connect(target, isolation_level=None)
            try:
                source.backup(copy)
                # One file, no log beside it, until somebody opens it as a catalog.
                copy.execute("PRAGMA journal_mode = DELETE").fetchone()
            finally:
                copy.close()
        except sqlite3.Error as error:
            raise translate(error, target) or error from error
        finally:
            source.close()
