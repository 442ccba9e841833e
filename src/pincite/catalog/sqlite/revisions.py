"""The last act of every write that readers can see: the next revision."""

from __future__ import annotations

import sqlite3

_LAST_TIME = "SELECT time FROM revisions WHERE repository = ? AND number = ?"
_INSERT = "INSERT INTO revisions (repository, number, time, author, message) VALUES (?, ?, ?, ?, ?)"
_SET_HEAD = "UPDATE repositories SET head = ? WHERE id = ?"


def add_revision(
    connection: sqlite3.Connection, repository: int, number: int, now: int, author: str, message: str
) -> int:
    """Write the revision and move the head; returns its time, which is later than the one before."""
    previous = connection.execute(_LAST_TIME, (repository, number - 1)).fetchone()
    time = max(now, previous[0] + 1) if previous else now
    connection.execute(_INSERT, (repository, number, time, author, message))
    connection.execute(_SET_HEAD, (number, repository))
    return time
