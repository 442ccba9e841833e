"""The paired bootstrap over several corpora, each of which counts once however many questions it has.

Questions are resampled within their corpus, as for the averages of the ablation: the corpora are those that there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pincite.eval.bootstrap import CONFIDENCE, RESAMPLES, Difference, Floats

_SEED = 20_260
_AT_ONCE = 4_000_000
"""Draws held in memory at a time."""

Values = Mapping[str, Sequence[float]]
"""Corpus → value of each question."""


def stratified(before: Values, after: Values) -> Difference:
    """How a change moved the mean of the corpora's means."""
    if not before or {name: len(own) for name, own in before.items()} != {n: len(own) for n, own in after.items()}:
        raise ValueError("paired values of the same questions are needed")
    moved = {name: np.asarray(after[name], np.float64) - np.asarray(before[name], np.float64) for name in before}
    means = sum(_resampled(name, own) for name, own in moved.items()) / len(moved)
    low, high = np.quantile(means, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    tail = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    p = min(1.0, 2 * (float(tail) + 1) / (RESAMPLES + 1))
    return Difference(_mean(before), _mean(after), float(low), float(high), p)


def _mean(values: Values) -> float:
    return float(np.mean([np.mean(own) for own in values.values()]))


def _resampled(name: str, moved: Floats) -> Floats:
    """Mean differences in resamples of one corpus."""
    # With one seed for all, corpora of one size would be drawn alike, and their errors would not even out.
    random = np.random.default_rng([_SEED, *name.encode("utf-8")])
    count = len(moved)
    at_once = max(1, _AT_ONCE // count)
    parts = []
    for start in range(0, RESAMPLES, at_once):
        drawn = random.multinomial(count, np.full(count, 1 / count), size=min(at_once, RESAMPLES - start))
        parts.append(drawn @ moved / count)
    return np.concatenate(parts)
