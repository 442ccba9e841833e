"""Is the file sound? What SQLite itself can tell, and what our tables promise each other."""

from __future__ import annotations

import sqlite3

from pincite.catalog.prepare import embedded_text_hash
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.load import content_of, load_derivations
from pincite.catalog.sqlite.purge import traces_pending
from pincite.errors import Damaged
from pincite.ids import version_id
from pincite.types import Chunk

_VERSIONS = "SELECT version_id, kind, element_type, name, text, language, metadata FROM versions"
_PASSAGES = """
    SELECT c.derivation, c.number, c.text_hash, v.text
    FROM chunks c JOIN derivations d ON d.id = c.derivation JOIN versions v ON v.id = d.version
    ORDER BY c.derivation, c.number
"""
_PROMISES = (
    (
        "a lifetime's version belongs to another element or repository",
        """
        SELECT count(*) FROM lifetimes l
        LEFT JOIN derivations d ON d.id = l.derivation
        LEFT JOIN versions v ON v.id = d.version
        WHERE v.id IS NULL OR v.element <> l.element OR v.repository <> l.repository
        """,
    ),
    (
        "a lifetime begins or ends after its repository's head",
        """
        SELECT count(*) FROM lifetimes l JOIN repositories r ON r.id = l.repository
        WHERE l.born > r.head OR (l.died > r.head AND l.died <> 4611686018427387904)
        """,
    ),
    (
        "two states of an element live at once and overlap in validity",
        """
        SELECT count(*) FROM lifetimes a JOIN lifetimes b ON b.element = a.element AND b.id > a.id
        WHERE a.died = 4611686018427387904 AND b.died = 4611686018427387904
          AND (a.valid_to IS NULL OR b.valid_from IS NULL OR b.valid_from < a.valid_to)
          AND (b.valid_to IS NULL OR a.valid_from IS NULL OR a.valid_from < b.valid_to)
        """,
    ),
    (
        "a repository's revisions do not run from 1 to its head",
        """
        SELECT count(*) FROM repositories r
        WHERE r.head <> (SELECT count(*) FROM revisions v WHERE v.repository = r.id)
           OR r.head <> (SELECT coalesce(max(number), 0) FROM revisions v WHERE v.repository = r.id)
        """,
    ),
    (
        "a baseline names a revision that does not exist",
        """
        SELECT count(*) FROM baselines b
        LEFT JOIN revisions v ON v.repository = b.repository AND v.number = b.revision
        WHERE v.number IS NULL
        """,
    ),
    (
        "a derivation's chunks are not numbered from 0 without gaps",
        "SELECT count(*) FROM (SELECT 1 FROM chunks GROUP BY derivation HAVING max(number) + 1 <> count(*))",
    ),
)


def check(database: Database) -> tuple[str, ...]:
    """What is damaged or unfinished, in words; empty when sound."""
    try:
        with database.read() as connection:
            findings = [*_integrity(connection), *_foreign_keys(connection), *_hashes(connection)]
            for promise, count in _PROMISES:
                (broken,) = connection.execute(count).fetchone()
                if broken:
                    findings.append(f"{promise} ({broken} times); restore a backup")
    except Damaged as error:
        return (error.message,)
    if traces_pending(database):
        findings.append(
            "purged content may still lie in the write-ahead log, because a reader held it or the disk was full; "
            "close other programs that use this library, then open it again"
        )
    return tuple(findings)


def _integrity(connection: sqlite3.Connection) -> list[str]:
    rows = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
    return [] if rows == ["ok"] else [f"the database file is damaged: {row}" for row in rows]


def _hashes(connection: sqlite3.Connection) -> list[str]:
    """Content that is no longer what its hash says: SQLite keeps no checksums of what it stores."""
    altered = sum(not _is_sound_version(*row) for row in connection.execute(_VERSIONS))
    passages = 0
    derivation, chunks = -1, tuple[Chunk, ...]()
    for number, chunk, wanted, text in connection.execute(_PASSAGES):
        if number != derivation:
            derivation, chunks = number, load_derivations(connection, [number])[number].chunks
        passages += chunk >= len(chunks) or embedded_text_hash(chunks[chunk], text) != wanted
    findings = (("version", altered), ("passage", passages))
    return [f"{count} {what}(s) differ from their hash; restore a backup" for what, count in findings if count]


def _is_sound_version(wanted: str, *columns: str) -> bool:
    try:
        return version_id(content_of(*columns)) == wanted
    except ValueError:  # metadata that is not JSON any more
        return False


def _foreign_keys(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("PRAGMA foreign_key_check").fetchmany(20)
    return [f"row {row[1]} of {row[0]} refers to a row of {row[2]} that does not exist" for row in rows]
