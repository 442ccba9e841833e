"""The server's file: made by the first write, readable by its owner alone; what earlier versions kept is taken over."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.advice import by_operator, place
from pincite.catalog.sqlite.connection import DatabaseFile
from pincite.catalog.sqlite.server.schema import MIGRATIONS
from pincite.catalog.sqlite.server.take_over import old_files, take_over
from pincite.errors import Damaged

FILE = "server.db"
MAKING_SECONDS = 2.0
"""How long another process may take to fill the file that it has just made."""


class ServerFile:
    """One object serves all threads of a process; any number of processes share the file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path = folder / FILE
        self._opening = threading.Lock()
        self._database: DatabaseFile | None = None

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection | None]:
        """None where nothing was ever kept: looking makes no file."""
        if self._database is None and not self.path.exists() and not old_files(self._folder):
            yield None
            return
        with self._plainly(), self._opened().read() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        with self._plainly(), self._opened().write() as connection:
            yield connection

    def close(self) -> None:
        with self._opening:
            if self._database is not None:
                self._database.close()

    def _opened(self) -> DatabaseFile:
        with self._opening:
            if self._database is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._make()
                database = DatabaseFile(self.path, MIGRATIONS)
                take_over(self._folder, database)
                self._database = database
            return self._database

    def _make(self) -> None:
        """Make the file, unless it is there. An empty one has lost its keys: it must not open the door."""
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            deadline = time.monotonic() + MAKING_SECONDS
            while self.path.stat().st_size == 0:
                if time.monotonic() > deadline:
                    raise Damaged(f"{place(self.path)} is empty") from None
                time.sleep(0.02)

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Damage as the operator should read it: there is no backup of this file to restore."""
        try:
            yield
        except Damaged as damaged:
            advice = by_operator("remove the file and make new keys with", "pincite keys create")
            raise Damaged(f"{damaged.message.partition(';')[0]}; no key can be checked; {advice}") from damaged
