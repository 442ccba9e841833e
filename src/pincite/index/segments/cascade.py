"""Choosing the texts that are worth an exact score, out of very many vectors.

Three sieves, each finer and slower than the one before:

1. Hamming distance between the sign bits of question and vector, for every vector;
2. for the nearest, an estimate of the product: the question in small integers against the sign bits (the asymmetric
   estimate of RaBitQ, Gao & Long, SIGMOD 2024, without its rotation), for all vectors of their texts;
3. the exact score, which is not taken here.

Everything is integers, and a sieve keeps whole classes of equals, so that what is chosen is a set that follows from the
question and the vectors asked of: not from blocks, their order or the order of sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.blocks import Block, sign_bits
from pincite.index.segments.ragged import pointers, positions

Array = NDArray[Any]

NEAR_SHARE = 32
"""One in so many vectors passes the first sieve …"""
NEAR_LEAST = 8_000
"""… but never fewer than this. On 58,000 windows of Swiss law 2,000 give recall@10 0.998, 4,000 0.9993, 8,000 1.000."""
CHOSEN = 1_000
"""Texts that are scored exactly, at least: with 500 one question in 400 misses one of its ten …"""
CHOSEN_SHARE = 12
"""… and one in so many near vectors: of a million (120,000, repeated with noise) 1,000 texts give 0.998 to 0.999."""
STRIPE = 16_384
"""Vectors whose distances are counted at once: one plane of them is 128 KB."""
BYTE_PLANES = 3
"""Planes whose differing bits, 64 each at most, add up in one byte."""
SAMPLED = 16
"""One in so many distances tells about where the limit of a sieve lies."""
QUESTION_BITS = 4
"""Of the question's components in the second sieve, sign included."""


@dataclass(frozen=True)
class Piece:
    """A block and the mask of its texts that are asked for."""

    block: Block
    texts: Array

    @cached_property
    def vectors(self) -> Array | None:
        """Numbers of the vectors asked for; None: all."""
        return None if self.texts.all() else np.flatnonzero(np.repeat(self.texts, self.block.counts))

    @property
    def count(self) -> int:
        return len(self.block.vectors) if self.vectors is None else len(self.vectors)


