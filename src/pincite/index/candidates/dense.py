"""The dense leg over a store: it proposes, what it proposes is checked and scored with the catalog's vectors."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator, either
from pincite.errors import InvalidArgument
from pincite.index.candidates.rows import Rows
from pincite.index.candidates.seen import Asked, Seen
from pincite.index.lines import Line, grouping, shown
from pincite.index.nearness import SAMPLE, background_of, cosine, windows_of
from pincite.points import Space, Wanted
from pincite.protocols import VectorStore
from pincite.queries import Background, Ranking, VectorQuery
from pincite.types import Scope, View

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
class Place:
    """One view of a question, with the rows of its repository."""

    view: View
    rows: Rows
    seen: Seen
    asked: Asked
    space: Space
    dimensions: int
    """0 where the repository has no vectors of the model."""
    fetch: Fetch


def search_vectors(store: VectorStore, places: Sequence[Place], query: VectorQuery) -> Ranking:
    """The nearest groups; `partial` with the reason where some of what is visible has no vectors."""
    if not any(place.seen.rows for place in places):
        return Ranking("dense")
    if not any(place.dimensions for place in places):
        reason = f"no vectors of this model yet; {by_operator('make them with', 'pincite embed')}"
        return Ranking("dense", status="unavailable", reason=reason)
    for place in places:
        if place.dimensions not in (0, len(query.vector)):
            raise InvalidArgument(f"the question has {len(query.vector)} dimensions, the vectors {place.dimensions}")
    near = [line for place in places for line in _lines(place, query, *_scored(store, place, query))]
    best = shown(sorted(near, key=Line.order), query.group, query.depth, query.among)
    windows = {} if query.among else _nearest_windows(places, best, query)
    found = [line.found(query.calibration.score(line.raw), (), windows.get((line.scope, line.id), -1)) for line in best]
    around = None if query.among else _background(places, query)
    ranking = Ranking("dense", tuple(found), _total(places, query), background=around)
    have = sum(len(place.asked.held) for place in places)
    every = sum(place.asked.rows for place in places)
    if have == every:
        return ranking
    rest = either("the rest wait for: pincite embed", "the rest wait for theirs")
    return replace(ranking, status="partial", reason=f"{have:,} of {every:,} passages have vectors; {rest}")


def _total(places: Sequence[Place], query: VectorQuery) -> int:
    by_element = grouping(query.group, query.among) == "element"
    return sum(place.asked.elements if by_element else len(place.asked.held) for place in places)


# --- scoring --------------------------------------------------------------------------------------------------


def _scored(store: VectorStore, place: Place, query: VectorQuery) -> tuple[Array, Array]:
    """Rows of enough groups, and the sums of their products with the question."""
    asked = place.asked
    few = len(asked.held) <= FEW or query.exact
    if not len(asked.held) or query.among is not None or (few and not store.exact):
        return _sums(place, asked.held, query)
    limit = max(FIRST, query.depth)
    wanted = Wanted(query.vector, place.view, query.filters, asked.ids, limit)
    while True:
        proposed = store.candidates(place.space, wanted)
        rows, sums = _sums(place, asked.among(proposed), query)
        if len(proposed) < wanted.limit or len(np.unique(_groups(place, rows, query))) >= query.depth:
            return rows, sums
        wanted = replace(wanted, limit=WIDER * wanted.limit)


def _sums(place: Place, rows: Array, query: VectorQuery) -> tuple[Array, Array]:
    """Rows that have vectors in the catalog, with the sums of the products of whole and nearest window."""
    texts = np.unique(place.rows.text[rows])
    by_text = np.full(len(place.rows.keys), np.nan)
    question = np.array(query.vector, np.float64)
    for low in range(0, len(texts), FETCH):
        numbers = {place.rows.keys[number]: number for number in texts[low : low + FETCH].tolist()}
        windows = windows_of(place.fetch(list(numbers)), len(query.vector))
        if windows is not None:
            by_text[[numbers[key] for key in windows.texts]] = windows.nearness(question)
    sums = by_text[place.rows.text[rows]]
    there = ~np.isnan(sums)  # what was erased a moment ago is not
    return rows[there], sums[there]


def _groups(place: Place, rows: Array, query: VectorQuery) -> Array:
    groups: Array = place.rows.element[place.rows.owner[rows]] if query.group == "element" else rows
    return groups


def _lines(place: Place, query: VectorQuery, rows: Array, sums: Array) -> list[Line]:
    """Rows no farther than the last group that is asked for, with what an answer says of them."""
    if query.among is None and len(rows):
        order = np.argsort(-sums, kind="stable")
        _, firsts = np.unique(_groups(place, rows, query)[order], return_index=True)
        if len(firsts) > query.depth:
            last = sums[order][np.sort(firsts)[query.depth - 1]]
            rows, sums = rows[sums >= last], sums[sums >= last]
    out = []
    for row, total in zip(rows.tolist(), sums.tolist(), strict=True):
        life = place.rows.lives[place.rows.owner[row]]
        out.append(
            Line(
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
        )
    return out


def _nearest_windows(places: Sequence[Place], best: Sequence[Line], query: VectorQuery) -> dict[tuple[Scope, int], int]:
    """Which vector of each passage is nearest, by scope and id."""
    out: dict[tuple[Scope, int], int] = {}
    question = np.array(query.vector, np.float64)
    for place in places:
        mine = [line for line in best if line.scope == place.view.scope and line.text is not None]
        keys = dict.fromkeys(place.rows.keys[line.text] for line in mine if line.text is not None)
        windows = windows_of(place.fetch(list(keys)), len(query.vector))
        nearest = dict(zip(windows.texts, windows.nearest(question), strict=True)) if windows else {}
        out |= {
            (line.scope, line.id): nearest.get(place.rows.keys[line.text], -1) for line in mine if line.text is not None
        }
    return out


def _background(places: Sequence[Place], query: VectorQuery) -> Background | None:
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
