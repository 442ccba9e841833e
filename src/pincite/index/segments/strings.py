"""Sorted strings in two mapped arrays: a vocabulary that opens without being read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class StringTable:
    """UTF-8 strings in byte order, which is code-point order."""

    blob: Array
    offsets: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def raw(self, index: int) -> bytes:
        return self.blob[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def __getitem__(self, index: int) -> str:
        return self.raw(index).decode("utf-8")

    def some(self, indexes: Array) -> list[str]:
        """Strings by their numbers."""
        ends = zip(self.offsets[indexes].tolist(), self.offsets[indexes + 1].tolist(), strict=True)
        data = self.blob.data  # slices of a view are made faster than those of an array
        return [str(data[start:end], "utf-8") for start, end in ends]

    def __iter__(self) -> Iterator[bytes]:
        whole = self.blob.tobytes()
        offsets = self.offsets.tolist()
        return (whole[a:b] for a, b in pairwise(offsets))

    def lower_bound(self, key: bytes) -> int:
        """Index of the first string that is not smaller than the key."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < key:
                low = middle + 1
            else:
                high = middle
        return low

    def find(self, text: str) -> int:
        """Index of the string, or -1."""
        key = text.encode("utf-8")
        at = self.lower_bound(key)
        return at if at < len(self) and self.raw(at) == key else -1

    def prefix_range(self, prefix: str) -> tuple[int, int]:
        """The half-open range of strings that begin with the prefix."""
        key = prefix.encode("utf-8")
        # 0xff never occurs in UTF-8, so this bound lies above every string with the prefix.
        return self.lower_bound(key), self.lower_bound(key + b"\xff")


def pack_strings(strings: Iterable[bytes]) -> tuple[Array, Array]:
    """Blob and offsets for strings that are already sorted."""
    items: Sequence[bytes] = list(strings)
    offsets = np.zeros(len(items) + 1, np.int64)
    np.cumsum([len(item) for item in items], out=offsets[1:])
    return np.frombuffer(b"".join(items), np.uint8), offsets
