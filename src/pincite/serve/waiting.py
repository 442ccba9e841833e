"""Waiting: a request between its arrival and its turn. It is taken up or given up, never both.

A door waits for a thread, and the thread waits for its turn (`turns.py`). Meanwhile time may run out, or the client may
go away. Whoever stops waiting says so (`leave`); what was not begun by then never is, and the thread is free at once.
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
    """Whoever asked waits no longer. The audit log reads it, and nobody else: there is no one left to tell."""

    code = "cancelled"
    http_status = 499
    """As proxies write it in their logs; HTTP has no word of its own for it."""

    def __init__(self) -> None:
        super().__init__("whoever asked waits no longer")


class Waiting:
    """One request that waits."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken_up = False
        self.left: Future[None] = Future()
        """Done when nobody waits any more, so that it can be waited for."""

    def take_up(self, work: Callable[[], T]) -> T:
        """Do it on this thread; `Gone` if nobody waits any more."""
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
        """Wait no longer. True where no thread had taken it up: then nothing was done for it, and nothing will be."""
        with self._lock:
            if not self.left.done():
                self.left.set_result(None)
            return not self._taken_up


_current: ContextVar[Waiting | None] = ContextVar("pincite_waiting", default=None)


def current() -> Waiting | None:
    """The request that is worked on here; None for the command line, jobs, and whoever calls the library itself."""
    return _current.get()
