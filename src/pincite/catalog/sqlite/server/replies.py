"""What was answered to requests with an Idempotency-Key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pincite.server_state import Reply, ReplyKey

if TYPE_CHECKING:
    from pincite.catalog.sqlite.server.file import ServerFile

_BEAT = "INSERT INTO workers (owner, seen) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET seen = excluded.seen"
_ALIVE = "SELECT 1 FROM workers WHERE owner = ? AND seen >= ?"
_CLAIM = """
    INSERT INTO replies (caller, operation, key, request, owner, created) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_REPLY = "SELECT request, owner, status, body FROM replies WHERE caller = ? AND operation = ? AND key = ?"
_RECLAIM = "UPDATE replies SET owner = ? WHERE caller = ? AND operation = ? AND key = ?"
ANSWER = "UPDATE replies SET status = ?, body = ? WHERE caller = ? AND operation = ? AND key = ?"
_RELEASE = "DELETE FROM replies WHERE caller = ? AND operation = ? AND key = ? AND status IS NULL"


class SqliteReplies:
    def __init__(self, file: ServerFile) -> None:
        self._file = file

    def claim(self, key: ReplyKey, request: str, owner: str, now: float, silent_since: float) -> Reply | None:
        named = (key.caller, key.operation, key.key)
        with self._file.write() as connection:
            connection.execute(_BEAT, (owner, now))
            if connection.execute(_CLAIM, (*named, request, owner, now)).rowcount:
                return None
            given, holder, status, body = connection.execute(_REPLY, named).fetchone()
            alive = connection.execute(_ALIVE, (holder, silent_since)).fetchone()
            if status is None and given == request and not alive:
                connection.execute(_RECLAIM, (owner, *named))
                return None
            return Reply(given, status, None if body is None else json.loads(body))

    def answer(self, key: ReplyKey, status: int, body: Mapping[str, Any]) -> None:
        with self._file.write() as connection:
            connection.execute(ANSWER, (status, json.dumps(dict(body)), key.caller, key.operation, key.key))

    def release(self, key: ReplyKey) -> None:
        with self._file.write() as connection:
            connection.execute(_RELEASE, (key.caller, key.operation, key.key))
