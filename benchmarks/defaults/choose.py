"""Choose: the weights of a class by the corpora that were not held out, judged on the one that was.

A corpus is held out whole, because a user's library is a corpus that no choice has seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.ablation.measured import SIGNIFICANT
from benchmarks.defaults.stratified import stratified
from benchmarks.defaults.tried import Tried
from pincite.eval.bootstrap import Difference
from pincite.search.weights import Weights

MIN_QUERIES = 10
"""Of a class in a corpus: since each corpus counts once, fewer would weigh as much as a thousand elsewhere."""
MIN_CORPORA = 3
"""Of a class: with two, the choice would be made on one alone."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One corpus, and what the others chose for it."""

    corpus: str
    queries: int
    chosen: Weights
    before: float
    after: float
    """nDCG@10 of its questions with the weights chosen without them."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was found for one class of query."""

    query_class: str
    current: Weights
    best: Weights
    """Over all corpora; `current` where there are too few."""
    corpora: int
    queries: int
    related: int
    """Questions for which related words found something."""
    held_out: tuple[HeldOut, ...]
    too_small: Mapping[str, int]
    """Corpora with too few questions of the class, and how many they have."""
    difference: Difference | None
    """Over the held-out corpora; None where there are too few."""

    @property
    def taken(self) -> bool:
        """Only what is surely better on corpora that the choice did not see, and is a change at all."""
        found = self.difference
        return found is not None and found.low > 0 and found.p < SIGNIFICANT and self.best != self.current

    @property
    def weights(self) -> Weights:
        """What should be shipped."""
        return self.best if self.taken else self.current


def choose(query_class: str, current: Weights, tried: Sequence[Tried]) -> Choice:
    """The weights of one class, from what was tried on each corpus."""
    own = [item for item in tried if item.query_class == query_class]
    large = [item for item in own if item.queries >= MIN_QUERIES]
    too_small = {item.corpus: item.queries for item in own if item.queries < MIN_QUERIES}
    counts = (len(large), sum(item.queries for item in large), sum(item.related for item in large))
    if len(large) < MIN_CORPORA:
        return Choice(query_class, current, current, *counts, (), too_small, None)
    held_out, before, after = [], {}, {}
    for item in large:
        chosen = best_of([other for other in large if other is not item])
        before[item.corpus], after[item.corpus] = item.values[current], item.values[chosen]
        held_out.append(HeldOut(item.corpus, item.queries, chosen, item.mean(current), item.mean(chosen)))
    difference = stratified(before, after)
    return Choice(query_class, current, best_of(large), *counts, tuple(held_out), too_small, difference)


def best_of(corpora: Sequence[Tried]) -> Weights:
    """The weights with the highest mean of the corpora's means; of equals the nearest to the current ones."""
    means = {weights: round(sum(item.mean(weights) for item in corpora), 12) for weights in corpora[0].values}
    return max(means, key=lambda weights: means[weights])  # of equals the first, and the grid begins with the nearest
