"""What a server keeps besides the elements, in a place that all nodes of a library share.

All of it is the operator's: a key says itself which tenant it is for, and what a caller may see of a job is for the
server to decide. Each call is one transaction, on the disk before it returns. None of it is part of a backup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pincite.server_state import ApiKey, JobState, Reply, ReplyKey, ServerJob


class ApiKeys(Protocol):
    """Every node sees a new or revoked key with its next call."""

    def add(self, key: ApiKey) -> bool:
        """Keep a key; whether its id is new. One that is known stays as it is."""

    def get(self, id: str) -> ApiKey | None: ...

    def list(self) -> tuple[ApiKey, ...]:
        """All keys, also revoked and expired ones, in the order in which they were added."""

    def any(self) -> bool:
        """Whether there was ever a key."""

    def revoke(self, id: str, when: str) -> None:
        """Note since when a key is refused; the first time stays."""


class ServerJobs(Protocol):
    """Durable: a job that was added is run, or recorded as interrupted, however often nodes die."""

    def add(self, job: ServerJob, *, reply: ReplyKey | None = None, body: Mapping[str, Any] | None = None) -> None:
        """Queue a job. With `reply`, `body` is kept as the answer to its request (202) in the same transaction."""

    def get(self, id: str) -> ServerJob | None: ...

    def recent(self, tenant: str, organization: str, limit: int) -> tuple[ServerJob, ...]:
        """Newest first."""

    def take(self, owner: str, now: float) -> ServerJob | None:
        """The next job that may begin, from now on the owner's; counts as a beat.

        In the order in which they were added, one at a time in a repository; '' is all of the organization. No job is
        given to two owners.
        """

    def progress(self, id: str, owner: str, done: int, total: int) -> None: ...

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
        """Record how a job ended; ignored for one that is no longer the owner's."""

    def beat(self, owner: str, now: float) -> None:
        """Say that the owner is alive."""

    def bury(self, silent_since: float, now: float, error: Mapping[str, Any]) -> None:
        """Record running jobs as interrupted whose owners have not beaten since."""

    def leave(self, owner: str, now: float, error: Mapping[str, Any]) -> None:
        """The owner stops: what it has not finished is interrupted."""

    def forget(self, before: float) -> None:
        """Remove what finished, was answered or last beat before."""


class Replies(Protocol):
    """What was answered to requests that may be sent again."""

    def claim(self, key: ReplyKey, request: str, owner: str, now: float, silent_since: float) -> Reply | None:
        """None: the request is new, or its owner has been silent since, and it is this owner's to carry out.

        Otherwise what became of it. Counts as a beat.
        """

    def answer(self, key: ReplyKey, status: int, body: Mapping[str, Any]) -> None:
        """Keep what was answered."""

    def release(self, key: ReplyKey) -> None:
        """Forget a claim without an answer: the request may be sent again."""


class Verdicts(Protocol):
    """What gates have said of rerankers, by what was judged."""

    def get(self, case: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The verdict on exactly this case."""

    def keep(self, case: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
        """Keep a verdict, in place of one on the same case."""


class ServerState(Protocol):
    @property
    def keys(self) -> ApiKeys: ...
    @property
    def jobs(self) -> ServerJobs: ...
    @property
    def replies(self) -> Replies: ...
    @property
    def verdicts(self) -> Verdicts: ...
