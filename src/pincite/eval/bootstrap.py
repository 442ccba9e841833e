"""Bootstrap over queries: how much a mean, or a difference of means, would vary with other queries of the same kind.

Percentile intervals of 95 % (Efron & Tibshirani, 1993); the p-value of a difference is two-sided: twice the share of
resamples on the other side of 0. The seed is fixed: the same values give the same interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

RESAMPLES = 5_000
CONFIDENCE = 0.95
_SEED = 20_260
_AT_ONCE = 4_000_000
"""Draws held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Difference:
    """After minus before, paired by query."""

    before: float
    after: float
    low: float
    high: float
    p: float

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def intervals(values: Floats) -> list[tuple[float, float]]:
    """Bounds of the mean of each column; a row is a query."""
    means = _means(values)
    return [_bounds(means[:, column]) for column in range(values.shape[1])]


def paired(before: Sequence[float], after: Sequence[float]) -> Difference:
    """The effect of a change on the same queries."""
    if len(before) != len(after) or not before:
        raise ValueError("paired values of the same queries are needed")
    first, second = np.asarray(before, np.float64), np.asarray(after, np.float64)
    means = _means((second - first)[:, None])[:, 0]
    low, high = _bounds(means)
    tail = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    p = min(1.0, 2 * (float(tail) + 1) / (len(means) + 1))
    return Difference(float(first.mean()), float(second.mean()), low, high, p)


def _means(values: Floats) -> Floats:
    """Column means of resamples of the rows, with replacement: how often each row was drawn, times the rows."""
    random = np.random.default_rng(_SEED)
    rows = len(values)
    at_once = max(1, _AT_ONCE // rows)
    parts = []
    for start in range(0, RESAMPLES, at_once):
        drawn = random.multinomial(rows, np.full(rows, 1 / rows), size=min(at_once, RESAMPLES - start))
        parts.append(drawn.astype(np.float64) @ values / rows)
    return np.concatenate(parts)


def _bounds(means: Floats) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return float(low), float(high)
