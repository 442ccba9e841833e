"""The catalog in one SQLite file, composed of its parts."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pincite.catalog.sqlite.baselines import SqliteBaselines
from pincite.catalog.sqlite.check import check
from pincite.catalog.sqlite.commits import SqliteCommits
from pincite.catalog.sqlite.connection import Database, translate
from pincite.catalog.sqlite.contexts import SqliteContextCache
from pincite.catalog.sqlite.elements import SqliteElements
from pincite.catalog.sqlite.feed import SqliteFeed
from pincite.catalog.sqlite.models import SqliteEmbeddingModels
from pincite.catalog.sqlite.purge import remove_traces, traces_pending
from pincite.catalog.sqlite.queue import SqliteEmbeddingQueue
from pincite.catalog.sqlite.relations import SqliteRelations
from pincite.catalog.sqlite.repositories import SqliteRepositories
from pincite.catalog.sqlite.sources import SqliteSources
from pincite.catalog.sqlite.usage import SqliteUsageLedger
from pincite.catalog.sqlite.vectors import SqliteVectors
from pincite.errors import StorageFull
from pincite.protocols import (
    Baselines,
    Commits,
    ContextCache,
    Elements,
    EmbeddingModels,
    EmbeddingQueue,
    Feed,
    Relations,
    Repositories,
    Sources,
    UsageLedger,
    Vectors,
)

_LIBRARY_ID = "SELECT value FROM meta WHERE key = 'library_id'"


def now_us() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


class SqliteCatalog:
    """The truth of a library. Opening creates the file; one object serves all threads of a process."""

    def __init__(self, path: Path | str, *, clock: Callable[[], int] = now_us) -> None:
        self._database = Database(Path(path))
        self.repositories: Repositories = SqliteRepositories(self._database)
        self.commits: Commits = SqliteCommits(self._database, clock)
        self.elements: Elements = SqliteElements(self._database)
        self.relations: Relations = SqliteRelations(self._database)
        self.baselines: Baselines = SqliteBaselines(self._database, clock)
        self.feed: Feed = SqliteFeed(self._database)
        self.vectors: Vectors = SqliteVectors(self._database)
        self.queue: EmbeddingQueue = SqliteEmbeddingQueue(self._database, clock)
        self.models: EmbeddingModels = SqliteEmbeddingModels(self._database, clock)
        self.contexts: ContextCache = SqliteContextCache(self._database)
        self.usage: UsageLedger = SqliteUsageLedger(self._database)
        self.sources: Sources = SqliteSources(self._database)
        try:
            with self._database.read() as connection:
                (self.library_id,) = connection.execute(_LIBRARY_ID).fetchone()
            if self.traces_pending():
                with suppress(StorageFull):  # reading needs no space; `check` says what is still to be done
                    remove_traces(self._database)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads by this thread inside the block see one state of the catalog: the one at its beginning."""
        with self._database.read() as connection:
            connection.execute(_LIBRARY_ID).fetchone()  # SQLite takes the snapshot at the first read, not at BEGIN
            yield

    def backup(self, target: Path) -> None:
        """A consistent copy at `target`, which is replaced in one step once the copy is on disk."""
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
        try:
            self._copy(partial)
            with partial.open("rb+") as copied:
                os.fsync(copied.fileno())
            partial.replace(target)
            if os.name == "posix":  # elsewhere a directory cannot be synced
                _sync_folder(target.parent)
        finally:
            partial.unlink(missing_ok=True)

    def check(self) -> tuple[str, ...]:
        """What is damaged or unfinished, in words; empty when sound."""
        return check(self._database)

    def traces_pending(self) -> bool:
        """Whether purged content may still lie in the write-ahead log, because a reader held it."""
        return traces_pending(self._database)

    def close(self) -> None:
        """Close the connections of all threads."""
        self._database.close()

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


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
