"""Ragged arrays: many short lists in one array, and the few moves on them that everything else is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def pointers(lengths: Sequence[int] | Array) -> Array:
    """Where each list starts, and, last, where the final one ends."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def from_lists(lists: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Pointers and values of lists of integers."""
    values = np.fromiter((value for items in lists for value in items), np.int32)
    return pointers([len(items) for items in lists]), values


def positions(starts: Array, lengths: Array) -> Array:
    """The indices of all items of several lists, one list after the other."""
    total = int(lengths.sum())
    if not total:
        return np.empty(0, np.int64)
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.repeat(shift, lengths) + np.arange(total, dtype=np.int64)


def gather(ptr: Array, values: Array, lists: Array) -> tuple[Array, Array]:
    """Items of the chosen lists, concatenated, and how many each gave."""
    starts = ptr[lists]
    lengths = ptr[lists + 1] - starts
    return values[positions(starts, lengths)], lengths


def sorted_ranks(strings: Iterable[str]) -> tuple[list[bytes], Array]:
    """Distinct strings in byte order, and for each given one its rank there."""
    encoded = [text.encode("utf-8") for text in strings]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    ranks = np.empty(len(encoded), np.int32)
    ranks[order] = np.arange(len(encoded), dtype=np.int32)
    return [encoded[i] for i in order], ranks
