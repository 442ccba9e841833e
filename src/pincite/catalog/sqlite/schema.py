"""The tables, and how an older file becomes a current one.

Every row carries its scope: `repository`, or `tenant` where a store is shared by the tenant's repositories.
Roles and heading chains are JSON text, dates ISO text (which sorts as dates do), times microseconds since 1970 UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pincite.advice import either, place
from pincite.errors import Damaged, SchemaTooNew

APPLICATION_ID = 0x50494E43
"""`PINC`, in the file header: another program's SQLite file is not taken for a catalog."""

FIRST: tuple[str, ...] = (
    """
    CREATE TABLE meta (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE repositories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tenant TEXT NOT NULL,
        organization TEXT NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL UNIQUE,
        head INTEGER NOT NULL DEFAULT 0,
        purges INTEGER NOT NULL DEFAULT 0,
        UNIQUE (tenant, organization, name)
    )
    """,
    """
    CREATE TABLE revisions (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        number INTEGER NOT NULL,
        time INTEGER NOT NULL,
        author TEXT NOT NULL,
        message TEXT NOT NULL,
        PRIMARY KEY (repository, number)
    ) WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX revisions_by_time ON revisions (repository, time)",
    # Message ids are only ever compared, and may name an element: their hash is enough and survives a purge safely.
    """
    CREATE TABLE messages (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        message_hash TEXT NOT NULL,
        revision INTEGER NOT NULL,
        PRIMARY KEY (repository, message_hash)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE elements (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        element_id TEXT NOT NULL,
        UNIQUE (repository, element_id)
    )
    """,
    """
    CREATE TABLE versions (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        element INTEGER NOT NULL REFERENCES elements (id),
        version_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        element_type TEXT NOT NULL,
        name TEXT NOT NULL,
        language TEXT NOT NULL,
        metadata TEXT NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (element, version_id)
    )
    """,
    """
    CREATE TABLE recipes (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        fingerprint TEXT NOT NULL,
        UNIQUE (repository, fingerprint)
    )
    """,
    # A derivation may be empty, so it has a row of its own; the digest proves that a recipe determines it.
    """
    CREATE TABLE derivations (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        version INTEGER NOT NULL REFERENCES versions (id),
        recipe INTEGER NOT NULL REFERENCES recipes (id),
        digest TEXT NOT NULL,
        UNIQUE (version, recipe)
    )
    """,
    """
    CREATE TABLE chunks (
        derivation INTEGER NOT NULL REFERENCES derivations (id),
        number INTEGER NOT NULL,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        text_hash TEXT NOT NULL,
        span_start INTEGER,
        span_end INTEGER,
        section_id TEXT NOT NULL,
        parent_chain TEXT NOT NULL,
        chunk_type TEXT NOT NULL,
        language TEXT NOT NULL,
        page INTEGER,
        context TEXT NOT NULL,
        rendered TEXT,
        PRIMARY KEY (derivation, number)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX chunks_by_hash ON chunks (text_hash, repository)",
    """
    CREATE TABLE definitions (
        derivation INTEGER NOT NULL REFERENCES derivations (id),
        number INTEGER NOT NULL,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        term TEXT NOT NULL,
        folded TEXT NOT NULL,
        text TEXT NOT NULL,
        chunk INTEGER NOT NULL,
        span_start INTEGER,
        span_end INTEGER,
        scope TEXT NOT NULL,
        PRIMARY KEY (derivation, number)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX definitions_by_term ON definitions (repository, folded)",
    """
    CREATE TABLE aliases (
        derivation INTEGER NOT NULL REFERENCES derivations (id),
        number INTEGER NOT NULL,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        identifier TEXT NOT NULL,
        folded TEXT NOT NULL,
        section_id TEXT NOT NULL,
        PRIMARY KEY (derivation, number)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX aliases_by_identifier ON aliases (repository, folded)",
    """
    CREATE TABLE derived_relations (
        derivation INTEGER NOT NULL REFERENCES derivations (id),
        number INTEGER NOT NULL,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        relation_id TEXT NOT NULL,
        relation_type TEXT NOT NULL,
        source TEXT NOT NULL,
        target TEXT NOT NULL,
        source_section TEXT NOT NULL,
        target_section TEXT NOT NULL,
        metadata TEXT NOT NULL,
        PRIMARY KEY (derivation, number)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX derived_relations_by_source ON derived_relations (repository, source)",
    "CREATE INDEX derived_relations_by_target ON derived_relations (repository, target)",
    # AUTOINCREMENT: an index keeps lifetime ids, so one that was purged must never name another lifetime.
    """
    CREATE TABLE lifetimes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        element INTEGER NOT NULL REFERENCES elements (id),
        derivation INTEGER NOT NULL REFERENCES derivations (id),
        born INTEGER NOT NULL,
        died INTEGER NOT NULL,
        valid_from TEXT,
        valid_to TEXT,
        roles TEXT NOT NULL,
        CHECK (born < died)
    )
    """,
    "CREATE INDEX lifetimes_by_birth ON lifetimes (repository, born, id)",
    "CREATE INDEX lifetimes_by_death ON lifetimes (repository, died, id)",
    "CREATE INDEX lifetimes_by_element ON lifetimes (element, died)",
    "CREATE INDEX lifetimes_by_derivation ON lifetimes (derivation)",
    """
    CREATE TABLE relations (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        relation_id TEXT NOT NULL,
        relation_type TEXT NOT NULL,
        source TEXT NOT NULL,
        target TEXT NOT NULL,
        source_section TEXT NOT NULL,
        target_section TEXT NOT NULL,
        metadata TEXT NOT NULL,
        born INTEGER NOT NULL,
        died INTEGER NOT NULL,
        UNIQUE (repository, relation_id, born),
        CHECK (born < died)
    )
    """,
    "CREATE INDEX relations_by_source ON relations (repository, source)",
    "CREATE INDEX relations_by_target ON relations (repository, target)",
    """
    CREATE TABLE baselines (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        name TEXT NOT NULL,
        revision INTEGER NOT NULL,
        created INTEGER NOT NULL,
        author TEXT NOT NULL,
        note TEXT NOT NULL,
        UNIQUE (repository, name)
    )
    """,
    # The newest row of a repository is its published pointer; `below` is the row that a rollback returns to.
    """
    CREATE TABLE publications (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        baseline INTEGER NOT NULL REFERENCES baselines (id),
        below INTEGER REFERENCES publications (id),
        action TEXT NOT NULL CHECK (action IN ('publish', 'rollback')),
        time INTEGER NOT NULL,
        author TEXT NOT NULL
    )
    """,
    "CREATE INDEX publications_by_repository ON publications (repository, id)",
    """
    CREATE TABLE tombstones (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        erasure_key TEXT NOT NULL,
        purge INTEGER NOT NULL,
        time INTEGER NOT NULL,
        reason TEXT NOT NULL,
        author TEXT NOT NULL,
        PRIMARY KEY (repository, erasure_key, purge)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE source_files (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        source TEXT NOT NULL,
        path TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        element_id TEXT NOT NULL,
        recipe TEXT NOT NULL,
        PRIMARY KEY (repository, source, path)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE vectors (
        tenant TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        vector BLOB NOT NULL,
        PRIMARY KEY (tenant, text_hash, fingerprint)
    )
    """,
    # `ready` is when a job may be claimed: after its retry pause while waiting, after its lease while claimed.
    """
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        text TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'parked')),
        added INTEGER NOT NULL,
        ready INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT NOT NULL DEFAULT '',
        UNIQUE (tenant, text_hash, fingerprint)
    )
    """,
    "CREATE INDEX jobs_by_readiness ON jobs (ready, id) WHERE state <> 'parked'",
    """
    CREATE TABLE contexts (
        tenant TEXT NOT NULL,
        key TEXT NOT NULL,
        chunk_hash TEXT NOT NULL,
        context TEXT NOT NULL,
        PRIMARY KEY (tenant, key)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX contexts_by_chunk ON contexts (tenant, chunk_hash)",
    """
    CREATE TABLE usage (
        tenant TEXT NOT NULL,
        day TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        purpose TEXT NOT NULL,
        calls INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cost_micros INTEGER NOT NULL,
        PRIMARY KEY (tenant, day, provider, model, purpose)
    ) WITHOUT ROWID
    """,
    f"PRAGMA application_id = {APPLICATION_ID}",
    "INSERT INTO meta (key, value) VALUES ('library_id', lower(hex(randomblob(16))))",
)

EMBEDDING: tuple[str, ...] = (
    # Births up to `revision` have their jobs or their vectors under the fingerprint.
    """
    CREATE TABLE enqueued (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        fingerprint TEXT NOT NULL,
        revision INTEGER NOT NULL,
        PRIMARY KEY (repository, fingerprint)
    ) WITHOUT ROWID
    """,
    # A worker claims for one tenant and one model; what waits for others must not be read on every claim.
    "DROP INDEX jobs_by_readiness",
    "CREATE INDEX jobs_by_readiness ON jobs (tenant, fingerprint, ready, id) WHERE state <> 'parked'",
)

MODELS: tuple[str, ...] = (
    # The newest row is the model in use; the others say what older answers and baselines were made with.
    """
    CREATE TABLE embedding_models (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        since INTEGER NOT NULL
    )
    """,
)

SUBSECTIONS: tuple[str, ...] = (
    # A place inside a section; NULL where the identifier names the section as a whole.
    "ALTER TABLE aliases ADD COLUMN span_start INTEGER",
    "ALTER TABLE aliases ADD COLUMN span_end INTEGER",
)

REMOTE: tuple[str, ...] = (
    # What a server is asked with whether its file has changed; empty for files on disk.
    "ALTER TABLE source_files ADD COLUMN validator TEXT NOT NULL DEFAULT ''",
)

SOURCE_MEMORY: tuple[str, ...] = (
    # An item may give a million elements, so they name it by number. A size of -1 stands for one not read to its end.
    """
    CREATE TABLE source_items (
        id INTEGER PRIMARY KEY,
        repository INTEGER NOT NULL REFERENCES repositories (id),
        source TEXT NOT NULL,
        name TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        digest TEXT NOT NULL,
        recipe TEXT NOT NULL,
        validator TEXT NOT NULL,
        elements INTEGER NOT NULL,
        UNIQUE (repository, source, name)
    )
    """,
    # The key says that an element belongs to one item of one source.
    """
    CREATE TABLE source_elements (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        element_id TEXT NOT NULL,
        item INTEGER NOT NULL REFERENCES source_items (id),
        digest TEXT NOT NULL,
        relations TEXT NOT NULL,
        PRIMARY KEY (repository, element_id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX source_elements_by_item ON source_elements (item, element_id)",
    # What was put before the id is part of how a file was read from now on; it is what the id has before the path.
    """
    INSERT INTO source_items (repository, source, name, size, mtime_ns, digest, recipe, validator, elements)
    SELECT repository, source, path, size, mtime_ns, content_hash,
           recipe || CASE
               WHEN length(element_id) > length(path) AND substr(element_id, -length(path)) = path
               THEN ';prefix=' || substr(element_id, 1, length(element_id) - length(path))
               ELSE ''
           END,
           validator, 1
    FROM source_files
    """,
    """
    INSERT OR REPLACE INTO source_elements (repository, element_id, item, digest, relations)
    SELECT f.repository, f.element_id, i.id, '', '[]'
    FROM source_files f
    JOIN source_items i ON i.repository = f.repository AND i.source = f.source AND i.name = f.path
    ORDER BY f.source, f.path
    """,
    "DROP TABLE source_files",
)

CHUNK_FIELDS: tuple[str, ...] = (
    # Further texts by which a passage is found: [[name, text], …] as JSON; most kinds have none.
    "ALTER TABLE chunks ADD COLUMN fields TEXT NOT NULL DEFAULT '[]'",
)

WORDS: tuple[str, ...] = (
    # Forms with their vectors in the lexicon's own compact form, so that no other node has to ask the model.
    """
    CREATE TABLE words (
        repository INTEGER NOT NULL REFERENCES repositories (id),
        fingerprint TEXT NOT NULL,
        form TEXT NOT NULL,
        vector BLOB NOT NULL,
        PRIMARY KEY (repository, fingerprint, form)
    ) WITHOUT ROWID
    """,
)

MIGRATIONS: list[tuple[str, ...]] = [
    FIRST, EMBEDDING, MODELS, SUBSECTIONS, REMOTE, SOURCE_MEMORY, CHUNK_FIELDS, WORDS,
]  # fmt: skip
"""Step n leads from schema n to n + 1. Released steps are never edited; a change is a new step."""


def is_current(connection: sqlite3.Connection, steps: Sequence[Sequence[str]] | None = None) -> bool:
    """Whether the file already has the newest schema known here. `steps`: of a file other than the catalog."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(found == len(MIGRATIONS if steps is None else steps))


def migrate(connection: sqlite3.Connection, path: str, steps: Sequence[Sequence[str]] | None = None) -> None:
    """Bring the file to the current schema, inside the caller's write transaction."""
    steps = MIGRATIONS if steps is None else steps
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    current = len(steps)
    if found > current:
        raise SchemaTooNew(
            f"{place(path)} has catalog schema {found}, this Pincite knows schemas up to {current};"
            f" {either('upgrade with: pip install --upgrade pincite', 'the server runs an older version')}"
        )
    if found == 0:
        _refuse_foreign(connection, path)
    for statements in steps[found:]:
        for statement in statements:
            connection.execute(statement)
    if found < current:
        connection.execute(f"PRAGMA user_version = {current}")  # pragmas take no parameters; an int of ours


def _refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables:
        raise Damaged(
            f"{path} is a SQLite database, but not a Pincite catalog; choose another file or move this one away"
        )
