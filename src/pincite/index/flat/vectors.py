"""Vectors in memory, as the catalog has them, and every wanted one scored: nothing is left out, nothing estimated.

A new process reads them from the catalog again, so this is for libraries of up to some hundred thousand passages.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.fixed import Fixed, count_of, unpack
from pincite.index.nearness import Windows
from pincite.points import Ids, Point, Space, Wanted

Sums: TypeAlias = NDArray[np.float64]

BATCH = 4_096
"""Points whose vectors are widened to float64 at once."""


@dataclass(frozen=True, slots=True)
class _Held:
    """The points of a space by id, each with its vectors side by side."""

    ids: Ids
    counts: Ids
    components: Fixed

    @property
    def starts(self) -> Ids:
        return np.cumsum(self.counts) - self.counts

    def at(self, places: Ids) -> _Held:
        """Some of the points, in the order of their places."""
        counts = self.counts[places]
        first = np.cumsum(counts) - counts
        vectors = np.arange(counts.sum()) + np.repeat(self.starts[places] - first, counts)
        return _Held(self.ids[places], counts, self.components[vectors])

    def nearness(self, question: Sums) -> Sums:
        sums = [np.empty(0, np.float64)]
        for low in range(0, len(self.ids), BATCH):
            part = self.at(np.arange(low, min(low + BATCH, len(self.ids))))
            sums.append(Windows((), part.starts, part.components.astype(np.float64)).nearness(question))
        return np.concatenate(sums)


class FlatVectors:
    """A store that scans."""

    name = "flat"
    exact = True

    def __init__(self) -> None:
        self._spaces: dict[Space, _Held] = {}
        self._guard = threading.Lock()

    def ensure(self, space: Space, dimensions: int) -> Ids:
        with self._guard:
            return self._spaces.setdefault(space, _empty(dimensions)).ids

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        with self._guard:
            known = self._spaces[space]
            dimensions = known.components.shape[1]
            counts = [count_of(str(point.id), point.vectors, dimensions) for point in points]
            added = _Held(
                np.array([point.id for point in points], np.int64),
                np.array(counts, np.int64),
                unpack(b"".join(point.vectors for point in points), dimensions),
            )
            self._spaces[space] = _joined(known, added)

    def mark_died(self, space: Space, ids: Ids, revision: int) -> None:
        """Nothing to note: `candidates` scores exactly the wanted ids, and the dead are not among them."""

    def candidates(self, space: Space, wanted: Wanted) -> Ids:
        known = self._spaces.get(space)
        if known is None:  # dropped while the question was on its way
            return np.empty(0, np.int64)
        places = np.flatnonzero(np.isin(known.ids, wanted.ids, assume_unique=True))
        some = known.at(places)
        sums = some.nearness(np.array(wanted.vector, np.float64))
        if len(sums) <= wanted.limit:
            return some.ids
        last = np.partition(sums, -wanted.limit)[-wanted.limit]
        return np.asarray(some.ids[sums >= last])

    def drop(self, space: Space, ids: Ids | None = None) -> None:
        with self._guard:
            known = self._spaces.pop(space, None)
            if known is not None and ids is not None:
                self._spaces[space] = known.at(np.flatnonzero(~np.isin(known.ids, ids)))


def _empty(dimensions: int) -> _Held:
    return _Held(np.empty(0, np.int64), np.empty(0, np.int64), unpack(b"", dimensions))


def _joined(known: _Held, added: _Held) -> _Held:
    """Both, by id; of a point that comes again the new vectors."""
    kept = known.at(np.flatnonzero(~np.isin(known.ids, added.ids)))
    both = _Held(
        np.concatenate((kept.ids, added.ids)),
        np.concatenate((kept.counts, added.counts)),
        np.concatenate((kept.components, added.components)),
    )
    return both.at(np.argsort(both.ids))
