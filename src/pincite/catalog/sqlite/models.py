"""Which embedding model the library is searched with, and which ones it was searched with before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from pincite.bookkeeping import EmbeddingModel, Forgotten
from pincite.catalog.sqlite.connection import Database
from pincite.errors import Conflict

BATCH = 10_000
"""Vectors removed in one transaction: others write in between, and the log stays small."""

_HISTORY = "SELECT name, fingerprint, since FROM embedding_models ORDER BY id"
_IN_USE = "SELECT name, fingerprint, since FROM embedding_models ORDER BY id DESC LIMIT 1"
_INSERT = "INSERT INTO embedding_models (name, fingerprint, since) VALUES (?, ?, ?)"
_RENAME = "UPDATE embedding_models SET name = ? WHERE fingerprint = ?"
_STORED = """
    SELECT fingerprint FROM vectors UNION SELECT fingerprint FROM jobs UNION SELECT fingerprint FROM enqueued
    ORDER BY fingerprint
"""
_FORGET_WORDS = "DELETE FROM words WHERE fingerprint = ?"
_FORGET_JOBS = "DELETE FROM jobs WHERE fingerprint = ?"
# Without its jobs the queue must not believe that births are in it.
_FORGET_ENQUEUED = "DELETE FROM enqueued WHERE fingerprint = ?"
_SOME_VECTORS = """
    SELECT rowid, length(vector) FROM vectors WHERE rowid > ? AND fingerprint = ? ORDER BY rowid LIMIT ?
"""
_FORGET_VECTOR = "DELETE FROM vectors WHERE rowid = ?"


class SqliteEmbeddingModels:
    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def in_use(self) -> EmbeddingModel | None:
        """The model that was switched to last."""
        with self._database.read() as connection:
            return _in_use(connection)

    def history(self) -> tuple[EmbeddingModel, ...]:
        """Oldest first."""
        with self._database.read() as connection:
            return tuple(EmbeddingModel(*row) for row in connection.execute(_HISTORY))

    def switch(self, to: EmbeddingModel, *, instead_of: EmbeddingModel | None = None) -> bool:
        """Whether the model was not in use before. A model that is in use may have moved: its name is kept."""
        with self._database.write() as connection:
            recorded = _in_use(connection)
            before = recorded or instead_of
            if recorded and recorded.fingerprint == to.fingerprint:
                connection.execute(_RENAME, (to.name, to.fingerprint))
                return False
            if before and before.fingerprint == to.fingerprint:
                connection.execute(_INSERT, (to.name, to.fingerprint, 0))
                return False
            if before and not recorded:
                connection.execute(_INSERT, (before.name, before.fingerprint, 0))
            connection.execute(_INSERT, (to.name, to.fingerprint, self._clock()))
            if before:
                _forget_jobs(connection, before.fingerprint)
            return True

    def stored(self) -> tuple[str, ...]:
        """Fingerprints that have vectors or jobs."""
        with self._database.read() as connection:
            return tuple(row[0] for row in connection.execute(_STORED))

    def forget(self, fingerprint: str) -> Forgotten:
        """What was removed. Jobs go first: a worker that still holds some stores nothing more."""
        with self._database.write() as connection:
            used = _in_use(connection)
            if used and used.fingerprint == fingerprint:
                raise Conflict(f"the library is searched with {used.name}; its vectors stay while it is in use")
            jobs = _forget_jobs(connection, fingerprint)
            connection.execute(_FORGET_WORDS, (fingerprint,))
        vectors = size = last = 0
        while True:
            with self._database.write() as connection:
                rows = connection.execute(_SOME_VECTORS, (last, fingerprint, BATCH)).fetchall()
                connection.executemany(_FORGET_VECTOR, [(row,) for row, _ in rows])
            if not rows and not last:
                return Forgotten(vectors, size, jobs)
            last = rows[-1][0] if rows else 0  # once more from the start: a VACUUM in between renumbers the rows
            vectors += len(rows)
            size += sum(length for _, length in rows)


def _in_use(connection: sqlite3.Connection) -> EmbeddingModel | None:
    row = connection.execute(_IN_USE).fetchone()
    return EmbeddingModel(*row) if row else None


def _forget_jobs(connection: sqlite3.Connection, fingerprint: str) -> int:
    connection.execute(_FORGET_ENQUEUED, (fingerprint,))
    return connection.execute(_FORGET_JOBS, (fingerprint,)).rowcount
