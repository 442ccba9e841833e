"""The total order of a ranking: score, then element id, version id, chunk number, scope; one row per group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.index.queries import Found
from pincite.index.segments.visibility import Visible
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

    def found(self, row: int, score: float, raw: float, window: int = -1) -> Found:
        """The row as a hit."""
        segment = self.visible.segment
        owner = int(segment.row_owner[row])
        return Found(
            scope=self.scope,
            element_id=segment.elements[int(segment.row_element[row])],
            version_id=segment.version_id(owner),
            recipe=segment.recipe(owner),
            lifetime_id=int(segment.owner_lifetime[owner]),
            chunk=int(segment.row_chunk[row]),
            score=score,
            raw=raw,
            window=window,
        )


@dataclass(frozen=True, slots=True)
class Order:
    """How the rows of a question become a ranking."""

    parts: Sequence[Part]
    depth: int
    group: Literal["element", "chunk"]
    ever: bool = False
    """Whether the dead are read too: then several lifetimes of one element may be found."""

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
        return ordered[: self.depth]

    def _in_order(self, leaders: Scored) -> list[Place]:
        """All leaders in the total order. Ids are read only where scores tie across segments."""
        if not leaders:
            return []
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
