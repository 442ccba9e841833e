"""Rerank: the order inside the pool, from bounded signals that mean the same for every query.

Exact identifiers form the top tier. Below it a hit's score is the weighted mean of what the legs say: how much of the
query's words it holds (BM25 divided by the most the query could score), and how near it is in meaning (cosine through
constants of the model), the latter as far as the dense leg can be trusted on this corpus and query. Where the query's
own words are not found, words that mean nearly the same count too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.queries import Found, Ranking
from pincite.search.fuse import Candidate, Pooled
from pincite.search.rrf import K
from pincite.search.understand import Plan
from pincite.search.weights import RankingOptions, Weights, share_found


def rerank(
    entries: Sequence[Pooled], rankings: Sequence[Ranking], plan: Plan, options: RankingOptions
) -> tuple[Candidate, ...]:
    """Candidates with their scores and what made them, best first."""
    shares = leg_shares(rankings, plan, options)
    if options.fusion == "rrf":
        candidates = [_by_rank(entry, shares) for entry in entries]
    else:
        candidates = [_by_signals(entry, shares) for entry in entries]
    # What only a leg that is not believed found has no score: it is no answer.
    return tuple(sorted((c for c in candidates if c.score > 0), key=Candidate.order))


def leg_shares(rankings: Sequence[Ranking], plan: Plan, options: RankingOptions) -> dict[str, float]:
    """How much each leg that answered counts for this query; together 1."""
    given: Weights = options.weights_for(plan.query_class, plan.kind)
    by_leg = {ranking.leg: ranking for ranking in rankings if ranking.status in ("ok", "partial")}
    raw = {}
    if "keyword" in by_leg:
        raw["keyword"] = given.keyword
    best = by_leg["keyword"].found[0].score if "keyword" in by_leg and by_leg["keyword"].found else 0.0
    words = share_found(best, plan.length)
    if "dense" in by_leg and by_leg["dense"].found:
        raw["dense"] = given.dense * trust(by_leg["dense"], options) * options.need.of(words)
    if "related" in by_leg and by_leg["related"].found:
        raw["related"] = given.related * options.need.of_others(words)
    total = sum(raw.values())
    return {leg: value / total for leg, value in raw.items()} if total else dict.fromkeys(raw, 1.0)


def trust(dense: Ranking, options: RankingOptions) -> float:
    """How far the dense leg is believed for this query, without any labels."""
    if dense.background is None or dense.calibration is None:
        return 1.0
    return options.trust.of(dense.found[0].raw, dense.background, dense.calibration)


def _by_signals(entry: Pooled, shares: Mapping[str, float]) -> Candidate:
    signals = {leg: share * entry.legs[leg].score for leg, share in shares.items() if leg in entry.legs}
    if "exact" in entry.legs:
        exact = entry.legs["exact"].score
        return Candidate(entry.found["exact"], exact, entry.legs, {**signals, "exact": exact})
    return Candidate(_passage(entry, signals), sum(signals.values()), entry.legs, signals)


def _by_rank(entry: Pooled, shares: Mapping[str, float]) -> Candidate:
    """Reciprocal ranks, weighted, scaled so that first in every leg is 1; identifiers are a leg like the others."""
    weights = {**shares, "exact": 1.0} if "exact" in entry.legs else dict(shares)
    signals = {leg: weights[leg] * (K + 1) / (K + entry.legs[leg].rank) for leg in weights if leg in entry.legs}
    total = sum(signals.values())
    return Candidate(_passage(entry, signals), min(1.0, total), entry.legs, signals)


def _passage(entry: Pooled, signals: Mapping[str, float]) -> Found:
    """The passage of the leg that says most; the words' own where they say as much."""
    if len(entry.found) == 1:
        return next(iter(entry.found.values()))
    best = max(entry.found, key=lambda leg: (signals.get(leg, 0.0), leg == "keyword"))
    return entry.found[best]
