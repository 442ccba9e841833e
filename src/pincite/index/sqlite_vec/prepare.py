"""Making the tables, and noticing that those in the file are of another library or another version of Pincite."""

from __future__ import annotations

from pincite.advice import by_operator
from pincite.errors import Unavailable
from pincite.index.sqlite_vec.schema import FORMAT, TABLES
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.text.words import ANALYSER


def has_tables(store: SqliteVecFile, library_id: str) -> bool:
    """Whether the file holds an index of this library."""
    return bool(store.remember("tables", lambda: _meta(store).get("library_id") == library_id))


def require_readable(store: SqliteVecFile) -> None:
    """`Unavailable` for an index whose words were analysed in another way."""
    meta = store.remember("meta", lambda: _meta(store))
    if (meta["format"], meta["analyser"]) != (str(FORMAT), ANALYSER):
        raise Unavailable(
            f"the index {store.path.name} was built by another version of Pincite ({meta['analyser']}, now"
            f" {ANALYSER}); {by_operator('rebuild it with', 'pincite rebuild')}"
        )


def prepare(store: SqliteVecFile, library_id: str) -> bool:
    """Make the tables if there are none that can be used; whether they were made. Inside a write transaction."""
    wanted = {"library_id": library_id, "format": str(FORMAT), "analyser": ANALYSER}
    meta = _meta(store)
    if {key: meta.get(key) for key in wanted} == wanted:
        return False
    kept = store.all(_TAKEN) if meta.get("library_id") == library_id else []
    for kind in ("VIRTUAL", ""):
        for (name,) in store.all(_NAMES, (f"CREATE {kind}%",)):
            store.run(f'DROP TABLE IF EXISTS "{name}"')
    store.run(TABLES)
    for item in wanted.items():
        store.run("INSERT INTO meta VALUES (?, ?)", item)
    for key, fingerprint in kept:  # so that the vectors of the models in use are taken in again
        store.run("INSERT OR IGNORE INTO taken VALUES (?, ?)", (repository_id(store, key), fingerprint))
    return True


_NAMES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql LIKE ?"
_TAKEN = "SELECT r.key, t.fingerprint FROM taken t JOIN repositories r ON r.id = t.repository"


def repository_id(store: SqliteVecFile, key: str) -> int:
    """The number of a repository in this file, given to it if it has none."""
    store.run("INSERT OR IGNORE INTO repositories (key, revision, purges) VALUES (?, 0, 0)", (key,))
    return int(store.one("SELECT id FROM repositories WHERE key = ?", (key,)))


def _meta(store: SqliteVecFile) -> dict[str, str]:
    if store.one("SELECT 1 FROM sqlite_schema WHERE name = 'meta'") is None:
        return {}
    return dict(store.all("SELECT key, value FROM meta"))
