"""Which texts of a vector store a question is asked of: those of visible rows that pass the filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.order import Part, rows_among
from pincite.index.segments.select import filter_mask
from pincite.index.segments.vectors import WAITING, SegmentVectors
from pincite.index.segments.visibility import Visible
from pincite.queries import Among, Filter

Array = NDArray[Any]

REMEMBERED = 6
"""Filters whose rows are kept for a view, the last ones; people turn pages and change one word at a time."""


@dataclass(frozen=True, slots=True)
class AskedRows:
    """Rows of one segment that a question is asked of."""

    mask: Array | None
    """None: every row."""
    texts: Array
    """Texts of the store that these rows hold, as a mask."""
    rows: int
    """How many rows have vectors …"""
    elements: int
    """… of how many elements …"""
    waiting: int
    """… and how many rows wait for theirs."""


def asked_of(
    part: Part, store: SegmentVectors | None, filters: Sequence[Filter], among: Among | None = None
) -> AskedRows:
    """What the filters leave of the visible rows, all or those of some elements; the former is remembered."""
    visible = part.visible
    if store is None or among is not None:
        passed = filter_mask(visible.segment, filters)
        if among is not None:
            passed = _both(passed, _among_mask(part, among))
        return _without_store(visible, passed) if store is None else _look(visible, store, passed)
    remembered: dict[tuple[Filter, ...], AskedRows] = store.asked.setdefault(visible, {})
    key = tuple(filters)
    known = remembered.get(key)
    if known is None:
        known = remembered[key] = _look(visible, store, filter_mask(visible.segment, filters))
        for old in [old for old in list(remembered) if old][:-REMEMBERED]:
            remembered.pop(old, None)
    return known


def _among_mask(part: Part, among: Among) -> Array:
    mask = np.zeros(part.visible.segment.rows, bool)
    mask[rows_among(part, among)] = True
    return mask


def _without_store(visible: Visible, passed: Array | None) -> AskedRows:
    mask = _both(visible.mask, passed)
    has_text = visible.segment.has_text
    waiting = int(np.count_nonzero(has_text if mask is None else has_text & mask))
    return AskedRows(mask, np.empty(0, bool), 0, 0, waiting)


def _look(visible: Visible, store: SegmentVectors, passed: Array | None) -> AskedRows:
    segment = visible.segment
    mask = _both(visible.mask, passed)
    text_of_row = store.places(segment).text_of_row
    here = text_of_row if mask is None else text_of_row[mask]
    owners = segment.row_element if mask is None else segment.row_element[mask]
    known = here >= 0
    if not known.all():
        owners = owners[known]
    texts = np.zeros(int(store.first_text[-1]), bool)
    texts[here[known]] = True
    elements = int(np.count_nonzero(owners[1:] != owners[:-1])) + bool(len(owners))
    return AskedRows(mask, texts, len(owners), elements, int(np.count_nonzero(here == WAITING)))


def _both(one: Array | None, other: Array | None) -> Array | None:
    if one is None or other is None:
        return other if one is None else one
    both: Array = one & other
    return both
