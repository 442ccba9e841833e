"""Rate limits: a token bucket per caller. A bucket holds `burst` requests and is filled evenly."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from pincite.errors import RateLimited
from pincite.settings.serve import RateLimit

MAX_BUCKETS = 10_000
"""How many callers are remembered. The least recent caller is forgotten first, and so gets a full bucket."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The remaining rate, for the `RateLimit` headers of an answer."""

    limit: int
    remaining: int
    reset_seconds: float
    """Seconds until the bucket is full again."""


class Limiter:
    """Counts requests by caller; shared by all doors and threads of a process."""

    def __init__(self, settings: RateLimit, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = settings.burst
        self._per_second = settings.requests_per_minute / 60
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Requests left, and the time of that count; least recent caller first."""

    def take(self, key: str) -> Allowance | None:
        """Count one request; `RateLimited` says when to retry. None if there is no limit."""
        if not self._per_second:
            return None
        with self._lock:
            now = self._clock()
            left = self._left(key, now)
            taken = left >= 1
            self._buckets[key] = (left - 1 if taken else left, now)
            self._buckets.move_to_end(key)
            while len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        if not taken:
            raise RateLimited((1 - left) / self._per_second)
        return self._allowance(left - 1)

    def peek(self, key: str) -> Allowance | None:
        """The remaining rate, without counting a request."""
        if not self._per_second:
            return None
        with self._lock:
            return self._allowance(self._left(key, self._clock()))

    def _left(self, key: str, now: float) -> float:
        left, since = self._buckets.get(key, (float(self._burst), now))
        return min(self._burst, left + (now - since) * self._per_second)

    def _allowance(self, left: float) -> Allowance:
        return Allowance(self._burst, int(left), (self._burst - left) / self._per_second)
