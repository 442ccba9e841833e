"""The parts of the catalog over one database: the file itself, or the state of it that a session sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pincite.catalog.bounds import Bounds, BoundSession
from pincite.catalog.sqlite.baselines import SqliteBaselines
from pincite.catalog.sqlite.commits import SqliteCommits
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.contexts import SqliteContextCache
from pincite.catalog.sqlite.elements import SqliteElements
from pincite.catalog.sqlite.feed import SqliteFeed
from pincite.catalog.sqlite.models import SqliteEmbeddingModels
from pincite.catalog.sqlite.queue import SqliteEmbeddingQueue
from pincite.catalog.sqlite.relations import SqliteRelations
from pincite.catalog.sqlite.repositories import SqliteRepositories
from pincite.catalog.sqlite.sources import SqliteSources
from pincite.catalog.sqlite.usage import SqliteUsageLedger
from pincite.catalog.sqlite.vectors import SqliteVectors
from pincite.catalog.sqlite.words import SqliteWordVectors
from pincite.protocols import (
    AllRepositories,
    Baselines,
    Commits,
    ContextCache,
    Elements,
    EmbeddingModels,
    EmbeddingQueue,
    Feed,
    Relations,
    Repositories,
    Session,
    Sources,
    UsageLedger,
    Vectors,
    WholeQueue,
    WordVectors,
)


class SqliteParts:
    """Every part that takes a scope or a tenant."""

    def __init__(self, database: Database, clock: Callable[[], int], library_id: str) -> None:
        self.library_id = library_id
        self.repositories: Repositories = SqliteRepositories(database)
        self.commits: Commits = SqliteCommits(database, clock)
        self.elements: Elements = SqliteElements(database)
        self.relations: Relations = SqliteRelations(database)
        self.baselines: Baselines = SqliteBaselines(database, clock)
        self.feed: Feed = SqliteFeed(database)
        self.vectors: Vectors = SqliteVectors(database)
        self.queue: EmbeddingQueue = SqliteEmbeddingQueue(database, clock)
        self.contexts: ContextCache = SqliteContextCache(database)
        self.words: WordVectors = SqliteWordVectors(database)
        self.usage: UsageLedger = SqliteUsageLedger(database)
        self.sources: Sources = SqliteSources(database)

    @contextmanager
    def session(self, tenant: str) -> Iterator[Session]:
        """The same state, for one tenant."""
        yield BoundSession(self, Bounds(tenant))


class SqliteOperator(SqliteParts):
    """The parts, and what concerns the library as a whole."""

    repositories: AllRepositories
    queue: WholeQueue

    def __init__(self, database: Database, clock: Callable[[], int], library_id: str) -> None:
        super().__init__(database, clock, library_id)
        self.repositories = SqliteRepositories(database)
        self.queue = SqliteEmbeddingQueue(database, clock)
        self.models: EmbeddingModels = SqliteEmbeddingModels(database, clock)
