"""Times of a series of questions: wall and CPU milliseconds, warm."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.speed.corpus import Asked

LEAST = 20
"""Questions that are asked however long they take; a percentile of fewer says little."""
WARM_SHARE = 0.25
"""Of the time of a series, for asking without measuring first."""

Leg = Callable[[Asked], list[int]]


@dataclass(frozen=True, slots=True)
class Series:
    """As many of the questions as there was time for, their answers in order."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    answers: tuple[list[int], ...]

    def figures(self) -> dict[str, Any]:
        """Milliseconds; `cpu` counts all threads of the process."""
        p50, p95 = np.percentile(self.wall, (50, 95))
        cpu50, cpu95 = np.percentile(self.cpu, (50, 95))
        return {
            "p50": round(float(p50), 3),
            "p95": round(float(p95), 3),
            "cpu_p50": round(float(cpu50), 3),
            "cpu_p95": round(float(cpu95), 3),
            "queries": len(self.wall),
        }


def series(leg: Leg, asked: Sequence[Asked], seconds: float, *, least: int = LEAST) -> Series:
    """Ask for at most so long, once to warm up and once measured; at least `least` questions are measured."""
    _warm(leg, asked, seconds * WARM_SHARE)
    wall, cpu, answers = [], [], []
    end = time.perf_counter() + seconds
    for number, one in enumerate(asked):
        if number >= least and time.perf_counter() > end:
            break
        at, used = time.perf_counter(), time.process_time()
        answers.append(leg(one))
        cpu.append(1000 * (time.process_time() - used))
        wall.append(1000 * (time.perf_counter() - at))
    return Series(tuple(wall), tuple(cpu), tuple(answers))


def _warm(leg: Leg, asked: Sequence[Asked], seconds: float) -> None:
    end = time.perf_counter() + seconds
    for one in asked:
        leg(one)
        if time.perf_counter() > end:
            return
