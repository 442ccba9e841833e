"""The total order of a ranking: score, then element id, version id, chunk number, scope; one row per group."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.ragged import positions
from pincite.index.segments.visibility import Visible
from pincite.queries import Among, VectorQuery, WordQuery
from pincite.types import Scope

Array = NDArray[Any]

Scored = Sequence[tuple[Array, Array]]
"""Rows and their scores, for every part."""


class Ranked(NamedTuple):
    """Rows of all parts in the total order."""

    parts: Array
    rows: Array
    scores: Array

    def some(self, which: Array | slice) -> Ranked:
        return Ranked(self.parts[which], self.rows[which], self.scores[which])


@dataclass(frozen=True, slots=True)
class Part:
    """The visible rows of one segment of one repository."""

    scope: Scope
    visible: Visible

    def element(self, row: int) -> tuple[Scope, bytes]:
        segment = self.visible.segment
        return self.scope, segment.elements.raw(int(segment.row_element[row]))


def rows_among(part: Part, among: Among) -> Array:
    """Visible rows of the elements asked for, ascending."""
    segment = part.visible.segment
    numbers = sorted(segment.element_number(name) for scope, name in among.elements if scope == part.scope)
    known = np.array([at for at in numbers if at >= 0], segment.row_element.dtype)
    starts, ends = np.searchsorted(segment.row_element, (known, known + 1))
    rows = positions(starts, ends - starts).astype(np.int32)
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

    def ranked(self, scored: Scored) -> Ranked:
        """The best row of each group over all parts, in the total order, down to the depth asked for."""
        ordered = self._in_order(self.leaders(scored))
        if self.ever and (self.group == "element" or self.each is not None):
            ordered = ordered.some(self._of_each(ordered, 1 if self.group == "element" else self.each or 0))
        return ordered.some(slice(self.depth))

    def _of_each(self, ordered: Ranked, each: int) -> Array:
        """Where the dead are read too, lifetimes of one element may lie in several parts: places of its first rows."""
        seen: Counter[tuple[Scope, bytes]] = Counter()
        out = []
        for at, (part, row) in enumerate(zip(ordered.parts.tolist(), ordered.rows.tolist(), strict=True)):
            element = self.parts[part].element(row)
            seen[element] += 1
            if seen[element] <= each:
                out.append(at)
        return np.array(out, np.int64)

    def _in_order(self, leaders: Scored) -> Ranked:
        """All leaders in the total order. Ids are read only where scores tie across segments."""
        rows = np.concatenate([np.empty(0, np.int32), *(rows for rows, _ in leaders)])
        scores = np.concatenate([np.empty(0, np.float64), *(scores for _, scores in leaders)])
        parts = np.repeat(np.arange(len(leaders)), [len(rows) for rows, _ in leaders])
        if len(leaders) <= 1:  # rows of one part lie in the total order
            return Ranked(parts, rows, scores)
        ordered = Ranked(parts, rows, scores).some(np.argsort(-scores, kind="stable"))
        return ordered.some(self._ties_by_id(ordered))

    def _ties_by_id(self, ordered: Ranked) -> Array:
        """Places in the order of ids, wherever rows of several parts have one score."""
        places = np.arange(len(ordered.scores))
        starts = np.flatnonzero(np.append(True, np.diff(ordered.scores) != 0)[: len(places)])
        ends = np.append(starts[1:], len(places))
        for start, end in zip(starts[ends - starts > 1].tolist(), ends[ends - starts > 1].tolist(), strict=True):
            if start >= self.depth and not self.ever:
                break
            parts, rows = ordered.parts[start:end].tolist(), ordered.rows[start:end].tolist()
            if len(set(parts)) > 1:
                ids = [self._tie_order(part, row) for part, row in zip(parts, rows, strict=True)]
                places[start:end] = start + np.array(sorted(range(len(ids)), key=ids.__getitem__))
        return places

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
