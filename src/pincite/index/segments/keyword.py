"""The keyword leg: a query of words over the segments that the views may read."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.bm25 import Statistics, boosts_of
from pincite.index.segments.elsewhere import held_elsewhere
from pincite.index.segments.finds import Extras, SegmentFinds
from pincite.index.segments.lists import PostingList, posting_list
from pincite.index.segments.order import Order, Part, order_of, rows_among
from pincite.index.segments.phrases import StreamBudget, literal_weights
from pincite.index.segments.select import demand_mask, filter_mask
from pincite.index.segments.topk import Scorer, Threshold, score_given, score_rows
from pincite.index.terms import Compiled, WeighedGroup, compile_query, required_groups
from pincite.queries import LONG_QUERY, Matched, Node, Phrase, Prefix, Ranking, Word, WordQuery
from pincite.text.expand import Group, Term, Together, VisibleVocabulary
from pincite.types import Scope

Array = NDArray[Any]

EXACT_TOTAL_UP_TO = 200_000
"""Visible postings up to which the total is counted exactly; beyond, pruning leaves a lower bound."""


@dataclass
class _Run:
    """One query over all parts: its lists, made once per segment and group."""

    query: WordQuery
    parts: Sequence[Part]
    languages: tuple[str, ...]
    budget: StreamBudget = field(default_factory=StreamBudget)
    lists: dict[tuple[int, Group], PostingList] = field(default_factory=dict)

    def list_of(self, part: int, group: Group) -> PostingList:
        known = self.lists.get((part, group))
        if known is None:
            known = posting_list(self.parts[part].visible, group, self.query.scoring, self.languages, self.budget)
            self.lists[part, group] = known
        return known

    def boosts(self, part: int) -> tuple[float, ...]:
        """Those of the fields that the part's segment has."""
        return boosts_of(self.query.scoring, self.parts[part].visible.segment.fields)

    def scorer(self, part: int, average: float) -> Scorer:
        segment = self.parts[part].visible.segment
        return Scorer(segment.weighted(self.boosts(part))[1], average, self.query.scoring)

    @property
    def order(self) -> Order:
        return order_of(self.parts, self.query, ever=self.query.ever)

    def frequency(self, group: Group) -> int:
        return sum(self.list_of(part, group).frequency() for part in range(len(self.parts)))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The words of a query, weighed over what is visible: the same however much is asked for, and of what."""

    run: _Run
    compiled: Compiled
    average: float

    def suits(self, parts: Sequence[Part], query: WordQuery) -> bool:
        mine = self.run.query
        same = (mine.words, mine.scoring, mine.max_words, mine.expected) == (
            query.words,
            query.scoring,
            query.max_words,
            query.expected,
        )
        return same and list(self.run.parts) == list(parts)

    def __reduce__(self) -> tuple[object, ...]:
        """It lives with the index that made it: elsewhere it is None."""
        return type(None), ()


def _prepare(parts: Sequence[Part], query: WordQuery) -> _Prepared:
    if isinstance(query.prepared, _Prepared) and query.prepared.suits(parts, query):
        return replace(query.prepared, run=replace(query.prepared.run, query=query))
    lengths: Counter[str] = Counter()
    for part in parts:
        lengths.update(part.visible.lengths)
    statistics = Statistics(sum(part.visible.count for part in parts), lengths)
    languages = tuple(sorted(frozenset().union(*(part.visible.languages for part in parts))))
    run = _Run(query, parts, languages)
    counted = [part.visible.frequency for part in parts]
    frequency = counted[0] if len(counted) == 1 else lambda term: sum([count(term) for count in counted])
    lexicon = VisibleVocabulary(languages, frequency)
    compiled = compile_query(query, lexicon, statistics.rows, run.frequency)
    return _Prepared(run, compiled, statistics.average_length(query.scoring))


def search_words(parts: Sequence[Part], query: WordQuery) -> Ranking:
    """The best groups by BM25, ties by id; filters and demands hold inside the scan, never in the statistics."""
    if not any(part.visible.count for part in parts):
        return Ranking("keyword")
    prepared = _prepare(sorted(parts, key=lambda part: -part.visible.count), query)
    run, compiled, average = prepared.run, prepared.compiled, prepared.average
    if not compiled.groups:
        return Ranking("keyword", notes=("no word to search for",))
    selects = [_selection(run, part, compiled) for part in range(len(parts))]
    matching = _score(run, compiled, selects, average)
    scored = _pool(run, matching) if query.among is None else matching
    raised = [
        _add_literal(run, compiled, number, rows, scores, average) for number, (rows, scores) in enumerate(scored)
    ]
    added = _elsewhere(run, compiled, selects, raised, average)
    found = _collect(run, compiled, raised, added, average)
    total, is_bound = _total(run, compiled, selects, scored)
    partial = run.budget.exceeded
    return Ranking(
        leg="keyword",
        found=found,
        total=total,
        total_is_lower_bound=is_bound or partial,
        status="partial" if partial else "ok",
        reason="a phrase or prefix occurs in too many passages to be verified in full" if partial else "",
        notes=compiled.notes,
        asked=replace(query, prepared=prepared),
    )


def _selection(run: _Run, part: int, compiled: Compiled) -> Array | None:
    """Rows that filters and demands leave, or None when they leave all."""
    segment = run.parts[part].visible.segment
    mask = filter_mask(segment, run.query.filters)
    if not compiled.constrained:
        return mask

    def groups(node: Node) -> Sequence[Group]:
        assert isinstance(node, Word | Phrase | Prefix)
        return required_groups(compiled.leaves[node])

    demanded = demand_mask(segment, run.query.words, lambda group: run.list_of(part, group).all()[0], groups)
    return demanded if mask is None else mask & demanded


_Scored = list[tuple[Array, Array]]


def _score(run: _Run, compiled: Compiled, selects: Sequence[Array | None], average: float) -> _Scored:
    threshold = Threshold(run.query.depth)
    idfs = [item.idf for item in compiled.groups]
    scored: _Scored = []
    for number, part in enumerate(run.parts):
        segment = part.visible.segment
        lists = [run.list_of(number, item.group) for item in compiled.groups]
        scorer = run.scorer(number, average)
        if run.query.among is not None:
            rows, select = rows_among(part, run.query.among), selects[number]
            scored.append(score_given(lists, idfs, scorer, rows if select is None else rows[select[rows]]))
            continue
        groups = segment.row_element if run.query.group == "element" else None
        scored.append(score_rows(lists, idfs, scorer, threshold, selects[number], groups))
    return scored


def _pool(run: _Run, scored: _Scored) -> _Scored:
    """Rows that score no less than the k-th best group of all segments together.

    Pruning leaves more, and how much more depends on how rows are spread over segments; the pool must not.
    """
    query = run.query
    leaders = run.order.leaders(scored)
    if query.ever and query.group == "element":
        best: dict[tuple[Scope, bytes], float] = {}
        for number, (rows, scores) in enumerate(leaders):
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
                element = run.parts[number].element(row)
                best[element] = max(best.get(element, 0.0), score)
        values = np.array(list(best.values()))
    else:
        values = np.concatenate([scores for _, scores in leaders])
    if len(values) < query.depth:
        return scored
    threshold = np.partition(values, len(values) - query.depth)[len(values) - query.depth]
    return [(rows[scores >= threshold], scores[scores >= threshold]) for rows, scores in scored]


def _add_literal(
    run: _Run, compiled: Compiled, number: int, rows: Array, scores: Array, average: float
) -> tuple[Array, Array]:
    """Raise the rows of the pool in which the words stand as typed: a stem alone confuses "droit" with "droits"."""
    for shares in _literal_shares(run, compiled, number, rows, average).values():
        scores = scores + shares
    return rows, scores


def _literal_shares(run: _Run, compiled: Compiled, number: int, rows: Array, average: float) -> dict[Group, Array]:
    """What each word adds to the rows because it stands there as typed."""
    share = run.query.scoring.literal
    items = [item for item in compiled.groups if item.group.literal]
    if not share or not items or not len(rows):
        return {}
    segment = run.parts[number].visible.segment
    scorer = run.scorer(number, average)
    words = [(item.group.literal, item.group.field) for item in items]
    weights = literal_weights(segment, rows, words, run.boosts(number))
    return {item.group: share * scorer.share(item.idf, rows, found) for item, found in zip(items, weights, strict=True)}


def _elsewhere(
    run: _Run, compiled: Compiled, selects: Sequence[Array | None], scored: _Scored, average: float
) -> list[dict[int, float]]:
    """What other passages of an element add to its best one, by row of that one: nothing for short queries."""
    query = run.query
    if len(compiled.groups) <= LONG_QUERY or query.group != "element" or query.among or query.ever:
        return [{} for _ in scored]
    idfs = [item.idf for item in compiled.groups]
    added = []
    for number, (best, _) in enumerate(replace(run.order, depth=sys.maxsize).leaders(scored)):
        lists = [run.list_of(number, item.group) for item in compiled.groups]
        scorer = run.scorer(number, average)
        added.append(held_elsewhere(run.parts[number].visible, best, selects[number], lists, idfs, scorer))
    return added


def _collect(
    run: _Run, compiled: Compiled, scored: _Scored, added: Sequence[dict[int, float]], average: float
) -> SegmentFinds:
    """The best row of each group over all segments, in the total order, down to the depth asked for."""
    most = compiled.bound * (1 + run.query.scoring.literal)
    ranked = run.order.ranked(_raised(scored, added))
    elsewhere: dict[int, float] = {}
    matched: dict[int, tuple[Matched, ...]] = {}
    if run.query.explained or any(added):
        for rank, (number, row) in enumerate(zip(ranked.parts.tolist(), ranked.rows.tolist(), strict=True)):
            if more := added[number].get(row):
                elsewhere[rank] = more
            if rank < run.query.explained:
                matched[rank] = _explain(run, compiled, number, row, average)
    scores = np.minimum(1.0, ranked.scores / most)
    return SegmentFinds(run.parts, ranked, scores, ranked.scores, Extras(None, elsewhere, matched))


def _raised(scored: _Scored, added: Sequence[dict[int, float]]) -> _Scored:
    out = []
    for (rows, scores), more in zip(scored, added, strict=True):
        if more:
            scores = scores.copy()
            scores[np.searchsorted(rows, list(more))] += list(more.values())
        out.append((rows, scores))
    return out


def _explain(run: _Run, compiled: Compiled, part: int, row: int, average: float) -> tuple[Matched, ...]:
    scorer = run.scorer(part, average)
    here = np.array([row], np.int32)
    literal = _literal_shares(run, compiled, part, here, average)
    matched = []
    for item in compiled.groups:
        weight = run.list_of(part, item.group).weights(here)
        if weight[0] > 0:
            share = scorer.share(item.idf, here, weight) + literal.get(item.group, 0.0)
            matched.append(Matched(item.group.word, _names(item), item.idf, float(share[0]), item.frequency))
    return tuple(matched)


def _names(item: WeighedGroup) -> tuple[str, ...]:
    names = []
    for member in item.group.members:
        if isinstance(member, Term):
            names.append(member.text)
        elif isinstance(member, Together):
            names.append(" + ".join(member.terms))
    return tuple(names)


def _total(run: _Run, compiled: Compiled, selects: Sequence[Array | None], scored: _Scored) -> tuple[int, bool]:
    """How many groups match, and whether that is only a lower bound."""
    if run.query.among is not None:
        return sum(len(rows) for rows, _ in scored), False
    exact = sum(item.frequency for item in compiled.groups) <= EXACT_TOTAL_UP_TO
    total = 0
    elements: set[tuple[Scope, bytes]] = set()
    for number, part in enumerate(run.parts):
        rows = scored[number][0]
        if exact:
            rows = _matching_rows(run, number, compiled, selects[number])
        if run.query.group == "chunk":
            total += len(rows)
            continue
        owner = part.visible.segment.row_element[rows]
        first = np.append(True, owner[1:] != owner[:-1])[: len(rows)]
        if run.query.ever:  # an element may have lifetimes in several segments
            elements.update(part.element(row) for row in rows[first].tolist())
        else:
            total += int(np.count_nonzero(first))
    return total + len(elements), not exact


def _matching_rows(run: _Run, number: int, compiled: Compiled, select: Array | None) -> Array:
    """All rows of a segment that a word of the query occurs in, ascending."""
    seen = np.zeros(run.parts[number].visible.segment.rows, bool)
    for item in compiled.groups:
        run.list_of(number, item.group).mark(seen)
    return np.flatnonzero(seen if select is None else seen & select)
