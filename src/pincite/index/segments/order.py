"""The total order of a ranking: score, then element id, version id, chunk number, scope; one row per group."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.visibility import Visible
from pincite.queries import Among, Found, VectorQuery, WordQuery
from pincite.types import Scope

Array = NDArray[Any]

Scored = Sequence[tuple[Array, Array]]
"""Rows and their scores, for every part."""
Place = tuple[int, int, float]
"""(part, row, score)"""


@dataclass(frozen=True, slots=True)
class Part:
    """The visible rows of one segment of one repository."""

    scope: Scope
    visible: Visible

    def element(self, row: int) -> tuple[Scope, bytes]:
        segment = self.visible.segment
        return self.scope, segment.elements.raw(int(segment.row_element[row]))


def found_at(
    parts: Sequence[Part],
    places: Sequence[Place],
    scores: Sequence[float],
    raws: Sequence[float],
    windows: Sequence[int] | None = None,
) -> list[Found]:
    """The rows of a ranking as hits; what all rows of one lifetime share is read once."""
    out: dict[int, Found] = {}
    by_part: dict[int, list[int]] = {}
    for at, (number, _, _) in enumerate(places):
        by_part.setdefault(number, []).append(at)
    for number, mine in by_part.items():
        scope, segment = parts[number].scope, parts[number].visible.segment
        rows = np.array([places[at][1] for at in mine], np.int64)
        distinct, which = np.unique(segment.row_owner[rows], return_inverse=True)
        facts = segment.owner_facts(distinct)
        for at, owner, chunk in zip(mine, which.tolist(), segment.row_chunk[rows].tolist(), strict=True):
            window = windows[at] if windows is not None else -1
            element, version, recipe, lifetime = facts[owner]
            out[at] = Found(scope, element, version, recipe, lifetime, chunk, scores[at], raws[at], window=window)
    return [out[at] for at in range(len(places))]


def rows_among(part: Part, among: Among) -> Array:
    """Visible rows of the elements asked for, ascending."""
    segment = part.visible.segment
    known = sorted(segment.elements.find(name) for scope, name in among.elements if scope == part.scope)
    ranges = [np.searchsorted(segment.row_element, (at, at + 1)) for at in known if at >= 0]
    rows = np.concatenate([np.empty(0, np.int32), *(np.arange(*ends, dtype=np.int32) for ends in ranges)])
    return rows[part.visible.keep(rows)]


def order_of(parts: Sequence[Part], query: WordQuery | VectorQuery, *, ever: bool = False) -> Order:
    """The order that a query asks for."""
    if query.among is None:
        return Order(parts, query.depth, query.group, ever)
    return Order(parts, sys.maxsize, "chunk", ever, query.among.each)


@dataclass(frozen=True, slots=True)
class Order:
    """How the rows of a question become a ranking."""

    parts: Sequence[Part]
    depth: int
    group: Literal["element", "chunk"]
    ever: bool = False
    """Whether the dead are read too: then several lifetimes of one element may be found."""
    each: int | None = None
    """Not more rows than this of one element."""

    def best_rows(self, number: int, rows: Array, scores: Array) -> tuple[Array, Array]:
        """The best row of each group of a segment, at most `depth`, in the total order."""
        segment = self.parts[number].visible.segment
        # Rows lie in the order of ids. Only where the dead are read too, lifetimes of one version may take turns.
        ids = (rows, segment.row_chunk[rows], segment.row_version[rows]) if self.ever else (rows,)
        order = np.lexsort((*ids, -scores))
        rows, scores = rows[order], scores[order]
        if self.group == "element":
            _, first = np.unique(segment.row_element[rows], return_index=True)
            first.sort()
            rows, scores = rows[first], scores[first]
        if self.each is not None and len(rows) > self.each:
            keep = _leading(segment.row_element[rows], self.each)
            rows, scores = rows[keep], scores[keep]
        return rows[: self.depth], scores[: self.depth]

    def leaders(self, scored: Scored) -> list[tuple[Array, Array]]:
        """`best_rows` of every part."""
        return [self.best_rows(number, rows, scores) for number, (rows, scores) in enumerate(scored)]

    def ranked(self, scored: Scored) -> list[Place]:
        """The best row of each group over all parts, in the total order, down to the depth asked for."""
        ordered = self._in_order(self.leaders(scored))
        if self.ever and self.group == "element":
            best: dict[tuple[Scope, bytes], Place] = {}
            for place in ordered:
                best.setdefault(self.parts[place[0]].element(place[1]), place)
            ordered = list(best.values())
        return self._of_each(ordered)[: self.depth]

    def _of_each(self, ordered: list[Place]) -> list[Place]:
        """Where the dead are read too, lifetimes of one element may lie in several parts."""
        if self.each is None or not self.ever:
            return ordered
        seen: Counter[tuple[Scope, bytes]] = Counter()
        out = []
        for place in ordered:
            element = self.parts[place[0]].element(place[1])
            seen[element] += 1
            if seen[element] <= self.each:
                out.append(place)
        return out

    def _in_order(self, leaders: Scored) -> list[Place]:
        """All leaders in the total order. Ids are read only where scores tie across segments."""
        if len(leaders) <= 1:  # rows of one part lie in the total order
            return [
                (0, row, score)
                for rows, scores in leaders
                for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
            ]
        scores = np.concatenate([scores for _, scores in leaders])
        rows = np.concatenate([rows for rows, _ in leaders])
        parts = np.repeat(np.arange(len(leaders)), [len(rows) for rows, _ in leaders])
        order = np.argsort(-scores, kind="stable")
        places = list(zip(parts[order].tolist(), rows[order].tolist(), scores[order].tolist(), strict=True))
        out: list[Place] = []
        for _, tied in groupby(places, key=lambda place: place[2]):
            run_of = list(tied)
            if len({part for part, _, _ in run_of}) > 1:
                run_of.sort(key=lambda place: self._tie_order(place[0], place[1]))
            out.extend(run_of)
            if len(out) >= self.depth and not self.ever:
                break
        return out

    def _tie_order(self, number: int, row: int) -> tuple[bytes, str, int, Scope, int, int]:
        """Element, version, chunk, scope; then birth and lifetime, for rows that died and came back."""
        segment = self.parts[number].visible.segment
        owner = int(segment.row_owner[row])
        scope, element = self.parts[number].element(row)
        born, lifetime = int(segment["owner_born"][owner]), int(segment.owner_lifetime[owner])
        return element, segment.version_id(owner), int(segment.row_chunk[row]), scope, born, lifetime


def _leading(groups: Array, each: int) -> Array:
    """Which rows are among the first `each` of their group, as a mask."""
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(groups[order]) != 0)[: len(groups)])
    place = np.arange(len(groups)) - np.repeat(first, np.diff(first, append=len(groups)))
    keep = np.zeros(len(groups), bool)
    keep[order[place < each]] = True
    return keep
