"""Repositories: one body of knowledge each, addressed by scope, known inside by a number."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Collection, Iterable

from pincite.catalog.sqlite.connection import Database
from pincite.catalog.validate import check_scope
from pincite.types import RepositoryInfo, Scope

_FIND = "SELECT id FROM repositories WHERE tenant = ? AND organization = ? AND name = ?"
_GET = """
    SELECT p.tenant, p.organization, p.name, p.key, p.head, p.purges, r.time
    FROM repositories p LEFT JOIN revisions r ON r.repository = p.id AND r.number = p.head
    WHERE p.tenant = ? AND p.organization = ? AND p.name = ?
"""
_INSERT = "INSERT INTO repositories (tenant, organization, name, key) VALUES (?, ?, ?, ?)"
_LIST = """
    SELECT p.tenant, p.organization, p.name, p.key, p.head, p.purges, r.time
    FROM repositories p LEFT JOIN revisions r ON r.repository = p.id AND r.number = p.head
    WHERE p.tenant = ? AND p.organization = ?
    ORDER BY p.name
"""
_NAMED = """
    SELECT p.tenant, p.organization, p.name, p.key, p.head, p.purges, r.time
    FROM repositories p LEFT JOIN revisions r ON r.repository = p.id AND r.number = p.head
    WHERE p.tenant = ? AND p.organization = ? AND p.name IN (SELECT value FROM json_each(?))
    ORDER BY p.name
"""
_ALL = """
    SELECT p.tenant, p.organization, p.name, p.key, p.head, p.purges, r.time
    FROM repositories p LEFT JOIN revisions r ON r.repository = p.id AND r.number = p.head
    ORDER BY p.tenant, p.organization, p.name
"""
_HEAD = "SELECT head FROM repositories WHERE id = ?"


class SqliteRepositories:
    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(self, scope: Scope) -> RepositoryInfo:
        """The repository, created when it does not exist."""
        found = self.get(scope)
        if found is not None:
            return found
        with self._database.write() as connection:
            ensure_number(connection, scope)
            return _info(connection.execute(_GET, _key(scope)).fetchone())

    def get(self, scope: Scope) -> RepositoryInfo | None:
        with self._database.read() as connection:
            row = connection.execute(_GET, _key(scope)).fetchone()
        return _info(row) if row else None

    def list(self, tenant: str, organization: str, names: Collection[str] | None = None) -> tuple[RepositoryInfo, ...]:
        """Repositories of one organization, by name; with `names` those of them that exist."""
        with self._database.read() as connection:
            if names is None:
                rows = connection.execute(_LIST, (tenant, organization))
            else:
                rows = connection.execute(_NAMED, (tenant, organization, json.dumps(sorted(names), ensure_ascii=False)))
            return tuple(_info(row) for row in rows)

    def all(self) -> tuple[RepositoryInfo, ...]:
        """Every repository, by scope."""
        with self._database.read() as connection:
            return tuple(_info(row) for row in connection.execute(_ALL))


def number_of(connection: sqlite3.Connection, scope: Scope) -> int:
    """The repository's number; 0, which no row carries, when it does not exist."""
    row = connection.execute(_FIND, _key(scope)).fetchone()
    return int(row[0]) if row else 0


def ensure_number(connection: sqlite3.Connection, scope: Scope) -> int:
    """The repository's number; the repository is created in the caller's transaction when it does not exist."""
    found = number_of(connection, scope)
    if found:
        return found
    check_scope(scope)
    inserted = connection.execute(_INSERT, (*_key(scope), secrets.token_hex(8))).lastrowid
    assert inserted is not None
    return inserted


def head_of(connection: sqlite3.Connection, repository: int) -> int:
    """The newest revision; 0 before the first and for a repository that does not exist."""
    row = connection.execute(_HEAD, (repository,)).fetchone()
    return int(row[0]) if row else 0


def _key(scope: Scope) -> tuple[str, str, str]:
    return scope.tenant, scope.organization, scope.repository


def scopes_json(scopes: Iterable[Scope], *values: Iterable[object]) -> str:
    """Scopes as `[tenant, organization, name, …]`, each with its value of every further column."""
    rows = [[*_key(scope), *more] for scope, *more in zip(scopes, *values, strict=True)]
    return json.dumps(rows, ensure_ascii=False)


def _info(row: tuple[str, str, str, str, int, int, int | None]) -> RepositoryInfo:
    tenant, organization, name, key, head, purges, committed = row
    return RepositoryInfo(Scope(tenant, organization, name), key, head, purges, committed)