@dataclass
class Cascade:
    pieces: Sequence[Piece]
    question: Array
    factor: int = field(default=1, init=False)
    is_complete: bool = field(default=False, init=False)
    """Whether the last choice was everything."""

    def widen(self) -> None:
        """Let twice as many through each sieve."""
        self.factor *= 2

    def choose(self) -> list[Array]:
        """For each piece the numbers of the texts to score, ascending."""
        near = [self._texts(number, rows) for number, rows in enumerate(self._near())]
        estimates = [self._estimate(piece.block, texts) for piece, texts in zip(self.pieces, near, strict=True)]
        everything = np.concatenate(estimates)
        wanted = max(CHOSEN * self.factor, self._wanted_near // CHOSEN_SHARE)
        self.is_complete = self._wanted_near >= self._total and len(everything) <= wanted
        if len(everything) <= wanted:
            return near
        least = np.partition(everything, len(everything) - wanted)[len(everything) - wanted]
        return [texts[values >= least] for texts, values in zip(near, estimates, strict=True)]

    # --- first sieve ------------------------------------------------------------------------------------------

    @cached_property
    def _total(self) -> int:
        return sum(piece.count for piece in self.pieces)

    @cached_property
    def _distances(self) -> list[Array]:
        bits = sign_bits(self.question.reshape(1, -1))[0]
        return [hamming(piece.block.planes, piece.vectors, bits) for piece in self.pieces]

    @property
    def _wanted_near(self) -> int:
        return max(NEAR_LEAST, self._total // NEAR_SHARE) * self.factor

    def _near(self) -> list[Array]:
        """For each piece the places, among the vectors asked for, of those that are near enough."""
        return nearest(self._distances, self._wanted_near)

    def _texts(self, number: int, near: Array) -> Array:
        piece = self.pieces[number]
        rows = near if piece.vectors is None else piece.vectors[near]
        texts = piece.block.text_of_vector[rows]
        distinct: Array = texts[np.append(True, texts[1:] != texts[:-1])[: len(texts)]]
        return distinct

    # --- second sieve -----------------------------------------------------------------------------------------

    @cached_property
    def _slices(self) -> list[tuple[int, Array]]:
        """(worth, bits) of the question in small integers, in two's complement: the highest bit counts negative."""
        most = (1 << (QUESTION_BITS - 1)) - 1
        small = np.rint(self.question * (most / max(1.0, float(np.abs(self.question).max())))).astype(np.int64)
        out = []
        for bit in range(QUESTION_BITS):
            worth = -(1 << bit) if bit == QUESTION_BITS - 1 else 1 << bit
            out.append((worth, sign_bits(((small >> bit) & 1).reshape(1, -1))[0]))
        return out

    def _estimate(self, block: Block, texts: Array) -> Array:
        """What whole and nearest window of each text may add up to."""
        counts = block.counts[texts]
        if not len(texts):
            return np.empty(0, np.int32)
        rows = positions(block.ptr[texts], counts)
        dots = np.zeros(len(rows), np.int32)
        for low in range(0, len(rows), STRIPE):
            part = slice(low, low + STRIPE)
            planes = [_picked(plane, rows[part]) for plane in block.planes]
            for worth, bits in self._slices:
                dots[part] += worth * common_bits(planes, bits).astype(np.int32)
        if len(rows) == len(texts):
            return 2 * dots  # one vector each, the whole and the nearest
        starts = pointers(counts)[:-1]
        estimate: Array = dots[starts] + np.maximum.reduceat(dots, starts)
        return estimate


def nearest(distances: Sequence[Array], wanted: int) -> list[Array]:
    """Places of the smallest distances, in each array: at least `wanted` together, with all that tie with the last.

    Where the limit lies is guessed from a sample first, so that only what is near is counted; the outcome is exact.
    """
    total = sum(map(len, distances))
    if wanted >= total:
        return [np.arange(len(array)) for array in distances]
    sample = np.concatenate([array[::SAMPLED] for array in distances])
    at = min(len(sample) - 1, int(1.3 * wanted / SAMPLED) + 8)
    guess = int(np.partition(sample, at)[at])
    places = [np.flatnonzero(array <= guess) for array in distances]
    if sum(map(len, places)) < wanted:
        guess = int(max(array.max(initial=0) for array in distances))
        places = [np.arange(len(array)) for array in distances]
    counts = np.zeros(guess + 1, np.int64)
    for array, here in zip(distances, places, strict=True):
        counts += np.bincount(array[here], minlength=guess + 1)
    limit = int(np.searchsorted(np.cumsum(counts), wanted))
    return [here[array[here] <= limit] for array, here in zip(distances, places, strict=True)]


def common_bits(planes: Sequence[Array], bits: Array) -> Array:
    """How many bits each vector has in common with the given ones."""
    out = np.zeros(len(planes[0]), np.uint16)
    both = np.empty(len(planes[0]), np.uint64)
    for first in range(0, len(planes), BYTE_PLANES):
        few = zip(planes[first : first + BYTE_PLANES], bits[first : first + BYTE_PLANES], strict=True)
        out += _summed([np.bitwise_count(np.bitwise_and(plane, word, out=both)) for plane, word in few])
    return out


def _summed(counts: list[Array]) -> Array:
    """Counts of up to three planes together, in one byte each: fewer passes over the wider sums."""
    for other in counts[1:]:
        counts[0] += other
    return counts[0]


def hamming(planes: Array, chosen: Array | None, bits: Array) -> Array:
    """Differing sign bits of each vector (of those chosen, in their order)."""
    if chosen is not None and len(chosen) * 4 > planes.shape[1]:
        return hamming(planes, None, bits)[chosen]  # reading all in order is faster than picking many
    out = np.zeros(planes.shape[1] if chosen is None else len(chosen), np.uint16)
    differing = np.empty(min(STRIPE, len(out)), np.uint64)
    for low in range(0, len(out), STRIPE):
        sums = out[low : low + STRIPE]
        xor = differing[: len(sums)]
        for first in range(0, len(planes), BYTE_PLANES):
            counts = []
            for plane, word in zip(planes[first : first + BYTE_PLANES], bits[first : first + BYTE_PLANES], strict=True):
                high = low + len(sums)
                part = plane[low:high] if chosen is None else _picked(plane, chosen[low:high])
                counts.append(np.bitwise_count(np.bitwise_xor(part, word, out=xor)))
            sums += _summed(counts)
    return out


def _picked(plane: Array, rows: Array) -> Array:
    """Rows that are known to be there: without the check for each, taking them is several times faster."""
    return plane.take(rows, mode="clip")
