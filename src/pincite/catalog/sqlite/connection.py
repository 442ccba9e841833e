"""Connections and transactions: reading connections are lent from a pool, one writing connection serves the process.

Writers of one process queue on a lock instead of polling the file, and a thread that reads within a session can still
write (an answer records what its model call cost).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from pincite.advice import by_operator, place
from pincite.catalog.sqlite.schema import is_current, migrate
from pincite.errors import Damaged, InvalidArgument, Locked, PinciteError, StorageFull, Unavailable

BUSY_SECONDS = 30.0
MAX_IDLE = 16
"""Reading connections that wait for a reader; each may hold 16 MB of pages."""
MIN_SQLITE = (3, 35)
"""The first with RETURNING."""

_SETTINGS = (
    # FULL: in WAL mode only this makes an acknowledged commit survive a power cut, at one fsync per commit.
    "PRAGMA synchronous = FULL",
    # Deleted rows are overwritten with zeros at once; a purge depends on it.
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -16000",  # KiB, per connection
    "PRAGMA journal_size_limit = 67108864",  # a large commit must not leave a large log behind
)


# A full disk is SQLITE_FULL, but an exceeded quota or size limit is a failed write, and the first page of the shared
# memory file has a code of its own (https://sqlite.org/rescode.html#ioerr_shmsize).
_NO_ROOM = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)


class Database(Protocol):
    """What the parts of the catalog read and write through: the file itself, or one state of it."""

    @property
    def path(self) -> Path: ...

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """One state of the file for the whole block. Re-entrant; inside `write()` it sees what was written."""

    def write(self) -> AbstractContextManager[sqlite3.Connection]:
        """A write transaction: everything in the block or nothing. Re-entrant in one thread."""

    def maintain(self) -> AbstractContextManager[sqlite3.Connection]:
        """The writing connection outside a transaction, for VACUUM and checkpoints."""


class DatabaseFile:
    """One SQLite file, opened and brought to the current schema. Each `read()` sees the newest state."""

    def __init__(self, path: Path, steps: Sequence[Sequence[str]] | None = None) -> None:
        """`steps` lead to the schema of a file other than the catalog."""
        self.path = path
        self._closed = False
        self._idle: list[sqlite3.Connection] = []
        self._registry = threading.RLock()
        self._writing = threading.RLock()
        self._local = threading.local()
        self._writer: sqlite3.Connection | None = None
        _require_sqlite()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Looking first lets a process that only reads open the file while another one writes.
            with self.read() as connection:
                current = is_current(connection, steps)
            if not current:
                with self.write() as connection:
                    migrate(connection, str(path), steps)
        except BaseException:
            self.close()
            raise

    @property
    def is_writing(self) -> bool:
        """Whether this thread is inside `write()`."""
        return bool(getattr(self._local, "writing", False))

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        with self._exclusive() as connection, self.translated():
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            self._local.writing = True
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._local.writing = False

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        held: sqlite3.Connection | None = getattr(self._local, "reading", None)
        if self.is_writing:
            with self.write() as connection:
                yield connection
        elif held is not None:
            yield held
        else:
            with self.translated(), self.lent() as connection:
                connection.execute("BEGIN")
                self._local.reading = connection
                try:
                    yield connection
                finally:
                    self._local.reading = None
                    if connection.in_transaction:
                        connection.execute("COMMIT")

    @contextmanager
    def maintain(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside a transaction, for VACUUM and checkpoints."""
        with self._exclusive() as connection, self.translated():
            yield connection

    def connect(self) -> sqlite3.Connection:
        """A connection of the caller's own, to be closed by the caller."""
        # A connection is used by one thread at a time: the one that it is lent to.
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            for setting in _SETTINGS:
                connection.execute(setting).fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close all connections. Calling it again does nothing.

        Who is reading just now keeps the connection until the end of the block: to close it under a running statement
        would end the process.
        """
        with self._writing, self._registry:
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    @contextmanager
    def lent(self) -> Iterator[sqlite3.Connection]:
        """A reading connection for the caller alone, outside a transaction."""
        with self._registry:
            self.require_open()
            idle = self._idle.pop() if self._idle else None
        connection = idle or self.connect()
        try:
            yield connection
        finally:
            with self._registry:
                if self._closed or connection.in_transaction or len(self._idle) >= MAX_IDLE:
                    connection.close()
                else:
                    self._idle.append(connection)

    @contextmanager
    def _exclusive(self) -> Iterator[sqlite3.Connection]:
        if not self._writing.acquire(timeout=BUSY_SECONDS):
            raise Locked(f"another thread has been writing {self.path} for {BUSY_SECONDS:.0f} s; try again")
        try:
            self.require_open()
            if self._writer is None:
                with self.translated():
                    self._writer = self.connect()
            yield self._writer
        finally:
            self._writing.release()

    def require_open(self) -> None:
        """`Unavailable` once the catalog has been closed."""
        if self._closed:
            raise Unavailable(f"{self.path} has been closed; open it again")

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Errors of SQLite as the user should read them."""
        try:
            yield
        except UnicodeEncodeError as error:
            raise InvalidArgument(
                f"text holds a lone surrogate, which is not a character: {error.object!r:.80}"
            ) from error
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            # Whatever is read inside a transaction was written by us, in UTF-8 and in JSON.
            raise Damaged(f"{place(self.path)} is damaged ({error}); {_restore()}") from error
        except sqlite3.Error as error:
            self.require_open()  # a connection that was closed under us has a known cause
            raised = translate(error, self.path)
            if raised is None:
                raise
            raise raised from error


def _require_sqlite() -> None:
    if sqlite3.sqlite_version_info < MIN_SQLITE:
        found, needed = sqlite3.sqlite_version, ".".join(map(str, MIN_SQLITE))
        raise Unavailable(f"the catalog needs SQLite {needed}, this Python has {found}; use a newer Python build")


def _restore() -> str:
    return by_operator("restore a backup, then run", "pincite doctor")


def translate(error: sqlite3.Error, path: Path) -> PinciteError | None:
    """The error as the user should read it; None for a mistake of ours, which stays a crash."""
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF  # the low byte is the primary code
    if code == sqlite3.SQLITE_FULL or extended in _NO_ROOM:
        return StorageFull(f"no space left for {place(path)}; nothing was changed; free some space and try again")
    # Only SQLite's own errors have a code; Python's driver complains by itself about stored text that is not UTF-8.
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or (not code and "UTF-8" in str(error)):
        return Damaged(f"{place(path)} is damaged ({error}); {_restore()}")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Locked(
            f"another process has been writing {place(path)} for {BUSY_SECONDS:.0f} s; try again when it is done"
        )
    if code == sqlite3.SQLITE_IOERR:
        advice = by_operator("check the disk, then run", "pincite doctor")
        return Damaged(f"{place(path)} cannot be read or written ({error}); {advice}")
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return Unavailable(f"{place(path)} cannot be opened for writing ({error}); check the path and its permissions")
    return None
