"""Vectors of words, by repository and model. The first vector of a word stays: all nodes compare with the same bits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.repositories import number_of
from pincite.types import Scope

_PUT = "INSERT OR IGNORE INTO words (repository, fingerprint, form, vector) VALUES (?, ?, ?, ?)"
_GET = """
    SELECT w.form, w.vector
    FROM json_each(:forms) wanted
    CROSS JOIN words w ON w.repository = :repository AND w.fingerprint = :fingerprint AND w.form = wanted.value
"""
_PURGES = "SELECT purges FROM repositories WHERE id = ?"
_FORGET = "DELETE FROM words WHERE repository = ?"
_FORGET_MODEL = "DELETE FROM words WHERE repository = ? AND fingerprint = ?"


class SqliteWordVectors:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: Scope, fingerprint: str, forms: Iterable[str]) -> dict[str, bytes]:
        with self._database.read() as connection:
            values = {"forms": json.dumps(list(forms)), "fingerprint": fingerprint}
            return dict(connection.execute(_GET, {**values, "repository": number_of(connection, scope)}))

    def put(self, scope: Scope, fingerprint: str, vectors: Mapping[str, bytes], *, purges: int) -> bool:
        with self._database.write() as connection:
            repository = number_of(connection, scope)
            if connection.execute(_PURGES, (repository,)).fetchone() != (purges,):
                return False
            rows = [(repository, fingerprint, form, vector) for form, vector in vectors.items()]
            connection.executemany(_PUT, rows)
            return True

    def forget(self, scope: Scope, fingerprint: str = "") -> None:
        with self._database.write() as connection:
            repository = number_of(connection, scope)
            if fingerprint:
                connection.execute(_FORGET_MODEL, (repository, fingerprint))
            else:
                connection.execute(_FORGET, (repository,))
