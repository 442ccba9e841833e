"""The dense leg: `vec0` finds the vectors whose signs are nearest, their texts are then scored in full.

A question is first asked of sign bits, with views and filters inside the scan; what that finds is scored like in every
engine of ours, in fixed point. Where little is visible, or all of it is asked for, everything is scored and `vec0` is
not asked. sqlite-vec gives no more than 4096 vectors for a question; an answer that this cuts short says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator, either
from pincite.errors import InvalidArgument
from pincite.fixed import MAX_WINDOWS
from pincite.index.lines import Line, grouping, shown
from pincite.index.nearness import SAMPLE, Windows, background_of, cosine
from pincite.index.sqlite_vec.rows import lines
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.index.sqlite_vec.vectors import has_vectors, model_id, signs, vectors_of
from pincite.index.sqlite_vec.visible import ROWS, Condition, ViewedRepository, among, filtered, visible
from pincite.queries import Background, Filter, OneOf, Ranking, VectorQuery

MOST = 4_096
"""sqlite-vec's own limit for k."""
SCANNED = 4_096
"""Passages up to which every one is scored and `vec0` is not asked."""
BATCH = 4_096
"""Texts whose vectors are in memory at once."""
FIRST = 1_600
"""Vectors asked for at first. Sentences of 512 dimensions: recall@10 1.000 among 100,000, with 800 0.998."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One question."""

    store: SqliteVecFile
    places: Sequence[ViewedRepository]
    query: VectorQuery
    model: int
    dimensions: int
    seen: Condition
    """What the views may read …"""
    asked: Condition
    """… and what filters and `among` leave of it."""

    @property
    def question(self) -> NDArray[np.float64]:
        return np.array(self.query.vector, np.float64)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Of the rows that are asked for."""

    rows: int
    """Those that have vectors …"""
    elements: int
    """… their elements …"""
    waiting: int
    """… and those that wait for some."""


def search_vectors(store: SqliteVecFile, places: Sequence[ViewedRepository], query: VectorQuery) -> Ranking:
    """The nearest groups; `partial` with the reason where some have no vectors, or sqlite-vec's limit cut it short."""
    seen = visible(places)
    if not places or not store.remember(("any", seen.key), lambda: _any(store, seen)):
        return Ranking("dense")
    known = model_id(store, query.fingerprint)
    if known is None or not any(has_vectors(store, place.repository, query.fingerprint) for place in places):
        reason = f"no vectors of this model yet; {by_operator('make them with', 'pincite embed')}"
        return Ranking("dense", status="unavailable", reason=reason)
    if known[1] != len(query.vector):
        raise InvalidArgument(f"the question has {len(query.vector)} dimensions, the vectors {known[1]}")
    run = _Run(store, places, query, *known, seen, seen & filtered(query.filters) & among(places, query.among))
    counts = store.remember(("counts", known[0], run.asked.key), lambda: _count(run))
    near, cut = _candidates(run, counts)
    best = shown(sorted(_best(run, near), key=Line.order), query.group, query.depth, query.among)
    windows = {} if query.among else _nearest_windows(run, best)
    found = [item.found(query.calibration.score(item.raw), (), windows.get(item.text or 0, -1)) for item in best]
    total = counts.rows if grouping(query.group, query.among) == "chunk" else counts.elements
    ranking = Ranking("dense", tuple(found), total, background=None if query.among else _background(run))
    if counts.waiting:
        every = counts.rows + counts.waiting
        rest = either("the rest wait for: pincite embed", "the rest wait for theirs")
        reason = f"{counts.rows:,} of {every:,} passages have vectors; {rest}"
        return replace(ranking, status="partial", reason=reason)
    if cut and len(found) < min(total, query.depth):
        reason = (
            f"sqlite-vec gives the {MOST:,} nearest vectors, which belong to {len(found)} of {total:,} hits; ask with"
            " exact for a full scan"
        )
        return replace(ranking, status="partial", reason=reason)
    return ranking


def _any(store: SqliteVecFile, seen: Condition) -> bool:
    return store.one(f"SELECT 1 FROM {ROWS} WHERE {seen.sql} LIMIT 1", seen.values) is not None


def _count(run: _Run) -> _Counts:
    sql = _COUNTS.format(model=run.model, condition=run.asked.sql)
    rows, elements, waiting = run.store.all(sql, run.asked.values)[0]
    return _Counts(rows, elements, waiting or 0)


_COUNTS = f"""
SELECT count(e.text), count(DISTINCT CASE WHEN e.text THEN l.element END), sum(e.text IS NULL)
FROM {ROWS} LEFT JOIN exact_{{model}} e ON e.text = c.text WHERE c.text IS NOT NULL AND ({{condition}})
"""


# --- scoring --------------------------------------------------------------------------------------------------

Near = tuple[int, int, float]
"""Chunk, element, cosine."""


def _candidates(run: _Run, counts: _Counts) -> tuple[list[Near], bool]:
    """Passages that may be among the nearest; and whether sqlite-vec's limit left some out."""
    if run.query.exact or run.query.among or counts.rows <= SCANNED:
        return _near(run, None), False
    by = 0 if run.query.group == "chunk" else 1
    wanted = min(run.query.depth, counts.rows if by == 0 else counts.elements)
    near = _near(run, _nearest(run, FIRST))
    if len({row[by] for row in near}) >= wanted:
        return near, False
    return _near(run, _nearest(run, MOST)), True


