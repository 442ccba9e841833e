"""Ranks: reciprocal rank fusion with the weights that somebody states, and nothing else.

`fusion: rrf` weighs words and meaning by class of query and by how far the model is believed. Stated weights for
meaning, words and names are used as they are: score(d) = Σ weight / (k + rank), scaled so that first in every leg that
found something is 1. What carries an identifier of the query stays above the rest, as everywhere; a weight of 0 for
names leaves that out.
"""

from __future__ import annotations

from pincite.search.candidates import Candidates, Floats, Weighed, in_order
from pincite.search.fuse import Pool
from pincite.search.rerank import by_rank, summed
from pincite.search.rrf import Ranks


def by_ranks(pooled: Pool, ranks: Ranks, calibrated: Floats | None = None) -> Candidates:
    """Candidates with their scores and what each leg added, best first; `calibrated`: what `min_score` looks at."""
    weights = ranks.weights
    answered = sorted(leg for leg in weights if leg in pooled.columns)
    scale = (ranks.k + 1) / sum(weights[leg] for leg in answered) if answered else 0.0
    signals = {leg: by_rank(pooled.columns[leg], scale * weights[leg], ranks.k) for leg in answered}
    return in_order(
        Weighed(pooled, summed(signals, len(pooled)), signals, only=frozenset(answered), calibrated=calibrated)
    )
