"""Erasure: an element leaves every table, every free page and the write-ahead log; a tombstone stays.

The rows go in one transaction, which also notes that traces are pending; VACUUM and the truncation of the log
cannot be part of it. If they are cut short (a kill, a reader that holds the log), the note makes the next opening
try again and `check()` report it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence

from pincite.catalog.prepare import passage_of
from pincite.catalog.sqlite.connection import BUSY_SECONDS, Database
from pincite.catalog.sqlite.load import load_derivations
from pincite.catalog.sqlite.repositories import head_of, number_of
from pincite.catalog.sqlite.revisions import add_revision
from pincite.catalog.sqlite.sources import forget
from pincite.catalog.validate import check_id
from pincite.errors import Erased, InvalidArgument, Locked, NotFound, StorageFull
from pincite.ids import erasure_key, text_hash
from pincite.types import BEFORE_WRITTEN, Committed, Outcome, Scope

CHECKPOINT_SECONDS = 5.0
PENDING = "traces_pending"

_FIND = "SELECT id FROM elements WHERE repository = ? AND element_id = ?"
_TOMBSTONE = "SELECT 1 FROM tombstones WHERE repository = ? AND erasure_key = ?"
_HASHES = """
    SELECT DISTINCT c.text_hash
    FROM versions v JOIN derivations d ON d.version = v.id JOIN chunks c ON c.derivation = d.id
    WHERE v.element = ?
"""
_DERIVATIONS = "SELECT d.id, v.text FROM versions v JOIN derivations d ON d.version = v.id WHERE v.element = ?"
# Children before parents, because foreign keys are enforced. Each statement takes the element's number.
_DELETE_BY_NUMBER = (
    """
    DELETE FROM chunks WHERE derivation IN
        (SELECT d.id FROM versions v JOIN derivations d ON d.version = v.id WHERE v.element = ?)
    """,
    """
    DELETE FROM definitions WHERE derivation IN
        (SELECT d.id FROM versions v JOIN derivations d ON d.version = v.id WHERE v.element = ?)
    """,
    """
    DELETE FROM aliases WHERE derivation IN
        (SELECT d.id FROM versions v JOIN derivations d ON d.version = v.id WHERE v.element = ?)
    """,
    """
    DELETE FROM derived_relations WHERE derivation IN
        (SELECT d.id FROM versions v JOIN derivations d ON d.version = v.id WHERE v.element = ?)
    """,
    "DELETE FROM lifetimes WHERE element = ?",
    "DELETE FROM derivations WHERE version IN (SELECT id FROM versions WHERE element = ?)",
    "DELETE FROM versions WHERE element = ?",
    "DELETE FROM elements WHERE id = ?",
)
# Edges of others that lead here name the element too. Each statement takes the repository and the element id.
_DELETE_BY_ID = (
    "DELETE FROM relations WHERE repository = :repository AND source = :element_id",
    "DELETE FROM relations WHERE repository = :repository AND target = :element_id",
    "DELETE FROM derived_relations WHERE repository = :repository AND target = :element_id",
)
_DELETE_UNUSED_RECIPES = """
    DELETE FROM recipes WHERE repository = ? AND id NOT IN (SELECT recipe FROM derivations)
"""
_STILL_USED = """
    SELECT 1 FROM chunks c JOIN repositories r ON r.id = c.repository
    WHERE c.text_hash = ? AND r.tenant = ? LIMIT 1
"""
# A key is `<hash>` or `<hash>:<window>`; ';' follows ':' in ASCII, so the range holds both forms.
_DELETE_BY_HASH = (
    "DELETE FROM vectors WHERE tenant = :tenant AND text_hash >= :hash AND text_hash < :hash || ';'",
    "DELETE FROM jobs WHERE tenant = :tenant AND text_hash >= :hash AND text_hash < :hash || ';'",
)
_DELETE_CONTEXT = "DELETE FROM contexts WHERE tenant = ? AND chunk_hash = ?"
_CONTEXTS = "SELECT key, context FROM contexts WHERE tenant = ?"
_DELETE_CONTEXT_BY_KEY = "DELETE FROM contexts WHERE tenant = ? AND key = ?"
_CONTEXTS_OF_CHUNKS = """
    SELECT DISTINCT c.context FROM chunks c JOIN repositories r ON r.id = c.repository WHERE r.tenant = ?
"""
# A word may be one that only the erased had; nothing says which, so all are learned again.
_DELETE_WORDS = "DELETE FROM words WHERE repository = ?"
_COUNT_PURGE = "UPDATE repositories SET purges = purges + 1 WHERE id = ? RETURNING purges"
_INSERT_TOMBSTONE = """
    INSERT INTO tombstones (repository, erasure_key, purge, time, reason, author) VALUES (?, ?, ?, ?, ?, ?)
