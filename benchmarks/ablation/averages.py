"""Averages over sets, in which a set of 30 questions weighs as much as one of 2,000.

Intervals by resampling the questions within each set (stratified bootstrap): the sets are those that there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.ablation.measured import Measured
from pincite.eval.bootstrap import CONFIDENCE, RESAMPLES, Floats

_SEED = 20_260


@dataclass(frozen=True, slots=True)
class Average:
    """A variant over all sets."""

    mean: float
    difference: float
    """To the default."""
    low: float
    high: float


def averages(sets: Sequence[Measured]) -> dict[str, Average]:
    """The mean of the sets' means for every variant, and how far it lies from that of the default."""
    variants = list(sets[0].values)
    means = np.array([[np.mean(measured.values[name]) for name in variants] for measured in sets])
    moved = means - means[:, [variants.index(sets[0].default)]]
    drawn = sum(_resampled(measured, variants) for measured in sets) / len(sets)
    tail = (1 - CONFIDENCE) / 2
    bounds = np.quantile(drawn, (tail, 1 - tail), axis=0)
    rows = np.stack([means.mean(axis=0), moved.mean(axis=0), *bounds], axis=1)
    return {name: Average(*row) for name, row in zip(variants, rows.tolist(), strict=True)}


def _resampled(measured: Measured, variants: Sequence[str]) -> Floats:
    """Differences of the means in resamples of one set: resamples × variants."""
    values = np.array([measured.values[name] for name in variants])
    differences = (values - np.array(measured.values[measured.default])).T
    count = measured.queries
    # With one seed for all, sets of one size would be drawn alike, and their errors would not even out.
    random = np.random.default_rng([_SEED, *measured.name.encode("utf-8")])
    drawn = random.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    return np.asarray(drawn @ differences / count, np.float64)
