"""Connections and transactions: a reading connection per thread, one writing connection for the process.

Writers of one process queue on a lock instead of polling the file, and a thread that holds a snapshot can still
write (an answer records what its model call cost).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.advice import by_operator, place
from pincite.catalog.sqlite.schema import is_current, migrate
from pincite.errors import Damaged, InvalidArgument, Locked, PinciteError, StorageFull, Unavailable

BUSY_SECONDS = 30.0
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


class Database:
    """One SQLite file, opened and brought to the current schema."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._closed = False
        self._readers: dict[threading.Thread, sqlite3.Connection] = {}
        self._busy: set[threading.Thread] = set()
        self._registry = threading.RLock()
        self._writing = threading.RLock()
        self._local = threading.local()
        self._writer: sqlite3.Connection | None = None
        _require_sqlite()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Looking first lets a process that only reads open the file while another one writes.
            with self.read() as connection:
                current = is_current(connection)
            if not current:
                with self.write() as connection:
                    migrate(connection, str(path))
        except BaseException:
            self.close()
            raise

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: everything in the block or nothing. Re-entrant in one thread."""
        with self._exclusive() as connection, self._translated():
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
        """One state of the file for the whole block. Re-entrant; inside `write()` it sees what was written."""
        if getattr(self._local, "writing", False):
            with self.write() as connection:
                yield connection
            return
        with self._translated():
            connection = self._reader()
            if connection.in_transaction:
                yield connection
                return
            with self._reading(connection):
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    if connection.in_transaction:
                        connection.execute("COMMIT")

    @contextmanager
    def maintain(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside a transaction, for VACUUM and checkpoints."""
        with self._exclusive() as connection, self._translated():
            yield connection

    def connect(self) -> sqlite3.Connection:
        """A connection of the caller's own, to be closed by the caller."""
        # Threads share connections only under the lock above, or to close them.
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
        """Close the connections of all threads. Calling it again does nothing.

        Who is reading just now keeps the connection until the end of the block: to close it under a running statement
        would end the process.
        """
        with self._writing, self._registry:
            self._closed = True
            for thread, connection in self._readers.items():
                if thread not in self._busy or thread is threading.current_thread():
                    connection.close()
            self._readers.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    @contextmanager
    def _reading(self, connection: sqlite3.Connection) -> Iterator[None]:
        thread = threading.current_thread()
        with self._registry:
            self._require_open()
            self._busy.add(thread)
        try:
            yield
        finally:
            with self._registry:
                self._busy.discard(thread)
                if self._closed:
                    connection.close()

    @contextmanager
    def _exclusive(self) -> Iterator[sqlite3.Connection]:
        if not self._writing.acquire(timeout=BUSY_SECONDS):
            raise Locked(f"another thread has been writing {self.path} for {BUSY_SECONDS:.0f} s; try again")
        try:
            self._require_open()
            if self._writer is None:
                with self._translated():
                    self._writer = self.connect()
            yield self._writer
        finally:
            self._writing.release()

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "reader", None)
        self._require_open()
        if connection is None:
            connection = self.connect()
            with self._registry:
                # Threads come and go; the connections of those that went are closed by the next newcomer.
                for thread in [t for t in self._readers if not t.is_alive()]:
                    self._readers.pop(thread).close()
                self._readers[threading.current_thread()] = connection
            self._local.reader = connection
        return connection

    def _require_open(self) -> None:
        if self._closed:
            raise Unavailable(f"the catalog {self.path} has been closed; open it again")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise InvalidArgument(
                f"text holds a lone surrogate, which is no character: {error.object!r:.80}"
            ) from error
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            # Whatever is read inside a transaction was written by us, in UTF-8 and in JSON.
            raise Damaged(f"{place(self.path)} is damaged ({error}); {_restore()}") from error
        except sqlite3.Error as error:
            self._require_open()  # a connection that was closed under us is no mystery
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
    # Only SQLite's own errors have a code; Python's driver complains by itself of stored text that is no UTF-8.
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
