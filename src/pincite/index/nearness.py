"""How near passages are to a question, in fixed point: sums of products never round, so any order gives the same bits.

A passage is as near as its whole and its nearest window together: half the sum of the two cosines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pincite.fixed import FIXED, count_of, unpack
from pincite.queries import Background

T = TypeVar("T")

SAMPLE = 500
"""Texts over which a background is taken; the error of the deviation is then about 3 %."""


@dataclass(frozen=True, slots=True)
class Windows(Generic[T]):
    """The vectors of some texts, in full."""

    texts: tuple[T, ...]
    starts: NDArray[np.intp]
    """Where those of each text begin."""
    components: NDArray[np.float64]
    """Fixed point: sums of their products are exact."""

    def nearness(self, question: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each text the products with the whole and with the nearest window, summed."""
        products = self.components @ question
        whole = products[self.starts]
        several = np.diff(self.starts, append=len(products)) > 1
        products[self.starts[several]] = -np.inf  # the whole stands for a window only where there is no other
        return np.asarray(whole + np.maximum.reduceat(products, self.starts))

    def nearest(self, question: NDArray[np.float64]) -> list[int]:
        """For each text which of its vectors is nearest, the first of several: 0 for the whole."""
        products = self.components @ question
        best = np.repeat(np.maximum.reduceat(products, self.starts), np.diff(self.starts, append=len(products)))
        nearest = np.flatnonzero(products == best)
        firsts: list[int] = (nearest[np.searchsorted(nearest, self.starts)] - self.starts).tolist()
        return firsts


def windows_of(blobs: Mapping[T, bytes] | Iterable[tuple[T, bytes]], dimensions: int) -> Windows[T] | None:
    """The vectors of texts as the catalog keeps them; None where there are none."""
    rows = list(blobs.items() if isinstance(blobs, Mapping) else blobs)
    if not rows:
        return None
    counts = [count_of(str(text), blob, dimensions) for text, blob in rows]
    components = unpack(b"".join(blob for _, blob in rows), dimensions).astype(np.float64)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.intp)
    return Windows(tuple(text for text, _ in rows), starts, components)


def cosine(total: float) -> float:
    """Half the sum of two cosines, from the sum of their products in fixed point."""
    return total / (2 * FIXED**2)


def cosines(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """`cosine` of each."""
    return totals / (2 * FIXED**2)


def background_of(sums: list[int], among: int) -> Background | None:
    """From the sums of the products of whole and nearest window, of a sample among so many texts."""
    count = len(sums)
    if not count:
        return None
    total, squares = sum(sums), sum(value * value for value in sums)
    scale = 2 * FIXED**2
    variance = (count * squares - total * total) / (count * scale) ** 2
    return Background(total / (count * scale), math.sqrt(variance), count, among)
