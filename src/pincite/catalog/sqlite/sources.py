"""What the last ingest saw of each file of a source."""

from __future__ import annotations

from collections.abc import Iterable

from pincite.bookkeeping import SourceFile
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.repositories import ensure_number, number_of
from pincite.ids import normalise_id
from pincite.types import Scope

_FILES = """
    SELECT path, size, mtime_ns, content_hash, element_id, recipe, validator
    FROM source_files
    WHERE repository = ? AND source = ?
"""
_OWNERS = "SELECT element_id, source FROM source_files WHERE repository = ? ORDER BY source"
_CLEAR = "DELETE FROM source_files WHERE repository = ? AND source = ?"
_INSERT = """
    INSERT OR REPLACE INTO source_files
        (repository, source, path, size, mtime_ns, content_hash, element_id, recipe, validator)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class SqliteSources:
    def __init__(self, database: Database) -> None:
        self._database = database

    def files(self, scope: Scope, source: str) -> dict[str, SourceFile]:
        """What is remembered of the source, by path."""
        with self._database.read() as connection:
            rows = connection.execute(_FILES, (number_of(connection, scope), source))
            return {row[0]: SourceFile(*row) for row in rows}

    def owners(self, scope: Scope) -> dict[str, str]:
        """Which source gave each element; the last by name where several did."""
        with self._database.read() as connection:
            return dict(connection.execute(_OWNERS, (number_of(connection, scope),)).fetchall())

    def replace(self, scope: Scope, source: str, files: Iterable[SourceFile]) -> None:
        """Remember exactly these files of the source."""
        with self._database.write() as connection:
            repository = ensure_number(connection, scope)
            rows = [
                (
                    *(repository, source, f.path, f.size, f.mtime_ns),
                    *(f.content_hash, normalise_id(f.element_id), f.recipe, f.validator),
                )
                for f in files
            ]
            connection.execute(_CLEAR, (repository, source))
            connection.executemany(_INSERT, rows)
