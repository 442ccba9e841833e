"""The ledger: jobs and idempotent replies in one SQLite file of the library's folder, shared by all workers.

A worker that dies leaves its jobs as `running`; whoever looks next sees that its heartbeat has stopped, and records
them as `interrupted`. Jobs that nobody had begun stay queued, and the next worker takes them, also after a restart.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from pincite.errors import Damaged, Unavailable
from pincite.serve.callers import Caller
from pincite.wire import Json

FILE = "serve.db"
WAIT_SECONDS = 30.0
DEAD_AFTER_SECONDS = 10.0
"""Without a heartbeat, a worker is dead. It beats every second."""
KEPT_SECONDS = 7 * 86_400.0
"""How long finished jobs and replies are remembered."""
INTERRUPTED = (
    "the server stopped before this was finished; what was committed stays committed. Send it again:"
    " what is already there costs nothing"
)

State = Literal["queued", "running", "succeeded", "failed", "interrupted"]

_SETTINGS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, operation TEXT NOT NULL,
        tenant TEXT NOT NULL, organization TEXT NOT NULL, repository TEXT NOT NULL, caller TEXT NOT NULL,
        arguments TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL DEFAULT '',
        created REAL NOT NULL, started REAL, finished REAL, result TEXT, error TEXT, done INTEGER, total INTEGER
    ) STRICT
    """,
    "CREATE TABLE IF NOT EXISTS workers (owner TEXT PRIMARY KEY, seen REAL NOT NULL) STRICT",
    """
    CREATE TABLE IF NOT EXISTS replies (
        caller TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, owner TEXT NOT NULL,
        created REAL NOT NULL, status INTEGER, body TEXT, PRIMARY KEY (caller, operation, key)
    ) STRICT
    """,
)
_ADDED = {"done": "INTEGER", "total": "INTEGER"}
"""Columns of `jobs` that a file of an earlier version lacks."""
_COLUMNS = (
    "id, operation, tenant, organization, repository, caller, arguments, state, created, started, finished,"
    " result, error, done, total"
)
_ADD = """
    INSERT INTO jobs (id, operation, tenant, organization, repository, caller, arguments, state, created)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?)
"""
_ONE = f"SELECT {_COLUMNS} FROM jobs WHERE id = ?"
_RECENT = f"""
    SELECT {_COLUMNS} FROM jobs WHERE tenant = ? AND organization = ? ORDER BY number DESC LIMIT ?
"""
# One at a time in a repository; '' is all of the organization.
_NEXT = f"""
    SELECT {_COLUMNS} FROM jobs AS waiting
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
_BEAT = "INSERT INTO workers (owner, seen) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET seen = excluded.seen"
_BURY = """
    UPDATE jobs SET state = 'interrupted', finished = ?, error = ?
    WHERE state = 'running' AND owner NOT IN (SELECT owner FROM workers WHERE seen >= ?)
"""
_INTERRUPT = "UPDATE jobs SET state = 'interrupted', finished = ?, error = ? WHERE state = 'running' AND owner = ?"
_CLAIM = """
    INSERT INTO replies (caller, operation, key, request, owner, created) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_REPLY = "SELECT request, owner, status, body FROM replies WHERE caller = ? AND operation = ? AND key = ?"
_RECLAIM = "UPDATE replies SET owner = ? WHERE caller = ? AND operation = ? AND key = ?"
_ANSWER = "UPDATE replies SET status = ?, body = ? WHERE caller = ? AND operation = ? AND key = ?"
_RELEASE = "DELETE FROM replies WHERE caller = ? AND operation = ? AND key = ? AND status IS NULL"
_FORGET = (
    "DELETE FROM jobs WHERE finished < ?",
    "DELETE FROM replies WHERE created < ?",
    "DELETE FROM workers WHERE seen < ?",
)


