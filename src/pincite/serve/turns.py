"""Turns: questions are processed one after the other, not all at once.

Python threads share one interpreter, and a search keeps two of them busy. Parallel searches only slow each other down
(50 clients, two cores: 28 answers a second one at a time, 18 two at a time), and each thread keeps its own connections
and caches.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from pincite.errors import DeadlineExceeded, Unavailable
from pincite.serve.waiting import Gone, current

WAITING = 200
"""How many requests a door waits for, each on a thread; further ones wait in front of the door."""

T = TypeVar("T")


class Turns:
    """Threads for one kind of work, shared by all doors of a process."""

    def __init__(self, at_once: int) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="pincite-turn")
        self._taken: set[Future[Any]] = set()
        self._lock = Lock()

    def take(self, work: Callable[[float | None], T], seconds: float | None) -> T:
        """Run the work when its turn comes, passing the seconds left. `DeadlineExceeded` if there are none.

        `Gone` if the caller has left (`waiting.py`). Work that has not started by then never starts. Work that has
        started runs to its end and keeps its turn until then.
        """
        until = None if seconds is None else monotonic() + seconds
        waiting = current()
        begun = self._begin(lambda: work(None if until is None else until - monotonic()))
        try:
            awaited: list[Future[Any]] = [begun] if waiting is None else [begun, waiting.left]
            wait(awaited, seconds, FIRST_COMPLETED)
        finally:
            with self._lock:
                self._taken.discard(begun)
        if not begun.done():
            never_begun = begun.cancel()
            if waiting is not None and waiting.left.done():
                raise Gone
            why = "others were served first; try again" if never_begun else "ask for less"
            raise DeadlineExceeded(f"this took longer than {seconds:g} s: {why}")
        if begun.cancelled():
            raise _stopping()
        return begun.result()

    def _begin(self, work: Callable[[], T]) -> Future[T]:
        with self._lock:
            try:
                begun = self._threads.submit(copy_context().run, work)
            except RuntimeError as error:
                raise _stopping() from error
            self._taken.add(begun)
        return begun

    def close(self) -> None:
        """Start nothing more; waiting callers are refused at once (`Unavailable`)."""
        with self._lock:
            self._threads.shutdown(wait=False, cancel_futures=True)
            waiting = [item for item in self._taken if item.cancelled()]
            self._taken.difference_update(waiting)
        for item in waiting:
            item.set_running_or_notify_cancel()  # cancelling alone does not wake the waiting callers


def _stopping() -> Unavailable:
    return Unavailable("the server is stopping; try again in a moment")
