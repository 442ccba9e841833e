"""Waiting: a request between its arrival and its turn. It is either started or abandoned, never both.

A door waits for a thread, and the thread waits for its turn (`turns.py`). Meanwhile time may run out or the client may
leave. A door that stops waiting calls `leave`; work not started by then never starts, and the thread is free at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from threading import Lock
from typing import TypeVar

from pincite.errors import PinciteError

T = TypeVar("T")


class Gone(PinciteError):
    """The caller stopped waiting. Only the audit log sees this: there is no one left to answer."""

    code = "cancelled"
    http_status = 499
    """The code that proxies write in their logs; HTTP defines none."""

    def __init__(self) -> None:
        super().__init__("the caller stopped waiting")


class Waiting:
    """A waiting request."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken_up = False
        self.left: Future[None] = Future()
        """Completes when nobody waits any more, so code can wait for that."""

    def take_up(self, work: Callable[[], T]) -> T:
        """Run the work on this thread; `Gone` if nobody waits any more."""
        with self._lock:
            if self.left.done():
                raise Gone
            self._taken_up = True
        before = _current.set(self)
        try:
            return work()
        finally:
            _current.reset(before)

    def leave(self) -> bool:
        """Stop waiting. True if no thread had started the work; then it is never started."""
        with self._lock:
            if not self.left.done():
                self.left.set_result(None)
            return not self._taken_up


_current: ContextVar[Waiting | None] = ContextVar("pincite_waiting", default=None)


def current() -> Waiting | None:
    """The request being processed here; None for the command line, jobs, and direct calls of the library."""
    return _current.get()
