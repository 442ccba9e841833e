"""Embeddings, stored once. The first vector of a text stays: answers that used it must be replayable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from pincite.catalog.sqlite.connection import Database

_PUT = "INSERT OR IGNORE INTO vectors (tenant, text_hash, fingerprint, vector) VALUES (?, ?, ?, ?)"
# CROSS JOIN: SQLite keeps the order of the tables, the wanted hashes first.
_GET = """
    SELECT v.text_hash, v.vector
    FROM json_each(:hashes) wanted
    CROSS JOIN vectors v ON v.tenant = :tenant AND v.text_hash = wanted.value AND v.fingerprint = :fingerprint
"""
_COUNTS = "SELECT fingerprint, count(*) FROM vectors WHERE tenant = ? GROUP BY fingerprint ORDER BY fingerprint"


class SqliteVectors:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, tenant: str, fingerprint: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors by `<text hash>` or `<text hash>:<window>`; those already there stay as they are."""
        with self._database.write() as connection:
            connection.executemany(_PUT, [(tenant, key, fingerprint, vector) for key, vector in vectors.items()])

    def get(self, tenant: str, fingerprint: str, hashes: Iterable[str]) -> dict[str, bytes]:
        """The vectors that exist, by hash."""
        with self._database.read() as connection:
            values = {"hashes": json.dumps(list(hashes)), "tenant": tenant, "fingerprint": fingerprint}
            return dict(connection.execute(_GET, values))

    def counts(self, tenant: str) -> dict[str, int]:
        """Number of vectors by fingerprint."""
        with self._database.read() as connection:
            return dict(connection.execute(_COUNTS, (tenant,)))
