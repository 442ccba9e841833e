"""Tried: every question ranked with every weights of the grid, by the search's own code, without asking again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.ablation.asked import Asked, names
from benchmarks.ablation.measured import DEPTH, ndcg
from benchmarks.defaults.grid import grid
from pincite.search.rerank import rerank
from pincite.search.weights import RankingOptions, Weights


@dataclass(frozen=True, slots=True)
class Tried:
    """The questions of one class in one corpus."""

    corpus: str
    query_class: str
    values: Mapping[Weights, Sequence[float]]
    """nDCG@10 of each question. Every part of a corpus is tried with the same weights."""
    related: int
    """Questions for which related words found something: no other can tell what they should weigh."""

    @property
    def queries(self) -> int:
        return len(next(iter(self.values.values())))

    def mean(self, weights: Weights) -> float:
        return sum(self.values[weights]) / self.queries


def try_all(corpus: str, asked: Iterable[Asked], options: RankingOptions) -> list[Tried]:
    """What each weights gives for the questions of each class; the weights of the other classes stay."""
    by_class: dict[str, list[Asked]] = {}
    for item in asked:
        by_class.setdefault(item.plan.query_class, []).append(item)
    return [_try_class(corpus, query_class, own, options) for query_class, own in by_class.items()]


def together(parts: Iterable[Tried]) -> list[Tried]:
    """One for each class in each corpus: pairs of languages are parts of one corpus and do not outvote another."""
    found: dict[tuple[str, str], list[Tried]] = {}
    for part in parts:
        found.setdefault((part.corpus, part.query_class), []).append(part)
    return [_joined(own) for own in found.values()]


def _joined(parts: Sequence[Tried]) -> Tried:
    first = parts[0]
    values = {weights: [value for part in parts for value in part.values[weights]] for weights in first.values}
    return Tried(first.corpus, first.query_class, values, sum(part.related for part in parts))


def _try_class(corpus: str, query_class: str, asked: Sequence[Asked], options: RankingOptions) -> Tried:
    candidates = grid(options.weights[query_class])
    ranked = [_orders(item, query_class, candidates, options) for item in asked]
    grades = [item.grades for item in asked]
    values = {weights: ndcg(grades, [orders[weights] for orders in ranked]) for weights in candidates}
    return Tried(corpus, query_class, values, sum(bool(item.leg("related").found) for item in asked))


def _orders(
    item: Asked, query_class: str, candidates: Sequence[Weights], options: RankingOptions
) -> Mapping[Weights, Sequence[str]]:
    """The best documents under each weights. Where related words found nothing, their weight changes nothing."""
    entries = item.pool_of(item.rankings)
    has_related = bool(item.leg("related").found)
    known: dict[Weights, Sequence[str]] = {}
    out = {}
    for weights in candidates:
        effective = weights if has_related else replace(weights, related=0.0)
        if effective not in known:
            changed = replace(options, weights={**options.weights, query_class: effective})
            known[effective] = names(rerank(entries, item.rankings, item.plan, changed)[:DEPTH])
        out[weights] = known[effective]
    return out
