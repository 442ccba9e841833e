"""A limit on parallel calls: halved when a service says there are too many, then slowly raised again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Slot:
    """Permission for one call."""

    def __init__(self, limit: Limit, cut: int) -> None:
        self._limit = limit
        self.cut = cut
        """How often the limit had been halved when the call began."""

    def too_many(self) -> None:
        self._limit._halve(self.cut)

    def went_well(self) -> None:
        self._limit._count_success()


class Limit:
    """At most `allowed` parallel calls, never more than `most`.

    Calls that began before the limit was halved are ignored: ten refusals of one burst halve it once. It rises by one
    after as many successes as there may be parallel calls.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.allowed = most
        self._under_way = 0
        self._cuts = 0
        self._successes = 0
        self._free = threading.Condition()

    @contextmanager
    def slot(self) -> Iterator[Slot]:
        """Wait for a free slot and hold it."""
        with self._free:
            self._free.wait_for(lambda: self._under_way < self.allowed)
            self._under_way += 1
            slot = Slot(self, self._cuts)
        try:
            yield slot
        finally:
            with self._free:
                self._under_way -= 1
                self._free.notify_all()

    def _halve(self, cut: int) -> None:
        with self._free:
            if cut == self._cuts:
                self._cuts += 1
                self._successes = 0
                self.allowed = max(1, self.allowed // 2)

    def _count_success(self) -> None:
        with self._free:
            self._successes += 1
            if self._successes >= self.allowed and self.allowed < self.most:
                self.allowed += 1
                self._successes = 0
                self._free.notify_all()
