"""Turns: questions are worked on one after the other, not all at once.

Threads of Python share one interpreter, and a search keeps two of them busy. Several searches at once only hold each
other up (50 clients, two cores: 28 answers a second one by one, 18 two by two), and each thread keeps connections and
caches of its own.
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
"""Requests that a door waits for at once, on a thread each; more wait before the door."""

T = TypeVar("T")


class Turns:
    """Threads that do one kind of work for all doors of a process."""

    def __init__(self, at_once: int) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="pincite-turn")
        self._taken: set[Future[Any]] = set()
        self._lock = Lock()

    def take(self, work: Callable[[float | None], T], seconds: float | None) -> T:
        """Do it when its turn has come; it is told how many seconds are left. `DeadlineExceeded` when none are.

        `Gone` when whoever asked has left (`waiting.py`). What has not begun by then is never begun. What has runs to
        its end, and keeps its turn until then.
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
            why = "others were served first; try again" if never_begun else "ask for less at once"
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
        """Begin nothing any more; whoever waits is refused at once (`Unavailable`)."""
        with self._lock:
            self._threads.shutdown(wait=False, cancel_futures=True)
            waiting = [item for item in self._taken if item.cancelled()]
            self._taken.difference_update(waiting)
        for item in waiting:
            item.set_running_or_notify_cancel()  # cancelling alone does not wake those who wait


def _stopping() -> Unavailable:
    return Unavailable("the server is stopping; ask again in a moment")
