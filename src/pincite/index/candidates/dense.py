"""The dense leg over a store: it proposes, what it proposes is checked and scored with the catalog's vectors."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator, either, repair
from pincite.errors import InvalidArgument
from pincite.index.candidates.rows import Rows
from pincite.index.candidates.seen import EligibleRows, Seen
from pincite.index.lines import Line, grouping, shown
from pincite.index.nearness import SAMPLE, background_of, cosine, windows_of
from pincite.points import Space, Wanted
from pincite.protocols import VectorStore
from pincite.queries import Background, Ranking, VectorQuery
from pincite.types import View

Array = NDArray[Any]
Fetch = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Vectors of a model by the keys of their texts, from the catalog."""

FETCH = 2_000
"""Texts whose vectors are in memory at once."""
FIRST = 1_000
"""Candidates asked for at first: recall@10 of HNSW with rescoring is then 0.999 (Qdrant 1.16, 512 dimensions)."""
FEW = 1_000
"""Rows up to which all are scored and a store that estimates is not asked."""
WIDER = 4
"""How many times as many candidates are asked for when those found belong to too few elements."""


@dataclass(frozen=True, slots=True)
class ViewedRows:
    """One view of a question, with the rows of its repository."""

    view: View
    rows: Rows
    seen: Seen
    asked: EligibleRows
    space: Space
    dimensions: int
    """0 where the repository has no vectors of the model."""
    fetch: Fetch


def search_vectors(store: VectorStore, places: Sequence[ViewedRows], query: VectorQuery) -> Ranking:
    """The nearest groups; `partial` with the reason where some of what is visible has no vectors."""
    if not any(place.seen.rows for place in places):
        return Ranking("dense")
    if not any(place.dimensions for place in places):
        reason = f"no vectors of this model yet; {by_operator('make them with', 'pincite embed')}"
        return Ranking("dense", status="unavailable", reason=reason)
    for place in places:
        if place.dimensions not in (0, len(query.vector)):
            raise InvalidArgument(f"the question has {len(query.vector)} dimensions, the vectors {place.dimensions}")
    scored = [_scored(store, place, query) for place in places]
    near = {
        line: window for place, some in zip(places, scored, strict=True) for line, window in _lines(place, query, some)
    }
    best = shown(sorted(near, key=Line.order), query.group, query.depth, query.among)
    found = [line.found(query.calibration.score(line.raw), (), near[line]) for line in best]
    around = None if query.among else _background(places, query)
    ranking = Ranking("dense", tuple(found), _total(places, query), background=around)
    have = sum(len(place.asked.held) for place in places)
    every = sum(place.asked.rows for place in places)
    reasons = []
    if have < every:
        rest = either("the rest wait for: pincite embed", "the rest wait for theirs")
        reasons.append(f"{have:,} of {every:,} passages have vectors; {rest}")
    if any(some.is_short for some in scored):
        reasons.append(f"{store.name} proposed fewer passages than it has; {repair()}")
    return replace(ranking, status="partial", reason="; ".join(reasons)) if reasons else ranking


def _total(places: Sequence[ViewedRows], query: VectorQuery) -> int:
    by_element = grouping(query.group, query.among) == "element"
    return sum(place.asked.elements if by_element else len(place.asked.held) for place in places)


# --- scoring --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scored:
    """Rows with the sums of the products of whole and nearest window, and which window that is (0: the whole)."""

    rows: Array
    sums: Array
    windows: Array
    is_short: bool = False
    """The store proposed too few of what it holds to fill the answer."""

    def where(self, mask: Array) -> _Scored:
        return replace(self, rows=self.rows[mask], sums=self.sums[mask], windows=self.windows[mask])


def _scored(store: VectorStore, place: ViewedRows, query: VectorQuery) -> _Scored:
    """Rows of enough groups, each as near as it is."""
    asked = place.asked
    few = len(asked.held) <= FEW or query.exact
    if not len(asked.held) or query.among is not None or (few and not store.exact):
        return _score(place, asked.held, query)
    limit = max(FIRST, query.depth)
    wanted = Wanted(query.vector, place.view, query.filters, asked.ids, limit)
    while True:
        proposed = store.candidates(place.space, wanted)
        rows = asked.among(proposed)
        scored = _score(place, rows, query)
        if len(np.unique(_groups(place, scored.rows, query))) >= query.depth:
            return scored
        if len(proposed) < wanted.limit:
            return replace(scored, is_short=len(rows) < len(asked.ids))
        wanted = replace(wanted, limit=WIDER * wanted.limit)


def _score(place: ViewedRows, rows: Array, query: VectorQuery) -> _Scored:
    """Rows that have vectors in the catalog: what was erased a moment ago has none."""
    texts, of_row = np.unique(place.rows.text[rows], return_inverse=True)
    sums, nearest = np.full(len(texts), np.nan), np.zeros(len(texts), np.intp)
    question = np.array(query.vector, np.float64)
    for low in range(0, len(texts), FETCH):
        at = {place.rows.keys[number]: low + n for n, number in enumerate(texts[low : low + FETCH].tolist())}
        windows = windows_of(place.fetch(list(at)), len(query.vector))
        if windows is not None:
            here = [at[key] for key in windows.texts]
            sums[here], nearest[here] = windows.nearness(question), windows.nearest(question)
    return _Scored(rows, sums[of_row], nearest[of_row]).where(~np.isnan(sums[of_row]))


def _groups(place: ViewedRows, rows: Array, query: VectorQuery) -> Array:
    groups: Array = place.rows.element[place.rows.owner[rows]] if query.group == "element" else rows
    return groups


def _lines(place: ViewedRows, query: VectorQuery, scored: _Scored) -> list[tuple[Line, int]]:
    """Rows no farther than the last group that is asked for, with what an answer says of them: also their window."""
    if query.among is None and len(scored.rows):
        order = np.argsort(-scored.sums, kind="stable")
        _, firsts = np.unique(_groups(place, scored.rows, query)[order], return_index=True)
        if len(firsts) > query.depth:
            last = scored.sums[order][np.sort(firsts)[query.depth - 1]]
            scored = scored.where(scored.sums >= last)
    windows = scored.windows.tolist() if query.among is None else [-1] * len(scored.rows)
    lines = [_line(place, *pair) for pair in zip(scored.rows.tolist(), scored.sums.tolist(), strict=True)]
    return list(zip(lines, windows, strict=True))


def _line(place: ViewedRows, row: int, total: float) -> Line:
    life = place.rows.lives[place.rows.owner[row]]
    return Line(
        int(place.rows.ids[row]),
        place.view.scope,
        life.element_id,
        life.version_id,
        life.recipe,
        life.lifetime_id,
        life.born,
        int(place.rows.chunk[row]),
        int(place.rows.text[row]),
        cosine(total),
    )


def _background(places: Sequence[ViewedRows], query: VectorQuery) -> Background | None:
    """How near everything visible is, filters aside: over the texts with the smallest keys."""
    smallest = [(key, place.view.scope, number) for number, place in enumerate(places) for key in place.seen.sample]
    sums: list[int] = []
    chosen = heapq.nsmallest(SAMPLE, smallest)
    for number, place in enumerate(places):
        mine = [key for key, _, at in chosen if at == number]
        windows = windows_of(place.fetch(mine), len(query.vector)) if mine else None
        if windows is not None:
            sums += map(int, windows.nearness(np.array(query.vector, np.float64)).tolist())
    return background_of(sums, sum(place.seen.texts for place in places))
