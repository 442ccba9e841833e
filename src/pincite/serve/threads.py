"""Threads for an event loop, for HTTP and MCP: blocking work, within a time limit, while the client still waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import CancelScope, CapacityLimiter, to_thread

from pincite.errors import DeadlineExceeded, PinciteError
from pincite.serve.waiting import Gone, Waiting

if TYPE_CHECKING:  # stdio needs no web framework
    from starlette.types import Receive

T = TypeVar("T")
IDENTIFYING = 8
"""Threads on which a door checks tokens: each check is quick, and none should wait for a search."""
GaveUp = Callable[[PinciteError], None]


async def on_thread(
    work: Callable[[], T],
    seconds: float | None,
    *,
    late: str,
    gave_up: GaveUp | None = None,
    receive: Receive | None = None,
    limiter: CapacityLimiter | None = None,
) -> T:
    """The result of the work; `DeadlineExceeded(late)` when time is up, `Gone` when the client has left.

    A thread cannot be stopped: its writes take effect. `gave_up` is called with the error if no thread had started the
    work. `receive`: the ASGI channel of the HTTP request, which also reports that its client has left.
    """
    waiting, error = Waiting(), None
    try:
        with anyio.move_on_after(seconds) as scope, _watched(receive, scope) as has_left:
            return await to_thread.run_sync(waiting.take_up, work, abandon_on_cancel=True, limiter=limiter)
        error = Gone() if has_left() else DeadlineExceeded(late)
        raise error
    finally:  # also when the request was cancelled from outside
        if waiting.leave() and gave_up is not None:
            gave_up(error or Gone())


@contextmanager
def _watched(receive: Receive | None, scope: CancelScope) -> Iterator[Callable[[], bool]]:
    """Cancel the scope when the client leaves; the result says whether it has."""
    left = False

    async def watch(receive: Receive) -> None:
        nonlocal left
        while (await receive())["type"] != "http.disconnect":
            pass  # the rest of an unread body
        left = True
        scope.cancel()

    watching = None if receive is None else asyncio.create_task(watch(receive))
    try:
        yield lambda: left
    finally:
        if watching is not None:
            watching.cancel()