def _near(run: _Run, chunks: Sequence[int] | None) -> list[Near]:
    """Rows that are asked for, all or those of some chunks, with their cosines."""
    start, which, values = ROWS, "1", dict(run.asked.values)
    if chunks is not None:
        start, which, values["chunks"] = f"json_each(:chunks) j CROSS JOIN {ROWS}", "c.id = j.value", json.dumps(chunks)
    sql = f"SELECT c.id, l.element, c.text FROM {start} WHERE c.text IS NOT NULL AND {which} AND ({run.asked.sql})"
    rows = run.store.all(sql, values)
    cosines: dict[int, float] = {}
    texts = sorted({text for _, _, text in rows})
    for low in range(0, len(texts), BATCH):
        windows = vectors_of(run.store, run.model, run.dimensions, texts[low : low + BATCH])
        if windows is not None:
            sums = windows.nearness(run.question).tolist()
            cosines |= dict(zip(windows.texts, map(cosine, sums), strict=True))
    return [(chunk, element, cosines[text]) for chunk, element, text in rows if text in cosines]


def _best(run: _Run, near: Sequence[Near]) -> list[Line]:
    """Rows no farther than the last group that is asked for, with what an answer says of them."""
    query = run.query
    best: dict[int, float] = {}
    for chunk, element, raw in near:
        group = element if query.group == "element" else chunk
        best[group] = max(best.get(group, -2.0), raw)
    if query.among is None and len(best) > query.depth:
        last = sorted(best.values(), reverse=True)[query.depth - 1]
        near = [row for row in near if row[2] >= last]
    return lines(run.store, run.places, {chunk: raw for chunk, _, raw in near})


def _nearest_windows(run: _Run, found: Sequence[Line]) -> dict[int, int]:
    texts = sorted({item.text for item in found if item.text is not None})
    windows = vectors_of(run.store, run.model, run.dimensions, texts)
    return dict(zip(windows.texts, windows.nearest(run.question), strict=True)) if windows else {}


# --- asking vec0 ----------------------------------------------------------------------------------------------


def _nearest(run: _Run, limit: int) -> list[int]:
    """Chunks with the nearest sign bits, of each repository and, where a filter names languages, of each of them."""
    found: dict[int, int] = {}
    for place in run.places:
        others, languages = _languages(run.query.filters, place)
        inside, values = _inside(run, place, others)
        for language in languages:
            sql = _NEAREST.format(model=run.model, inside=inside)
            asked = {"signs": signs(np.array(run.query.vector, np.int16)), "k": limit}
            if language is not None:
                sql += " AND language = :language"
                asked["language"] = language
            for number, distance in run.store.all(sql, values | asked):
                chunk = number // MAX_WINDOWS
                found[chunk] = min(distance, found.get(chunk, distance))
    if len(found) > limit:
        last = sorted(found.values())[limit - 1]
        return [chunk for chunk, distance in found.items() if distance <= last]
    return list(found)


_NEAREST = "SELECT id, distance FROM near_{model} WHERE signs MATCH vec_bit(:signs) AND k = :k AND {inside}"


def _languages(filters: Sequence[Filter], place: ViewedRepository) -> tuple[tuple[Filter, ...], Sequence[str | None]]:
    """What is left of the filters, and the partitions that they name; None for all of them."""
    for item in filters:
        if isinstance(item, OneOf) and item.field == "language" and not place.restated:
            return tuple(other for other in filters if other is not item), list(dict.fromkeys(item.values))
    return tuple(filters), [None]


def _inside(run: _Run, place: ViewedRepository, filters: Sequence[Filter]) -> tuple[str, dict[str, object]]:
    """The view and the filters, as `vec0` takes them inside its scan."""
    view = place.view
    parts = ["repository = :repository", "died > :revision"]
    values: dict[str, object] = {"repository": place.repository, "revision": view.revision}
    if view.revision < place.revision:
        parts.append("born <= :revision")
    if place.limited:
        parts.append("valid_from <= :day AND valid_to > :day")
        values["day"] = view.valid_at.toordinal()
    if place.audiences is not None:
        parts.append(f"audience IN ({', '.join(map(str, place.audiences))})")
    if filters:
        condition = visible([place]) & filtered(filters)
        parts.append(f"id IN ({_VECTORS_OF.format(model=run.model, windows=MAX_WINDOWS, condition=condition.sql)})")
        values |= condition.values
    return " AND ".join(parts), values


_VECTORS_OF = f"""
SELECT c.id * {{windows}} + w.value
FROM {ROWS} JOIN scanned s ON s.model = {{model}} AND s.chunk = c.id, json_each('[0,1,2,3,4,5,6,7]') w
WHERE {{condition}}
"""


# --- background -----------------------------------------------------------------------------------------------


def _background(run: _Run) -> Background | None:
    """How near everything visible is, filters aside: over the texts with the smallest keys."""
    among, windows = run.store.remember(("sample", run.model, run.seen.key), lambda: _sample(run))
    return background_of([int(value) for value in windows.nearness(run.question)], among) if windows else None


def _sample(run: _Run) -> tuple[int, Windows[int] | None]:
    sql = _TEXTS.format(model=run.model, condition=run.seen.sql)
    texts = [text for (text,) in run.store.all(sql, run.seen.values)]
    return len(texts), vectors_of(run.store, run.model, run.dimensions, texts[:SAMPLE])


_TEXTS = f"""
SELECT t.id FROM texts t WHERE t.id IN (
    SELECT c.text FROM {ROWS} JOIN exact_{{model}} e ON e.text = c.text WHERE {{condition}}
) ORDER BY t.key, t.repository
"""
