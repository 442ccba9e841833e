"""What a query demands beyond its words: filters, AND, NOT, required phrases — as masks over the rows of a segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.build import FILTER_MARK
from pincite.index.segments.segment import Segment
from pincite.queries import All, Between, Filter, Maybe, Node, Not, OneOf, Phrase, Prefix, Some, Word
from pincite.text.expand import Group

Array = NDArray[Any]


def filter_mask(segment: Segment, filters: Sequence[Filter]) -> Array | None:
    """Rows that pass every filter; None without filters."""
    mask: Array | None = None
    for item in filters:
        passed = np.zeros(segment.rows, bool)
        for start, end in _value_ranges(segment, item):
            ptr = segment["filter_ptr"]
            passed[segment["filter_row"][ptr[start] : ptr[end]]] = True
        mask = passed if mask is None else mask & passed
    return mask


def _value_ranges(segment: Segment, item: Filter) -> list[tuple[int, int]]:
    """Half-open ranges of the sorted (key, value) table that the filter accepts."""
    head = f"{item.field}{FILTER_MARK}"
    if isinstance(item, Between):
        low, high = segment.filters.prefix_range(head)
        if item.low:
            low = segment.filters.lower_bound((head + item.low).encode("utf-8"))
        if item.high:
            # Includes longer values that begin with the bound: up to 2024-12-31 also takes 2024-12-31T09:00.
            high = segment.filters.prefix_range(head + item.high)[1]
        return [(low, max(low, high))]
    assert isinstance(item, OneOf)
    found = [segment.filters.find(head + value) for value in item.values]
    return [(at, at + 1) for at in found if at >= 0]


def demand_mask(
    segment: Segment, node: Node, rows_of: Callable[[Group], Array], groups: Callable[[Node], Sequence[Group]]
) -> Array:
    """Rows that the tree accepts. `groups` gives what must match for a leaf, `rows_of` where a group occurs."""
    if isinstance(node, Word | Phrase | Prefix):
        mask = np.ones(segment.rows, bool)
        for group in groups(node):
            here = np.zeros(segment.rows, bool)
            here[rows_of(group)] = True
            mask &= here
        return mask
    if isinstance(node, Maybe):
        return np.ones(segment.rows, bool)
    if isinstance(node, Not):
        return ~demand_mask(segment, node.part, rows_of, groups)
    masks = [demand_mask(segment, part, rows_of, groups) for part in node.parts]
    if isinstance(node, All):
        return np.logical_and.reduce(masks) if masks else np.ones(segment.rows, bool)
    assert isinstance(node, Some)
    return np.logical_or.reduce(masks) if masks else np.zeros(segment.rows, bool)


def filter_keys(segment: Segment, visible_rows: Array | None) -> dict[str, dict[str, int]]:
    """Filter keys and values of visible rows with their counts."""
    ptr, rows = segment["filter_ptr"], segment["filter_row"]
    out: dict[str, dict[str, int]] = {}
    for at in range(len(segment.filters)):
        here = rows[ptr[at] : ptr[at + 1]]
        count = len(here) if visible_rows is None else int(np.count_nonzero(visible_rows[here]))
        if count:
            key, _, value = segment.filters[at].partition(FILTER_MARK)
            values = out.setdefault(key, {})
            values[value] = values.get(value, 0) + count
    return out
