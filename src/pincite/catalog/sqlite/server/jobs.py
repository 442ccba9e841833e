"""Jobs, and the workers that run them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pincite.catalog.sqlite.server.replies import ANSWER
from pincite.server_state import JobState, ReplyKey, ServerJob

if TYPE_CHECKING:
    from pincite.catalog.sqlite.server.file import ServerFile

ACCEPTED = 202

COLUMNS = (
    "id, operation, tenant, organization, repository, caller, arguments, state, created, started, finished,"
    " result, error, done, total"
)
_JSON = ("caller", "arguments", "result", "error")

_ADD = """
    INSERT INTO jobs (id, operation, tenant, organization, repository, caller, arguments, state, created)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ONE = f"SELECT {COLUMNS} FROM jobs WHERE id = ?"
_RECENT = f"SELECT {COLUMNS} FROM jobs WHERE tenant = ? AND organization = ? ORDER BY number DESC LIMIT ?"
# One at a time in a repository; '' is all of the organization.
_NEXT = f"""
    SELECT {COLUMNS} FROM jobs AS waiting
    WHERE state = 'queued' AND NOT EXISTS (
        SELECT 1 FROM jobs AS other
        WHERE other.state = 'running' AND other.tenant = waiting.tenant
            AND other.organization = waiting.organization
            AND (other.repository = waiting.repository OR '' IN (other.repository, waiting.repository))
    )
    ORDER BY number LIMIT 1
"""
_TAKE = "UPDATE jobs SET state = 'running', owner = ?, started = ? WHERE id = ?"
_FINISH = "UPDATE jobs SET state = ?, finished = ?, result = ?, error = ? WHERE id = ? AND owner = ?"
_PROGRESS = "UPDATE jobs SET done = ?, total = ? WHERE id = ? AND owner = ?"
BEAT = "INSERT INTO workers (owner, seen) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET seen = excluded.seen"
_RUNNING = "SELECT 1 FROM jobs WHERE state = 'running' LIMIT 1"
_BURY = """
    UPDATE jobs SET state = 'interrupted', finished = ?, error = ?
    WHERE state = 'running' AND owner NOT IN (SELECT owner FROM workers WHERE seen >= ?)
"""
_INTERRUPT = "UPDATE jobs SET state = 'interrupted', finished = ?, error = ? WHERE state = 'running' AND owner = ?"
_GONE = "DELETE FROM workers WHERE owner = ?"
_FORGET = (
    "DELETE FROM jobs WHERE finished < ?",
    "DELETE FROM replies WHERE created < ?",
    "DELETE FROM workers WHERE seen < ?",
)


class SqliteServerJobs:
    def __init__(self, file: ServerFile) -> None:
        self._file = file

    def add(self, job: ServerJob, *, reply: ReplyKey | None = None, body: Mapping[str, Any] | None = None) -> None:
        scope = (job.tenant, job.organization, job.repository)
        texts = (json.dumps(dict(job.caller)), json.dumps(job.arguments))
        with self._file.write() as connection:
            connection.execute(_ADD, (job.id, job.operation, *scope, *texts, job.state, job.created))
            if reply is not None:
                answer = json.dumps(dict(body or {}))
                connection.execute(ANSWER, (ACCEPTED, answer, reply.caller, reply.operation, reply.key))

    def get(self, id: str) -> ServerJob | None:
        with self._file.read() as connection:
            row = connection.execute(_ONE, (id,)).fetchone() if connection else None
        return _job(row) if row else None

    def recent(self, tenant: str, organization: str, limit: int) -> tuple[ServerJob, ...]:
        with self._file.read() as connection:
            if connection is None:
                return ()
            return tuple(_job(row) for row in connection.execute(_RECENT, (tenant, organization, limit)))

    def take(self, owner: str, now: float) -> ServerJob | None:
        with self._file.read() as connection:  # looking costs no write
            if connection is None or connection.execute(_NEXT).fetchone() is None:
                return None
        with self._file.write() as connection:
            row = connection.execute(_NEXT).fetchone()
            if row is None:
                return None
            connection.execute(BEAT, (owner, now))
            connection.execute(_TAKE, (owner, now, row[0]))
            return _job(connection.execute(_ONE, (row[0],)).fetchone())

    def progress(self, id: str, owner: str, done: int, total: int) -> None:
        with self._file.write() as connection:
            connection.execute(_PROGRESS, (done, total, id, owner))

    def finish(
        self,
        id: str,
        owner: str,
        state: JobState,
        now: float,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        texts = [None if item is None else json.dumps(dict(item)) for item in (result, error)]
        with self._file.write() as connection:
            connection.execute(_FINISH, (state, now, *texts, id, owner))

    def beat(self, owner: str, now: float) -> None:
        with self._file.write() as connection:
            connection.execute(BEAT, (owner, now))

    def bury(self, silent_since: float, now: float, error: Mapping[str, Any]) -> None:
        with self._file.read() as connection:
            if connection is None or connection.execute(_RUNNING).fetchone() is None:
                return
        with self._file.write() as connection:
            connection.execute(_BURY, (now, json.dumps(dict(error)), silent_since))

    def leave(self, owner: str, now: float, error: Mapping[str, Any]) -> None:
        with self._file.write() as connection:
            connection.execute(_INTERRUPT, (now, json.dumps(dict(error)), owner))
            connection.execute(_GONE, (owner,))

    def forget(self, before: float) -> None:
        with self._file.write() as connection:
            for statement in _FORGET:
                connection.execute(statement, (before,))


def _job(row: tuple[Any, ...]) -> ServerJob:
    values = dict(zip(COLUMNS.split(", "), row, strict=True))
    read = {name: None if values[name] is None else json.loads(values[name]) for name in _JSON}
    return ServerJob(**(values | read))
