"""Questions about jobs: the state of one, and the list of recent ones. Only for callers of the same organization."""

from __future__ import annotations

from pydantic import Field

from pincite.errors import NotFound
from pincite.library import Library
from pincite.serve.callers import Caller
from pincite.serve.http.ledger import Ledger, caller_of, to_wire
from pincite.serve.operations import WRITE, Operation
from pincite.serve.requests import Request
from pincite.server_state import ServerJob
from pincite.wire import Json


class GetJob(Request):
    """The state of a job."""

    job_id: str = Field(min_length=1, max_length=100, description="From the answer to ingest or reindex.")


class ListJobs(Request):
    """The latest jobs, newest first."""

    limit: int = Field(default=20, ge=1, le=100)


def get_job(ledger: Ledger, caller: Caller) -> Operation:
    def run(_library: Library, asked: GetJob) -> Json:
        job = ledger.job(asked.job_id)
        if job is None or not _is_visible(job, caller):
            raise NotFound(f"there is no job {asked.job_id!r}; finished jobs are deleted after a week", field="job_id")
        return to_wire(job)

    return Operation("getJob", WRITE, GetJob, run)


def list_jobs(ledger: Ledger, caller: Caller) -> Operation:
    def run(_library: Library, asked: ListJobs) -> Json:
        found = ledger.recent(caller.tenant, caller.organization, asked.limit)
        return {"jobs": [to_wire(job) for job in found if _is_visible(job, caller)]}

    return Operation("listJobs", WRITE, ListJobs, run)


def _is_visible(job: ServerJob, caller: Caller) -> bool:
    """Jobs of the caller's organization, limited to repositories the caller may see.

    A job names all files it read, whatever their reader roles, so a caller limited to roles sees only its own jobs.
    """
    if (job.tenant, job.organization) != (caller.tenant, caller.organization):
        return False
    if caller_of(job).identity == caller.identity:
        return True
    return caller.roles is None and (caller.repositories is None or job.repository in caller.repositories)
