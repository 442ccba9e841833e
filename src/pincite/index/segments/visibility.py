"""Which rows of a segment a view may read, and the statistics over exactly those rows.

Masks are cached per segment under normalised keys (the last event at or before the revision, the audiences that the
roles open, the validity interval that holds the date), so that a commit elsewhere flushes nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.build import NO_END, NO_START
from pincite.index.segments.segment import Segment
from pincite.types import View

Array = NDArray[Any]

MAX_CACHED = 8
REMEMBERED = 100_000
"""Words whose frequency is kept, so that a server that is asked for years does not grow."""


class Visible:
    """The rows of one segment that one view may read."""

    def __init__(self, segment: Segment, owners: Array) -> None:
        self.segment = segment
        everything = bool(owners.all())
        self.mask: Array | None = None if everything else owners[segment.row_owner]
        """None when every row is visible: then no mask is applied and a list's length is its frequency."""
        rows = segment.lengths if self.mask is None else segment.lengths[self.mask]
        self.count = len(rows)
        self.lengths = dict(zip(segment.fields, map(int, rows.sum(axis=0, dtype=np.int64)), strict=True))
        """Summed by field."""
        self._frequencies: dict[str, int] = {}
        languages = segment["row_language"] if self.mask is None else segment["row_language"][self.mask]
        present = np.unique(languages)
        self.languages = frozenset(segment.languages[i] for i in present.tolist())

    def frequency(self, term: str) -> int:
        """Visible rows that hold the term."""
        known = self._frequencies.get(term)
        if known is None:
            start, end = self.segment.posting_range(term)
            if self.mask is None or start == end:
                known = end - start
            else:
                known = int(np.count_nonzero(self.mask[self.segment.posting_row[start:end]]))
            if len(self._frequencies) >= REMEMBERED:
                self._frequencies.clear()
            self._frequencies[term] = known
        return known

    def keep(self, rows: Array) -> Array:
        """Which of the rows are visible, as a mask over them."""
        return np.ones(len(rows), bool) if self.mask is None else self.mask[rows]


class OpenSegment:
    """A segment together with the deaths that the manifest names for it."""

    def __init__(self, segment: Segment, deaths: Array) -> None:
        self.segment = segment
        self.deaths = deaths
        died = segment["owner_died"]
        if len(deaths):
            died = died.copy()
            died[deaths[:, 0]] = deaths[:, 1]
        self.died = died
        self._events = np.unique(np.concatenate((segment["owner_born"], died)))
        self._days = np.unique(np.concatenate((segment["owner_from"], segment["owner_to"])))
        self._cache: OrderedDict[tuple[object, ...], Visible] = OrderedDict()

    def visible(self, view: View) -> Visible | None:
        """What the view may read here; None when that is nothing."""
        event = int(np.searchsorted(self._events, view.revision, "right"))
        day = int(np.searchsorted(self._days, view.valid_at.toordinal(), "right"))
        audiences = tuple(_opened(self.segment.roles, view.roles))
        key = (event, day, audiences)
        known = self._cache.get(key)
        if known is None:
            known = Visible(self.segment, self._owners(view, audiences))
            self._cache[key] = known
            while len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
        return known if known.count else None

    def ever(self, roles: frozenset[str] | None) -> Visible | None:
        """Every row that the roles may read, alive or not: where a quote may have come from."""
        visible = Visible(self.segment, self._audience(tuple(_opened(self.segment.roles, roles))))
        return visible if visible.count else None

    def _owners(self, view: View, audiences: tuple[bool, ...]) -> Array:
        owners: Array = (self.segment["owner_born"] <= view.revision) & (self.died > view.revision)
        if len(self._days) > 2 or self._days[0] != NO_START or self._days[-1] != NO_END:
            day = view.valid_at.toordinal()
            owners &= (self.segment["owner_from"] <= day) & (self.segment["owner_to"] > day)
        return owners & self._audience(audiences)

    def _audience(self, audiences: tuple[bool, ...]) -> Array:
        return np.array(audiences, bool)[self.segment["owner_roles"]]


def _opened(audiences: list[frozenset[str]], roles: frozenset[str] | None) -> list[bool]:
    """For each audience of the segment: may a caller with these roles read it?"""
    return [roles is None or not audience or bool(audience & roles) for audience in audiences]
