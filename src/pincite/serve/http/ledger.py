"""The ledger: jobs and idempotent replies, kept beside the catalog and shared by all workers of all nodes.

A worker that dies leaves its jobs as `running`; the next one to look sees that its heartbeat has stopped, and records
them as `interrupted`. Jobs that were not begun stay queued, and the next worker takes them, also after a restart.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pincite.serve.callers import Caller
from pincite.server_state import JobState, Reply, ReplyKey, ServerJob
from pincite.wire import Json

if TYPE_CHECKING:
    from pincite.protocols import ServerState

DEAD_AFTER_SECONDS = 10.0
"""Without a heartbeat, a worker is dead. It beats every second."""
KEPT_SECONDS = 7 * 86_400.0
"""How long finished jobs and replies are remembered."""
STOPPED = (
    "the server stopped before this was finished; what was committed stays committed. Send it again:"
    " what is already there costs nothing"
)
DIED = "it was killed, crashed or ran out of memory"
"""What is known of a worker that only stopped beating."""


class Ledger:
    """One worker's access to the shared state."""

    def __init__(self, state: ServerState, *, owner: str = "", clock: Callable[[], float] = time.time) -> None:
        self.owner = owner or new_id()
        self._jobs, self._replies = state.jobs, state.replies
        self._clock = clock
        self._jobs.forget(self._clock() - KEPT_SECONDS)

    # --- jobs -------------------------------------------------------------------------------------------------

    def add(
        self, operation: str, caller: Caller, repository: str, arguments: Json, *, id: str = "", reply: ReplyKey | None
    ) -> ServerJob:
        """Queue a job. With `reply`, the answer to its request is kept in the same transaction."""
        who, now = _caller_to_json(caller), self._clock()
        scope = (caller.tenant, caller.organization, repository)
        job = ServerJob(id or new_id(), operation, *scope, who, arguments, "queued", now)
        self._jobs.add(job, reply=reply, body=to_wire(job) if reply else None)
        return job

    def job(self, id: str) -> ServerJob | None:
        """A job as it is now; one whose worker has died is `interrupted`."""
        self.bury()
        return self._jobs.get(id)

    def recent(self, tenant: str, organization: str, limit: int) -> tuple[ServerJob, ...]:
        """Newest first."""
        self.bury()
        return self._jobs.recent(tenant, organization, limit)

    def take(self) -> ServerJob | None:
        """The next job that may begin, now this worker's."""
        return self._jobs.take(self.owner, self._clock())

    def progress(self, job: ServerJob, done: int, total: int) -> None:
        """Record how many files of a job's source have been read."""
        self._jobs.progress(job.id, self.owner, done, total)

    def finish(self, job: ServerJob, state: JobState, *, result: Json | None = None, error: Json | None = None) -> None:
        """Record how a job ended."""
        self._jobs.finish(job.id, self.owner, state, self._clock(), result=result, error=error)

    def beat(self) -> None:
        """Say that this worker is alive."""
        self._jobs.beat(self.owner, self._clock())

    def bury(self) -> None:
        """Record the jobs of dead workers as interrupted."""
        now = self._clock()
        self._jobs.bury(now - DEAD_AFTER_SECONDS, now, _interrupted(_died(DIED)))

    def record_death(self, owner: str, cause: str) -> None:
        """Record what a worker was doing when it died, and of what."""
        self._jobs.leave(owner, self._clock(), _interrupted(_died(cause)))

    def leave(self) -> None:
        """This worker stops: what it has not finished is interrupted."""
        self._jobs.leave(self.owner, self._clock(), _interrupted(STOPPED))

    # --- replies ----------------------------------------------------------------------------------------------

    def claim(self, key: ReplyKey, request: str) -> Reply | None:
        """None: the request is new, and this worker's to carry out. Otherwise what became of it.

        A claim of a worker that has died without an answer is taken over: it is not known how far it came.
        """
        now = self._clock()
        return self._replies.claim(key, request, self.owner, now, now - DEAD_AFTER_SECONDS)

    def answer(self, key: ReplyKey, status: int, body: Json) -> None:
        """Keep what was answered."""
        self._replies.answer(key, status, body)

    def release(self, key: ReplyKey) -> None:
        """The request failed: it may be sent again under the same key."""
        self._replies.release(key)


def _interrupted(message: str) -> Json:
    return {"code": "unavailable", "message": message, "field": None, "suggestions": []}


def _died(cause: str) -> str:
    """Not to be tried again at once: the job may be what killed the server, for everybody."""
    return (
        f"the server's process died while this ran: {cause}. What was committed stays committed."
        " Find out why before sending it again; the server's log and the system's say more"
    )


def new_id() -> str:
    return uuid4().hex


def caller_of(job: ServerJob) -> Caller:
    """Who asked for the job; it runs with that caller's rights."""
    told: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, list) else value for name, value in job.caller.items()
    }
    return Caller(**told)


def to_wire(job: ServerJob) -> Json:
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


def _caller_to_json(caller: Caller) -> Json:
    told = asdict(caller)
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in told.items()}
