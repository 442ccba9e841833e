"""The tables of the server's file."""

from __future__ import annotations

FIRST: tuple[str, ...] = (
    """
    CREATE TABLE keys (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, tenant TEXT NOT NULL,
        organization TEXT NOT NULL, hash TEXT NOT NULL, scopes TEXT NOT NULL, repositories TEXT, roles TEXT,
        created TEXT NOT NULL, expires TEXT NOT NULL, revoked TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, operation TEXT NOT NULL,
        tenant TEXT NOT NULL, organization TEXT NOT NULL, repository TEXT NOT NULL, caller TEXT NOT NULL,
        arguments TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL DEFAULT '',
        created REAL NOT NULL, started REAL, finished REAL, result TEXT, error TEXT, done INTEGER, total INTEGER
    ) STRICT
    """,
    "CREATE TABLE workers (owner TEXT PRIMARY KEY, seen REAL NOT NULL) STRICT",
    """
    CREATE TABLE replies (
        caller TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, owner TEXT NOT NULL,
        created REAL NOT NULL, status INTEGER, body TEXT, PRIMARY KEY (caller, operation, key)
    ) STRICT
    """,
    """
    CREATE TABLE verdicts (
        number INTEGER PRIMARY KEY, judged TEXT NOT NULL UNIQUE, verdict TEXT NOT NULL
    ) STRICT
    """,
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (FIRST,)
"""Step n leads from schema n to n + 1. Released steps are never edited; a change is a new step."""
