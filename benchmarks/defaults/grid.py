"""The weights that are tried for a class of query: few enough to read them all."""

from __future__ import annotations

from pincite.search.weights import Weights

DENSE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Shares of meaning; words have the rest."""
RELATED = (0.0, 0.15, 0.3, 0.45, 0.6)
"""Beside the two, which together are 1."""


def grid(current: Weights) -> tuple[Weights, ...]:
    """All of them, what is shipped now among them; the nearest to it first."""
    tried = {current, *(Weights(round(1 - dense, 2), dense, related) for dense in DENSE for related in RELATED)}
    return tuple(sorted(tried, key=lambda weights: _moved(weights, current)))


def _moved(weights: Weights, current: Weights) -> tuple[float, float, float]:
    """How far weights lie from the current ones; of those equally far the ones with less meaning come first."""
    dense, related = weights.dense - current.dense, weights.related - current.related
    return round(abs(dense) + abs(related), 6), weights.dense, weights.related
