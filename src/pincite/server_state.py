"""What a server keeps between requests, for every node that serves the library: keys, jobs, replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

JobState = Literal["queued", "running", "succeeded", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of an API key: never its secret. Times are ISO text."""

    id: str
    name: str
    tenant: str
    organization: str
    hash: str
    scopes: tuple[str, ...]
    repositories: tuple[str, ...] | None
    roles: tuple[str, ...] | None
    created: str
    expires: str = ""
    revoked: str = ""


@dataclass(frozen=True, slots=True)
class ServerJob:
    """Work that goes on after its request was answered. Times are seconds since 1970."""

    id: str
    operation: str
    tenant: str
    organization: str
    repository: str
    """Empty: all of the organization."""
    caller: Mapping[str, Any]
    """Who asked for it, in JSON."""
    arguments: dict[str, Any]
    state: JobState
    created: float
    started: float | None = None
    finished: float | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
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
    body: dict[str, Any] | None
