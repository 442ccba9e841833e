"""Calls: from a request to the desk and back. The token alone identifies the caller; work is done on threads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pincite.errors import PinciteError
from pincite.serve.auth.metadata import challenge
from pincite.serve.callers import Caller
from pincite.serve.desk import Desk
from pincite.serve.http import problems
from pincite.serve.http.proxies import base_url, bearer
from pincite.serve.operations import Operation
from pincite.serve.threads import IDENTIFYING, on_thread
from pincite.serve.turns import WAITING
from pincite.wire import Json

DOOR = "http"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AuditedCall:
    """A request and its caller, for the audit log."""

    operation: str | Operation
    arguments: Mapping[str, object]
    caller: Caller


class Calls:
    """The desk as the routes use it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._limiter: CapacityLimiter | None = None
        self._identifying: CapacityLimiter | None = None

    @property
    def seconds(self) -> float:
        return self.desk.settings.request_seconds

    async def caller(self, request: Request, *, is_read: bool = False) -> Caller:
        """The caller; stored with the request for the headers of its response.

        Uses separate threads, so callers are identified even when all others are busy. `is_read`: the body has been
        read, so a client that leaves can be noticed.
        """
        if self._identifying is None:
            self._identifying = CapacityLimiter(IDENTIFYING)
        work = partial(self.desk.authenticate, bearer(request.scope))
        receive = request.receive if is_read else None
        caller = await on_thread(work, self.seconds, late=self._late, receive=receive, limiter=self._identifying)
        request.state.caller = caller
        return caller

    async def run(self, request: Request, operation: str, arguments: Mapping[str, object]) -> Json:
        """Ask the desk on behalf of the request's sender."""
        caller = await self.caller(request, is_read=True)
        until = time.monotonic() + self.seconds

        def ask() -> Json:
            left = until - time.monotonic()  # waiting for a thread is part of the request's time
            return self.desk.run(operation, arguments, caller, door=DOOR, deadline_seconds=left)

        return await self.on_thread(ask, asked=AuditedCall(operation, arguments, caller), client=request)

    async def on_thread(
        self, work: Callable[..., T], *arguments: Any, asked: AuditedCall | None = None, client: Request | None = None
    ) -> T:
        """Run the work on a thread; `DeadlineExceeded` if it takes longer than a request may.

        `asked` is logged if no thread has started the work by then. `client`: if it leaves, work that waits for its
        turn is not started. Writing requests pass none; there an Idempotency-Key shows what became of the request.
        """
        if self._limiter is None:
            self._limiter = CapacityLimiter(WAITING)
        return await on_thread(
            partial(work, *arguments),
            self.seconds,
            late=self._late,
            gave_up=None if asked is None else partial(self._gave_up, asked),
            receive=None if client is None else client.receive,
            limiter=self._limiter,
        )

    @property
    def _late(self) -> str:
        return f"the request took longer than the limit of {self.seconds:g} s; ask for less"

    def _gave_up(self, asked: AuditedCall, error: PinciteError) -> None:
        self.desk.gave_up(asked.operation, asked.arguments, lambda: asked.caller, error, door=DOOR)

    def answer(
        self, request: Request, body: Json, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        """A JSON response with the caller's remaining rate. Answers are private to the caller and not cached."""
        told = {"Cache-Control": "no-store", **self.rate(request), **(headers or {})}
        return JSONResponse(body, status, told)

    def rate(self, request: Request) -> dict[str, str]:
        """The RateLimit headers; none if there is no limit or the caller is unknown."""
        caller = getattr(request.state, "caller", None)
        left = self.desk.allowance(caller) if isinstance(caller, Caller) else None
        if left is None:
            return {}
        return {
            "RateLimit-Limit": str(left.limit),
            "RateLimit-Remaining": str(left.remaining),
            "RateLimit-Reset": str(math.ceil(left.reset_seconds)),
        }

    async def refuse(self, request: Request, error: PinciteError) -> Response:
        """An error as a problem, with a WWW-Authenticate header if a token is missing."""
        settings = self.desk.settings
        asked = challenge(settings, error, base_url=base_url(request.scope, settings.trusted_proxies))
        response = problems.response(error, request.url.path, asked)
        response.headers.update(self.rate(request))
        return response
