"""Contexts that a model wrote, so that the same passage is never paid for twice."""

from __future__ import annotations

from pincite.catalog.sqlite.connection import Database

_GET = "SELECT context FROM contexts WHERE tenant = ? AND key = ?"
_PUT = "INSERT OR REPLACE INTO contexts (tenant, key, chunk_hash, context) VALUES (?, ?, ?, ?)"


class SqliteContextCache:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, tenant: str, key: str) -> str | None:
        with self._database.read() as connection:
            row = connection.execute(_GET, (tenant, key)).fetchone()
        return row[0] if row else None

    def put(self, tenant: str, key: str, chunk_hash: str, context: str) -> None:
        """Remember the context; `chunk_hash` is the hash of the passage, by which a purge finds it."""
        with self._database.write() as connection:
            connection.execute(_PUT, (tenant, key, chunk_hash, context))
