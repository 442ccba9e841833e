"""Measured: nDCG@10 of every variant on every question of a set, and what the differences are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.ablation.asked import Asked
from benchmarks.ablation.variants import DEFAULT, LEGS, VARIANTS
from pincite.eval.bootstrap import Difference, intervals, paired
from pincite.eval.metrics import as_run, measure
from pincite.eval.results import HEADLINE
from pincite.search.weights import RankingOptions

DEPTH = 10
"""Of a ranking, nDCG@10 sees no more."""
SIGNIFICANT = 0.05

Values = Mapping[str, Sequence[float]]
"""Variant → value of each question."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of a variant on a set."""

    mean: float
    low: float
    high: float
    against: Difference
    """From what the product does to this variant."""


@dataclass(frozen=True, slots=True)
class NeverHurts:
    """Whether mixing cost anything: the final order against the leg that would have been the better one here."""

    leg: str
    difference: Difference
    """From the leg to the final order."""

    @property
    def hurts(self) -> bool:
        """Significantly worse. Strict: the leg was chosen after the fact, which favours it."""
        return self.difference.p < SIGNIFICANT and self.difference.high < 0


@dataclass(frozen=True)
class Measured:
    """One set under several variants."""

    name: str
    values: Values
    default: str = DEFAULT
    """The variant that the product is."""

    @property
    def queries(self) -> int:
        return len(self.values[self.default])

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """Means with their intervals, each compared with the default question by question."""
        bounds = intervals(np.array(list(self.values.values())).T)
        before = self.values[self.default]
        return {
            name: Figure(float(np.mean(own)), *bound, paired(before, own))
            for (name, own), bound in zip(self.values.items(), bounds, strict=True)
        }

    @cached_property
    def never_hurts(self) -> NeverHurts:
        """The final order against the better of the two legs; words where they are equal."""
        leg = max(LEGS, key=lambda name: (sum(self.values[name]), name == LEGS[0]))
        return NeverHurts(leg, paired(self.values[leg], self.values[self.default]))


def measure_variants(name: str, asked: Sequence[Asked], options: RankingOptions) -> Measured:
    """Every variant of the ranking, from the same rankings of the legs."""
    ranked = {variant.name: [variant.rank(item, options)[:DEPTH] for item in asked] for variant in VARIANTS}
    grades = [item.grades for item in asked]
    return Measured(name, {variant: ndcg(grades, runs) for variant, runs in ranked.items()})


def ndcg(grades: Sequence[Mapping[str, int]], ranked: Sequence[Sequence[str]]) -> list[float]:
    """nDCG@10 of each question."""
    judged = {str(number): item for number, item in enumerate(grades)}
    found = measure(judged, {str(number): as_run(names[:DEPTH]) for number, names in enumerate(ranked)})
    return [found[str(number)][HEADLINE] for number in range(len(grades))]