"""
_NOTE_PENDING = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, '1')"
_CLEAR_PENDING = "DELETE FROM meta WHERE key = ?"
_PENDING = "SELECT 1 FROM meta WHERE key = ?"


def purge(
    database: Database, scope: Scope, element_ids: Sequence[str], *, reason: str, author: str, now: int
) -> Committed:
    """The revision at which the elements were erased, one outcome per element."""
    wanted = list(dict.fromkeys(check_id(raw) for raw in element_ids))
    if not wanted:
        raise InvalidArgument("name at least one element to purge", field="element_ids")
    with database.write() as connection:
        repository = number_of(connection, scope)
        numbers = _numbers(connection, scope, repository, wanted)
        texts: set[str] = set()
        passages: set[str] = set()
        for element_id, number in numbers.items():
            texts.update(row[0] for row in connection.execute(_HASHES, (number,)))
            passages.update(_passage_hashes(connection, number))
            for statement in _DELETE_BY_NUMBER:
                connection.execute(statement, (number,))
            for statement in _DELETE_BY_ID:
                connection.execute(statement, {"repository": repository, "element_id": element_id})
            forget(connection, repository, element_id)
        connection.execute(_DELETE_UNUSED_RECIPES, (repository,))
        connection.execute(_DELETE_WORDS, (repository,))
        _forget_texts(connection, scope.tenant, texts, passages)
        _forget_unused_contexts(connection, scope.tenant)
        (purges,) = connection.execute(_COUNT_PURGE, (repository,)).fetchone()
        revision = head_of(connection, repository) + 1
        erased = add_revision(connection, repository, revision, now, author, "purge")
        connection.executemany(
            _INSERT_TOMBSTONE,
            [(repository, erasure_key(scope, e), purges, erased, reason, author) for e in numbers],
        )
        connection.execute(_NOTE_PENDING, (PENDING,))
    try:
        remove_traces(database)
    except StorageFull as full:
        raise StorageFull(
            f"no space left to overwrite what revision {revision} erased; it can no longer be read, but traces lie in "
            f"{database.path}: free some space and run the purge again"
        ) from full
    return Committed(revision, True, tuple(Outcome("applied", e) for e in wanted))


def traces_pending(database: Database) -> bool:
    """Whether erased content may still lie in free pages or in the write-ahead log."""
    with database.read() as connection:
        return connection.execute(_PENDING, (PENDING,)).fetchone() is not None


def remove_traces(database: Database) -> bool:
    """Rewrite the file and empty the write-ahead log.

    False when a reader holds the log, `StorageFull` when the disk has no room for the rewriting: the note stays. The
    rows themselves are overwritten with zeros as soon as the log reaches the file (`secure_delete`).
    """
    try:
        with database.maintain() as connection:
            connection.execute("VACUUM")
            if not _truncate_log(connection):
                return False
    except Locked:
        return False
    with database.write() as connection:
        connection.execute(_CLEAR_PENDING, (PENDING,))
    return True


def _truncate_log(connection: sqlite3.Connection) -> bool:
    """Whether the log could be emptied within a few seconds."""
    deadline = time.monotonic() + CHECKPOINT_SECONDS
    connection.execute("PRAGMA busy_timeout = 200")
    try:
        while True:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")


def _numbers(connection: sqlite3.Connection, scope: Scope, repository: int, wanted: list[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for element_id in wanted:
        row = connection.execute(_FIND, (repository, element_id)).fetchone()
        if row is None:
            if connection.execute(_TOMBSTONE, (repository, erasure_key(scope, element_id))).fetchone():
                raise Erased(f"{element_id!r} has been erased before; nothing was erased now", field="element_ids")
            raise NotFound(
                f"{scope.repository!r} has no element {element_id!r}; nothing was erased; check the spelling of the id",
                field="element_ids",
            )
        numbers[element_id] = row[0]
    return numbers


def _passage_hashes(connection: sqlite3.Connection, element: int) -> set[str]:
    """Hashes of the passages without context: what a context writer saw."""
    texts = dict(connection.execute(_DERIVATIONS, (element,)))
    derivations = load_derivations(connection, texts)
    return {
        text_hash(passage_of(chunk, texts[number]))
        for number, derivation in derivations.items()
        for chunk in derivation.chunks
    }


def _forget_texts(connection: sqlite3.Connection, tenant: str, texts: set[str], passages: Iterable[str]) -> None:
    unused = {h for h in texts if connection.execute(_STILL_USED, (h, tenant)).fetchone() is None}
    for unused_hash in unused:
        for statement in _DELETE_BY_HASH:
            connection.execute(statement, {"tenant": tenant, "hash": unused_hash})
    # A context that another element's equal passage could still use goes too: a cache is cheaper than a doubt.
    connection.executemany(_DELETE_CONTEXT, [(tenant, h) for h in unused.union(passages)])


def _forget_unused_contexts(connection: sqlite3.Connection, tenant: str) -> None:
    """Remove cached contexts that no stored passage carries.

    An ingest that was killed leaves contexts of passages that were never committed: no element leads to them.
    """
    unused = dict(connection.execute(_CONTEXTS, (tenant,)))
    if not unused:
        return
    carried = {row[0].rpartition(BEFORE_WRITTEN)[2] for row in connection.execute(_CONTEXTS_OF_CHUNKS, (tenant,))}
    keys = [(tenant, key) for key, context in unused.items() if context not in carried]
    connection.executemany(_DELETE_CONTEXT_BY_KEY, keys)
