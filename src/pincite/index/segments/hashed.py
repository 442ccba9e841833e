"""Where a term lies in a vocabulary, without searching through it: buckets of hashes beside the sorted strings.

A question asks for hundreds of terms that mostly no passage holds (the compounds that its words could form), in every
segment. Binary search in a mapped vocabulary of 100,000 took 20 µs for each; a hash takes less than one.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.strings import StringTable

Array = NDArray[Any]


class HashedTerms:
    """Reads what `hash_strings` made of a table."""

    def __init__(self, table: StringTable, buckets: Array, hashes: Array) -> None:
        self._table = table
        self._buckets = buckets.data
        """Where each bucket begins and, last, where they end. Views give plain integers, and faster than arrays."""
        self._hashes = hashes.data
        self._mask = len(buckets) - 2

    def find(self, text: str) -> int:
        """Index of the string, or -1."""
        key = text.encode("utf-8")
        value = zlib.crc32(key)
        bucket = value & self._mask
        for at in range(self._buckets[bucket], self._buckets[bucket + 1]):
            entry = self._hashes[at]
            if entry >> 32 == value and self._table.raw(entry & 0xFFFFFFFF) == key:
                return int(entry & 0xFFFFFFFF)
        return -1


def hash_strings(strings: Sequence[bytes]) -> tuple[Array, Array]:
    """Bucket starts, and in their order (hash, index) of each string in one word; about one string to a bucket."""
    size = 1 << max(0, (len(strings) - 1).bit_length())
    values = np.fromiter(map(zlib.crc32, strings), np.uint64, len(strings))
    order = np.argsort(values & np.uint64(size - 1), kind="stable")
    counts = np.bincount((values & np.uint64(size - 1)).astype(np.int64), minlength=size)
    buckets = np.append(0, np.cumsum(counts)).astype(np.uint32)
    return buckets, (values[order] << np.uint64(32)) | order.astype(np.uint64)
