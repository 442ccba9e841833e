"""The bound that memory sets: the time to read the bytes that a full scan must read, once, by a numpy sum.

Small arrays lie in the processor's cache; their bound is that of the cache, as it is for the scan.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

ROUNDS = 15


@dataclass(frozen=True, slots=True)
class Bound:
    megabytes: float
    milliseconds: float


def bound(size: int) -> Bound:
    """The fastest of several readings."""
    numbers = np.ones(max(1, size // 8), np.uint64)
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        numbers.sum()
        best = min(best, time.perf_counter() - started)
    return Bound(size / 1e6, 1000 * best)
