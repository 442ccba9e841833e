"""Ragged arrays: many short lists in one array, and the few moves on them that everything else is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
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
    values = np.fromiter(chain.from_iterable(lists), np.int32)
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


def sorted_ranks(ids: Mapping[str, int]) -> tuple[list[bytes], Array]:
    """Strings in order, which is also the order of their bytes, and by id (0, 1, 2 …) the rank of each."""
    ordered = sorted(ids)
    ranks = np.empty(len(ids), np.int32)
    ranks[np.fromiter(map(ids.__getitem__, ordered), np.int64, len(ids))] = np.arange(len(ids), dtype=np.int32)
    return [text.encode("utf-8") for text in ordered], ranks
