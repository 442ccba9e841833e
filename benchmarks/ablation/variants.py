"""The ways of ranking that are compared: the search's own fusion with one part changed at a time, and its rivals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

from benchmarks.ablation.asked import Asked, names
from benchmarks.ablation.minmax import min_max
from pincite.meaning import Calibration
from pincite.queries import Background, Found, Ranking
from pincite.search.rerank import rerank
from pincite.search.rrf import rrf
from pincite.search.weights import Need, RankingOptions, Trust, Weights

DEFAULT = "default"
LEGS = ("keyword", "dense")
"""The variants that are one leg alone."""


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    about: str
    rank: Callable[[Asked, RankingOptions], Sequence[str]]
    """Documents, best first, for a question and the options that users have by default."""


class FullTrust(Trust):
    """Believes the dense leg on any corpus."""

    def of(self, best: float, around: Background, calibration: Calibration) -> float:  # noqa: ARG002
        return 1.0


class PlainNeed(Need):
    """Counts meaning as its weight says, whatever the words found."""

    def of(self, best: float, words: int) -> float:  # noqa: ARG002
        return 1.0


def _leg(name: str) -> Callable[[Asked, RankingOptions], Sequence[str]]:
    return lambda asked, _: [found.element_id for found in asked.leg(name).found]


def _default(asked: Asked, options: RankingOptions) -> Sequence[str]:
    return names(rerank(asked.entries, asked.rankings, asked.plan, options))


def _by_words(asked: Asked, options: RankingOptions) -> Sequence[str]:
    rankings = (asked.leg("keyword"), asked.leg("exact"))
    return names(rerank(asked.pool_of(rankings), rankings, asked.plan, options))


def _plain_rrf(asked: Asked, _: RankingOptions) -> Sequence[str]:
    ranked = {
        ranking.leg: list(dict.fromkeys(found.element_id for found in ranking.found)) for ranking in asked.rankings
    }
    return [name for name, _ in rrf(ranked)]


def _min_max(keyword: float, dense: float) -> Callable[[Asked, RankingOptions], Sequence[str]]:
    return lambda asked, _: names(min_max(asked.entries, {"keyword": keyword, "dense": dense}))


def _uncalibrated(asked: Asked, options: RankingOptions) -> Sequence[str]:
    rankings = tuple(_as_cosines(ranking) if ranking.leg == "dense" else ranking for ranking in asked.rankings)
    return names(rerank(asked.pool_of(rankings), rankings, asked.plan, options))


def _as_cosines(dense: Ranking) -> Ranking:
    """The ranking with cosines for scores; those below 0 say as little as 0."""

    def plain(found: Found) -> Found:
        return found._replace(score=min(1.0, max(0.0, found.raw)))

    return replace(dense, found=tuple(map(plain, dense.found)))


def _equal(options: RankingOptions) -> RankingOptions:
    """Every leg that has a weight, however many there are, has the same."""
    same = Weights(**{leg.name: 0.5 for leg in fields(Weights)})
    weights = dict.fromkeys(options.weights, same)
    return replace(options, weights=weights, trust=FullTrust(), need=PlainNeed())


def _with(change: Callable[[RankingOptions], RankingOptions]) -> Callable[[Asked, RankingOptions], Sequence[str]]:
    return lambda asked, options: _default(asked, change(options))


VARIANTS = (
    Variant("keyword", "the keyword leg alone", _leg("keyword")),
    Variant("dense", "the dense leg alone", _leg("dense")),
    Variant("exact + keyword", "the search without meaning", _by_words),
    Variant("plain RRF", "reciprocal ranks of all legs, unweighted", _plain_rrf),
    Variant(
        "fusion: rrf",
        "the setting: ranks, weighted by class, trust and need",
        _with(lambda o: replace(o, fusion="rrf")),
    ),
    Variant("min-max 0.5 : 0.5", "scores stretched within the pool", _min_max(0.5, 0.5)),
    Variant("min-max 0.7 : 0.3", "the same, words first", _min_max(0.7, 0.3)),
    Variant("equal weights", "signals, all legs alike for every query: no class, trust or need", _with(_equal)),
    Variant("no trust", "the dense leg believed on any corpus", _with(lambda o: replace(o, trust=FullTrust()))),
    Variant("no need", "meaning counts alike, whatever words found", _with(lambda o: replace(o, need=PlainNeed()))),
    Variant("no calibration", "cosines themselves as scores", _uncalibrated),
    Variant(DEFAULT, "what users have", _default),
)
