"""Finds of a ranking over segments: rows and scores in arrays, names read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.order import Part, Ranked
from pincite.queries import Finds, Found, Group, GroupKey, Matched
from pincite.types import Scope

Array = NDArray[Any]
_NOTHING: Mapping[int, Any] = {}


class Extras(NamedTuple):
    """What only some finds have, by rank from 0."""

    windows: Sequence[int] | None = None
    elsewhere: Mapping[int, float] = _NOTHING
    matched: Mapping[int, tuple[Matched, ...]] = _NOTHING


NO_EXTRAS = Extras()


class SegmentFinds(Finds):
    def __init__(
        self, parts: Sequence[Part], ranked: Ranked, scores: Array, raws: Array, extras: Extras = NO_EXTRAS
    ) -> None:
        self._parts = parts
        self._ranked = ranked
        self._scores = scores
        self._raws = raws
        self._extras = extras

    def __len__(self) -> int:
        return len(self._scores)

    @property
    def scores(self) -> NDArray[np.float64]:
        return self._scores

    def groups(self, group: Group, numbers: dict[Scope, int]) -> list[GroupKey]:
        out: list[GroupKey] = [()] * len(self)
        for part, places in self._by_part():
            number = numbers.setdefault(self._parts[part].scope, len(numbers))
            for at, key in zip(places.tolist(), self._keys(part, places, group, number), strict=True):
                out[at] = key
        return out

    def _keys(self, part: int, places: Array, group: Group, number: int) -> list[GroupKey]:
        segment, rows = self._parts[part].visible.segment, self._ranked.rows[places]
        names = segment.element_ids(segment.row_element[rows])
        if group == "element":
            return [(number, name) for name in names]
        versions = segment.version_ids(segment.row_owner[rows])
        chunks = segment.row_chunk[rows].tolist()
        return [(number, *facts) for facts in zip(names, versions, chunks, strict=True)]

    def _by_part(self) -> list[tuple[int, Array]]:
        if len(self._parts) == 1:
            return [(0, np.arange(len(self)))]
        return [(part, np.flatnonzero(self._ranked.parts == part)) for part in np.unique(self._ranked.parts).tolist()]

    def made(self, at: int) -> Found:
        part, row = self._parts[int(self._ranked.parts[at])], int(self._ranked.rows[at])
        segment = part.visible.segment
        owner = int(segment.row_owner[row])
        windows, elsewhere, matched = self._extras
        return Found(
            part.scope,
            segment.elements[int(segment.row_element[row])],
            segment.version_id(owner),
            segment.facts["recipes"][int(segment.owner_recipe[owner])],
            int(segment.owner_lifetime[owner]),
            int(segment.row_chunk[row]),
            float(self._scores[at]),
            float(self._raws[at]),
            matched.get(at, ()),
            windows[at] if windows is not None else -1,
            elsewhere.get(at, 0.0),
        )
