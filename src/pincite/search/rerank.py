"""Rerank: the order inside the pool, from bounded signals that mean the same for every query.

Exact identifiers form the top tier. Below it a hit's score is the weighted mean of what the legs say: how much of the
query's words it holds (BM25 divided by the most the query could score), and how near it is in meaning (cosine through
constants of the model), the latter as far as the dense leg can be trusted on this corpus and query. Where the query's
own words are not found, words that mean nearly the same count too. What carries an identifier that a longer text
mentions in passing moves up a little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pincite.queries import Ranking
from pincite.search.candidates import Candidates, Weighed, in_order
from pincite.search.fuse import MENTIONED, Column, Pool
from pincite.search.rrf import K
from pincite.search.understand import Plan
from pincite.search.weights import Fusion, RankingOptions, Weights, share_found


def rerank(pooled: Pool, rankings: Sequence[Ranking], plan: Plan, options: RankingOptions) -> Candidates:
    """Candidates with their scores and what made them, best first."""
    # What only a leg that is not believed found has no score: it is not an answer.
    shares = leg_shares(rankings, plan, options)
    return in_order(weigh(pooled, shares, options.fusion, lift(rankings, shares, options)))


def weigh(pooled: Pool, shares: Mapping[str, float], fusion: Fusion, lifted: float = 0.0) -> Weighed:
    """What the groups score where each leg counts so much; `lifted`: how far a mention moves a group up."""
    return _by_rank(pooled, shares) if fusion == "rrf" else _by_signals(pooled, shares, lifted)


def lift(rankings: Sequence[Ranking], shares: Mapping[str, float], options: RankingOptions) -> float:
    """How far what carries a mentioned identifier moves up: a part of what the first in every leg would score.

    Long texts score little anywhere, so that a fixed amount would put a mention above all that they say.
    """
    best = {ranking.leg: ranking.found[0].score for ranking in rankings if ranking.found}
    return options.mentioned * sum(share * best.get(leg, 0.0) for leg, share in shares.items())


def leg_shares(rankings: Sequence[Ranking], plan: Plan, options: RankingOptions) -> dict[str, float]:
    """How much each leg that answered counts for this query; together 1."""
    given: Weights = options.weights_for(plan.query_class, plan.kind)
    by_leg = {ranking.leg: ranking for ranking in rankings if ranking.status in ("ok", "partial")}
    raw = {}
    if "keyword" in by_leg:
        raw["keyword"] = given.keyword
    best = by_leg["keyword"].found[0].score if "keyword" in by_leg and by_leg["keyword"].found else 0.0
    words = share_found(best, plan.length)
    believed = trust(by_leg["dense"], options) if "dense" in by_leg and by_leg["dense"].found else 1.0
    if "dense" in by_leg and by_leg["dense"].found:
        raw["dense"] = given.dense * believed * options.need.of(words, plan.length)
    if "related" in by_leg and by_leg["related"].found:
        raw["related"] = given.related * options.need.of_others(words)
        if options.related_as_trusted:
            raw["related"] *= believed
    total = sum(raw.values())
    return {leg: value / total for leg, value in raw.items()} if total else dict.fromkeys(raw, 1.0)


def trust(dense: Ranking, options: RankingOptions) -> float:
    """How far the dense leg is believed for this query, without any labels."""
    if dense.background is None or dense.calibration is None:
        return 1.0
    return options.trust.of(dense.found[0].raw, dense.background, dense.calibration)


def _by_signals(pooled: Pool, shares: Mapping[str, float], lifted: float) -> Weighed:
    signals = {leg: share * pooled.scores_by(leg) for leg, share in shares.items() if leg in pooled.columns}
    scores = summed(signals, len(pooled))
    if lifted and MENTIONED in pooled.columns:
        signals[MENTIONED] = lifted * (1 - scores) * pooled.columns[MENTIONED].scores
        scores = scores + signals[MENTIONED]
    if "exact" in pooled.columns:
        exact = pooled.columns["exact"]
        signals["exact"] = exact.scores
        scores = np.where(exact.ranks > 0, exact.scores, scores)
    return Weighed(pooled, scores, signals, exact_first=True)


def _by_rank(pooled: Pool, shares: Mapping[str, float]) -> Weighed:
    """Reciprocal ranks, weighted, scaled so that first in every leg is 1; identifiers are a leg like the others."""
    weights = {leg: weight for leg, weight in {**shares, "exact": 1.0}.items() if leg in pooled.columns}
    signals = {leg: by_rank(pooled.columns[leg], weight * (K + 1), K) for leg, weight in weights.items()}
    return Weighed(pooled, np.minimum(1.0, summed(signals, len(pooled))), signals)


def by_rank(column: Column, weight: float, k: int) -> NDArray[np.float64]:
    """weight / (k + rank) where the leg found something, else 0."""
    return np.where(column.ranks > 0, weight / (k + column.ranks), 0.0)


def summed(signals: Mapping[str, NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """In the order of the legs, one after the other, so that the sum is the same wherever it is taken."""
    total = np.zeros(count)
    for values in signals.values():
        total = total + values
    return total
