"""Takes over what earlier versions kept in the library's folder: API keys, jobs with their replies, verdicts.

The old files are renamed afterwards, so that nobody takes them for the ones in use.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from pincite.catalog.sqlite.connection import Database, translate
from pincite.catalog.sqlite.server.keys import add_key, keys_in
from pincite.catalog.sqlite.server.verdicts import judged

KEYS, JOBS, VERDICTS = "keys.db", "serve.db", "reranker.json"
TAKEN = ".taken-over"
ABOUT = ("fingerprint", "weight", "depth", "golden", "scopes")
"""What a verdict in the old file is about; the rest is what was found."""

_JOBS = "SELECT * FROM jobs ORDER BY number"
_REPLIES = "SELECT * FROM replies"


def old_files(folder: Path) -> tuple[Path, ...]:
    """Those that are still to be taken over."""
    return tuple(folder / name for name in _READERS if (folder / name).exists())


def take_over(folder: Path, database: Database) -> None:
    """Put what old files hold into the database. Several processes may do so at once: what is known stays."""
    found = old_files(folder)
    if not found:
        return
    with database.write() as connection:
        for path in found:
            _READERS[path.name](path, connection)
    for path in found:
        with suppress(FileNotFoundError):  # another process was faster
            path.rename(path.with_name(path.name + TAKEN))


def _read_keys(path: Path, connection: sqlite3.Connection) -> None:
    for key in keys_in(path):
        add_key(connection, key)


def _read_jobs(path: Path, connection: sqlite3.Connection) -> None:
    try:
        with closing(sqlite3.connect(path)) as old:
            old.row_factory = sqlite3.Row
            rows = [("jobs", row) for row in old.execute(_JOBS)] + [("replies", row) for row in old.execute(_REPLIES)]
    except sqlite3.Error as error:
        raise translate(error, path) or error from error
    for table, row in rows:
        _insert(connection, table, {name: row[name] for name in row.keys() if name != "number"})  # noqa: SIM118


def _read_verdicts(path: Path, connection: sqlite3.Connection) -> None:
    try:
        found = [dict(item) for item in json.loads(path.read_text(encoding="utf-8"))["verdicts"]]
        rows = [{"judged": judged({name: item[name] for name in ABOUT}), "verdict": json.dumps(item)} for item in found]
    except (OSError, ValueError, KeyError, TypeError):
        rows = []  # as before: what cannot be understood is ignored, and the reranker stays off until asked again
    for row in rows:
        _insert(connection, "verdicts", row)


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Add a row, unless it is there. Table and columns are ours."""
    columns = ", ".join(row)
    places = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})", dict(row))


_READERS: Mapping[str, Callable[[Path, sqlite3.Connection], None]] = {
    KEYS: _read_keys,
    JOBS: _read_jobs,
    VERDICTS: _read_verdicts,
}
