"""One state of the file for as long as a session lasts, whichever thread reads it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from pincite.catalog.sqlite.connection import DatabaseFile
from pincite.errors import Unavailable

_FIRST_READ = "SELECT 1 FROM meta LIMIT 1"


class PinnedDatabase:
    """Reads see the state that was pinned; writes are transactions of their own and do not show here."""

    def __init__(self, file: DatabaseFile, connection: sqlite3.Connection) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = connection
        # Threads take turns: statements of two would run in one transaction, and SQLite counts on one user of each.
        self._turn = threading.RLock()

    @property
    def path(self) -> Path:
        return self._file.path

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        if self._file.is_writing:
            with self._file.write() as connection:
                yield connection
            return
        with self._turn, self._file.translated():
            self._file.require_open()
            if self._connection is None:
                raise Unavailable("this session of the catalog has ended; begin another one")
            yield self._connection

    def write(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.write()

    def maintain(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.maintain()

    def end(self) -> None:
        """Nothing is read through this any more; waits for a thread that is still reading."""
        with self._turn:
            self._connection = None


@contextmanager
def pinned(file: DatabaseFile) -> Iterator[PinnedDatabase]:
    """The state of the file at the beginning of the block."""
    with ExitStack() as lent:
        with file.translated():
            connection = lent.enter_context(file.lent())
            connection.execute("BEGIN")
            connection.execute(_FIRST_READ).fetchone()  # SQLite takes the snapshot at the first read, not at BEGIN
        state = PinnedDatabase(file, connection)
        try:
            yield state
        finally:
            state.end()
            # Nothing was written: a failed read has said what is damaged, and this connection is not lent again.
            with suppress(sqlite3.Error):
                connection.execute("COMMIT")
