"""Ranks: reciprocal rank fusion with the weights that somebody states, and nothing else.

`fusion: rrf` weighs words and meaning by class of query and by how far the model is believed. Whoever states weights
for meaning, words and names asks for those: score(d) = Σ weight / (k + rank), scaled so that first in every leg that
found something is 1. What carries an identifier of the query stays above the rest, as everywhere; a weight of 0 for
names leaves that out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.queries import Found
from pincite.search.fuse import Candidate, Pooled
from pincite.search.rrf import Ranks


def by_ranks(entries: Sequence[Pooled], ranks: Ranks) -> tuple[Candidate, ...]:
    """Candidates with their scores and what each leg added, best first."""
    weights = ranks.weights
    answered = {leg for entry in entries for leg in entry.legs if leg in weights}
    if not answered:
        return ()
    scale = (ranks.k + 1) / sum(weights[leg] for leg in sorted(answered))
    candidates = [_candidate(entry, {leg: scale * weights[leg] for leg in answered}, ranks.k) for entry in entries]
    return tuple(sorted((c for c in candidates if c.score > 0), key=Candidate.order))


def _candidate(entry: Pooled, shares: Mapping[str, float], k: int) -> Candidate:
    legs = {leg: score for leg, score in entry.legs.items() if leg in shares}
    signals = {leg: shares[leg] / (k + legs[leg].rank) for leg in sorted(legs)}
    return Candidate(_passage(entry, signals), sum(signals.values()), legs, signals)


def _passage(entry: Pooled, signals: Mapping[str, float]) -> Found:
    """The passage of the leg that says most; the words' own where they say as much."""
    best = max(entry.found, key=lambda leg: (signals.get(leg, 0.0), leg == "keyword"))
    return entry.found[best]