@dataclass(frozen=True, slots=True)
class Job:
    """Work that goes on after its request was answered."""

    id: str
    operation: str
    tenant: str
    organization: str
    repository: str
    """Empty: all of the organization."""
    caller: Caller
    arguments: Json
    state: State
    created: float
    started: float | None = None
    finished: float | None = None
    result: Json | None = None
    error: Json | None = None
    done: int | None = None
    """Files of the source that have been read; None before the first is counted, and for a reindex."""
    total: int | None = None
    """Files of the source."""


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """Whose request it is, and which: an Idempotency-Key means nothing to anybody else."""

    caller: str
    operation: str
    key: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What is known of a request with an Idempotency-Key; `status` is None while it is being carried out."""

    request: str
    status: int | None
    body: Json | None


class Ledger:
    """One worker's hand in the shared file."""

    def __init__(self, library: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = library / FILE
        self.owner = uuid4().hex
        self._clock = clock
        self._lock = threading.Lock()
        library.mkdir(parents=True, exist_ok=True)
        with self._writing() as file:
            for statement in _TABLES:
                file.execute(statement)
            known = {row[1] for row in file.execute("PRAGMA table_info(jobs)")}
            for name in _ADDED.keys() - known:
                file.execute(f"ALTER TABLE jobs ADD COLUMN {name} {_ADDED[name]}")
            for statement in _FORGET:
                file.execute(statement, (self._clock() - KEPT_SECONDS,))

    # --- jobs -------------------------------------------------------------------------------------------------

    def add(
        self, operation: str, caller: Caller, repository: str, arguments: Json, *, id: str = "", reply: ReplyKey | None
    ) -> Job:
        """Queue a job. With `reply`, the answer to its request is kept in the same transaction."""
        job = Job(
            id or new_id(), operation, caller.tenant, caller.organization, repository, caller, arguments, "queued",
            self._clock(),
        )  # fmt: skip
        with self._writing() as file:
            scope = (caller.tenant, caller.organization, repository)
            who = json.dumps(_caller_to_json(caller))
            file.execute(_ADD, (job.id, operation, *scope, who, json.dumps(arguments), job.created))
            if reply is not None:
                file.execute(_ANSWER, (202, json.dumps(to_wire(job)), *_key(reply)))
        return job

    def job(self, id: str) -> Job | None:
        """A job as it is now; one whose worker has died is `interrupted`."""
        self.bury()
        with self._opened() as file:
            row = file.execute(_ONE, (id,)).fetchone()
        return _job(row) if row else None

    def recent(self, tenant: str, organization: str, limit: int) -> list[Job]:
        self.bury()
        with self._opened() as file:
            return [_job(row) for row in file.execute(_RECENT, (tenant, organization, limit))]

    def take(self) -> Job | None:
        """The next job that may begin, now this worker's."""
        with self._opened() as file:
            if file.execute(_NEXT).fetchone() is None:
                return None
        with self._writing() as file:
            row = file.execute(_NEXT).fetchone()
            if row is None:
                return None
            file.execute(_BEAT, (self.owner, self._clock()))
            file.execute(_TAKE, (self.owner, self._clock(), row[0]))
        return _job(row)

    def progress(self, job: Job, done: int, total: int) -> None:
        """How many files of a job's source have been read."""
        with self._writing() as file:
            file.execute(_PROGRESS, (done, total, job.id, self.owner))

    def finish(self, job: Job, state: State, *, result: Json | None = None, error: Json | None = None) -> None:
        told = [None if item is None else json.dumps(item) for item in (result, error)]
        with self._writing() as file:
            file.execute(_FINISH, (state, self._clock(), *told, job.id, self.owner))

    def beat(self) -> None:
        """Say that this worker lives."""
        with self._writing() as file:
            file.execute(_BEAT, (self.owner, self._clock()))

    def bury(self) -> None:
        """Record the jobs of dead workers as interrupted."""
        now = self._clock()
        with self._opened() as file:
            if not file.execute("SELECT 1 FROM jobs WHERE state = 'running' LIMIT 1").fetchone():
                return
        with self._writing() as file:
            file.execute(_BURY, (now, json.dumps(_INTERRUPTED_ERROR), now - DEAD_AFTER_SECONDS))

    def leave(self) -> None:
        """This worker stops: what it has not finished is interrupted."""
        with self._writing() as file:
            file.execute(_INTERRUPT, (self._clock(), json.dumps(_INTERRUPTED_ERROR), self.owner))
            file.execute("DELETE FROM workers WHERE owner = ?", (self.owner,))

    # --- replies ----------------------------------------------------------------------------------------------

    def claim(self, key: ReplyKey, request: str) -> Reply | None:
        """None: the request is new, and this worker's to carry out. Otherwise what became of it.

        A claim of a worker that has died without an answer is taken over: nobody knows how far it came.
        """
        with self._writing() as file:
            file.execute(_BEAT, (self.owner, self._clock()))
            new = file.execute(_CLAIM, (*_key(key), request, self.owner, self._clock())).rowcount
            if new:
                return None
            given, owner, status, body = file.execute(_REPLY, _key(key)).fetchone()
            alive = file.execute(
                "SELECT 1 FROM workers WHERE owner = ? AND seen >= ?", (owner, self._clock() - DEAD_AFTER_SECONDS)
            ).fetchone()
            if status is None and given == request and not alive:
                file.execute(_RECLAIM, (self.owner, *_key(key)))
                return None
            return Reply(given, status, None if body is None else json.loads(body))

    def answer(self, key: ReplyKey, status: int, body: Json) -> None:
        """Keep what was answered."""
        with self._writing() as file:
            file.execute(_ANSWER, (status, json.dumps(body), *_key(key)))

    def release(self, key: ReplyKey) -> None:
        """The request failed: it may be sent again under the same key."""
        with self._writing() as file:
            file.execute(_RELEASE, _key(key))

    # --- the file ---------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on the disk before this returns."""
        with self._lock, self._opened() as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                yield file
                file.execute("COMMIT")
            except BaseException:
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as file:
                for setting in _SETTINGS:
                    file.execute(setting).fetchone()
                yield file
        except sqlite3.OperationalError as error:
            raise Unavailable(f"{self.path.name} cannot be used now, so jobs cannot be kept: {error}") from error
        except sqlite3.DatabaseError as error:
            raise Damaged(
                f"{self.path.name} is damaged; remove it: what is lost is which jobs ran, not what they wrote"
            ) from error


_INTERRUPTED_ERROR: Json = {"code": "unavailable", "message": INTERRUPTED, "field": None, "suggestions": []}


def new_id() -> str:
    return uuid4().hex


def to_wire(job: Job) -> Json:
    """A job as its caller sees it."""
    return {
        "job_id": job.id,
        "operation": job.operation,
        "repository_id": job.repository or None,
        "state": job.state,
        "created": _iso(job.created),
        "started": _iso(job.started),
        "finished": _iso(job.finished),
        "done": job.done,
        "total": job.total,
        "result": job.result,
        "error": job.error,
    }


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _key(reply: ReplyKey) -> tuple[str, str, str]:
    return (reply.caller, reply.operation, reply.key)


def _caller_to_json(caller: Caller) -> Json:
    told = asdict(caller)
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in told.items()}


def _caller(text: str) -> Caller:
    told: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, list) else value for name, value in json.loads(text).items()
    }
    return Caller(**told)


def _job(row: tuple[Any, ...]) -> Job:
    id, operation, tenant, organization, repository, caller, arguments, state, created, started, finished, *told = row
    result, error = (None if item is None else json.loads(item) for item in told[:2])
    return Job(
        id, operation, tenant, organization, repository, _caller(caller), json.loads(arguments), state, created,
        started, finished, result, error, *told[2:],
    )  # fmt: skip
