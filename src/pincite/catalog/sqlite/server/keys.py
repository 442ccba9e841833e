"""API keys."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.catalog.sqlite.connection import translate
from pincite.errors import Damaged
from pincite.server_state import ApiKey

if TYPE_CHECKING:
    from pincite.catalog.sqlite.server.file import ServerFile

COLUMNS = "id, name, tenant, organization, hash, scopes, repositories, roles, created, expires, revoked"
_LISTS = ("scopes", "repositories", "roles")

_ADD = f"""
    INSERT INTO keys ({COLUMNS})
    VALUES (:id, :name, :tenant, :organization, :hash, :scopes, :repositories, :roles, :created, :expires, :revoked)
    ON CONFLICT DO NOTHING
"""
_ALL = f"SELECT {COLUMNS} FROM keys ORDER BY number"
_ONE = f"SELECT {COLUMNS} FROM keys WHERE id = ?"
_ANY = "SELECT 1 FROM keys LIMIT 1"
_REVOKE = "UPDATE keys SET revoked = ? WHERE id = ? AND revoked = ''"
_OLD = f"SELECT {COLUMNS} FROM keys ORDER BY created, rowid"


class SqliteApiKeys:
    def __init__(self, file: ServerFile) -> None:
        self._file = file

    def add(self, key: ApiKey) -> bool:
        with self._file.write() as connection:
            return add_key(connection, key)

    def get(self, id: str) -> ApiKey | None:
        with self._file.read() as connection:
            row = connection.execute(_ONE, (id,)).fetchone() if connection else None
        return _key(row) if row else None

    def list(self) -> tuple[ApiKey, ...]:
        with self._file.read() as connection:
            return tuple(_key(row) for row in connection.execute(_ALL)) if connection else ()

    def any(self) -> bool:
        with self._file.read() as connection:
            return connection is not None and connection.execute(_ANY).fetchone() is not None

    def revoke(self, id: str, when: str) -> None:
        with self._file.write() as connection:
            connection.execute(_REVOKE, (when, id))


def add_key(connection: sqlite3.Connection, key: ApiKey) -> bool:
    """Whether the key is new."""
    return connection.execute(_ADD, _row(key)).rowcount == 1


def keys_in(path: Path) -> tuple[ApiKey, ...]:
    """Keys in a file of an earlier version; `Damaged` where it cannot be understood."""
    try:
        with closing(sqlite3.connect(path)) as old:
            return tuple(_key(row) for row in old.execute(_OLD))
    except sqlite3.Error as error:
        raise translate(error, path) or Damaged(f"{path} does not hold keys of Pincite ({error})") from error


def _row(key: ApiKey) -> dict[str, Any]:
    lists = {name: getattr(key, name) for name in _LISTS}
    return asdict(key) | {name: None if value is None else json.dumps(value) for name, value in lists.items()}


def _key(row: tuple[Any, ...]) -> ApiKey:
    values = dict(zip(COLUMNS.split(", "), row, strict=True))
    lists = {name: None if values[name] is None else tuple(json.loads(values[name])) for name in _LISTS}
    return ApiKey(**(values | lists))
