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

from pincite.index.segments.blocks import VectorBlock, sign_bits
from pincite.index.segments.ragged import pointers

Array = NDArray[Any]

NEAR_SHARE = 32
"""One in so many vectors passes the first sieve …"""
NEAR_LEAST = 8_000
"""… but never fewer than this. On 58,000 windows of Swiss law 2,000 give recall@10 0.998, 4,000 0.9993, 8,000 1.000."""
CHOSEN = 1_000
"""Texts that are scored exactly, at least: with 500 one question in 400 misses one of its ten …"""
CHOSEN_SHARE = 12
"""… and one in so many near vectors: of a million (120,000, repeated with noise) 1,000 texts give 0.998 to 0.999."""
STRIPE = 131_072
"""Vectors whose distances are counted at once: a plane of them is a megabyte. With 16,384 it takes a third longer."""
PICKED = 16_384
"""Vectors that are picked and estimated at once."""
BYTE_PLANES = 3
"""Planes whose differing bits, 64 each at most, add up in one byte."""
SAMPLED = 16
"""One in so many distances tells about where the limit of a sieve lies."""
QUESTION_BITS = 4
"""Of the question's components in the second sieve, sign included."""


@dataclass(frozen=True)
class Piece:
    """A block and the mask of its texts that are asked for."""

    block: VectorBlock
    texts: Array

    @cached_property
    def vectors(self) -> Array | None:
        """Numbers of the vectors asked for; None: all."""
        if self.texts.all():
            return None
        return np.flatnonzero(self.texts if self.block.is_single else np.repeat(self.texts, self.block.counts))

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
        return [hamming(piece.block, piece.vectors, bits) for piece in self.pieces]

    @property
    def _wanted_near(self) -> int:
        return max(NEAR_LEAST, self._total // NEAR_SHARE) * self.factor

    def _near(self) -> list[Array]:
        """For each piece the places, among the vectors asked for, of those that are near enough."""
        return nearest(self._distances, self._wanted_near)

    def _texts(self, number: int, near: Array) -> Array:
        piece = self.pieces[number]
        rows = near if piece.vectors is None else piece.vectors[near]
        if piece.block.is_single:
            return rows
        texts = piece.block.text_of_vector[rows]
        distinct: Array = texts[np.append(True, texts[1:] != texts[:-1])[: len(texts)]]
        return distinct

    # --- second sieve -----------------------------------------------------------------------------------------

    @cached_property
    def _slices(self) -> list[Array]:
        """Bits of the question in small integers, in two's complement, the highest first: it counts negative."""
        most = (1 << (QUESTION_BITS - 1)) - 1
        small = np.rint(self.question * (most / max(1.0, float(np.abs(self.question).max())))).astype(np.int64)
        return [sign_bits(((small >> bit) & 1).reshape(1, -1))[0] for bit in reversed(range(QUESTION_BITS))]

    def _products(self, planes: Array) -> Array:
        """Of the question in small integers with each vector's sign bits."""
        negative, *positive = self._slices
        out = common_bits(planes, positive[0])
        for bits in positive[1:]:
            out <<= 1
            out += common_bits(planes, bits)
        return out.astype(np.int32) - (common_bits(planes, negative).astype(np.int32) << (QUESTION_BITS - 1))

    def _estimate(self, block: VectorBlock, texts: Array) -> Array:
        """What whole and nearest window of each text may add up to."""
        if not len(texts):
            return np.empty(0, np.int32)
        rows, counts = block.vectors_of(texts)
        dots = np.empty(len(rows), np.int32)
        for low in range(0, len(rows), PICKED):
            dots[low : low + PICKED] = self._products(block.planes_of(rows[low : low + PICKED]))
        if block.is_single:
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
    sample = np.bincount(np.concatenate([array[::SAMPLED] for array in distances]))
    guess = int(np.searchsorted(np.cumsum(sample), 1.3 * wanted / SAMPLED + 8))
    places = [np.flatnonzero(array <= guess) for array in distances]
    if sum(map(len, places)) < wanted:
        guess = int(max(array.max(initial=0) for array in distances))
        places = [np.arange(len(array)) for array in distances]
    counts = np.zeros(guess + 1, np.int64)
    for array, here in zip(distances, places, strict=True):
        counts += np.bincount(array[here], minlength=guess + 1)
    limit = int(np.searchsorted(np.cumsum(counts), wanted))
    return [here[array[here] <= limit] for array, here in zip(distances, places, strict=True)]


def hamming(block: VectorBlock, chosen: Array | None, bits: Array) -> Array:
    """Differing sign bits of each vector (of those chosen, in their order)."""
    if chosen is not None and len(chosen) * 4 > len(block.vectors):
        return hamming(block, None, bits)[chosen]  # reading all in order is faster than picking many
    count, at_once = (len(block.vectors), STRIPE) if chosen is None else (len(chosen), PICKED)
    out = np.zeros(count, np.uint16)
    room = _Room.of(min(count, at_once))
    for low in range(0, count, at_once):
        high = min(low + at_once, count)
        planes = block.planes[:, low:high] if chosen is None else block.planes_of(chosen[low:high])
        _add_bits(out[low:high], planes, bits, np.bitwise_xor, room)
    return out


def common_bits(planes: Array, bits: Array) -> Array:
    """How many bits each vector has in common with the given ones."""
    out = np.zeros(planes.shape[1], np.uint16)
    _add_bits(out, planes, bits, np.bitwise_and, _Room.of(planes.shape[1]))
    return out


@dataclass(frozen=True, slots=True)
class _Room:
    """Where words and their counts stand in between; used again and again, it stays in the cache."""

    words: Array
    counts: Array

    @classmethod
    def of(cls, size: int) -> _Room:
        return cls(np.empty(size, np.uint64), np.empty((BYTE_PLANES, size), np.uint8))


def _add_bits(out: Array, planes: Array, bits: Array, combine: np.ufunc, room: _Room) -> None:
    """Add the bits that are set in each vector combined with the given ones.

    Counts of a few planes are summed in one byte each before they are added: fewer passes over the wider sums.
    """
    words, counts = room.words[: len(out)], room.counts[:, : len(out)]
    for first in range(0, len(planes), BYTE_PLANES):
        few = planes[first : first + BYTE_PLANES]
        for number, plane in enumerate(few):
            combine(plane, bits[first + number], out=words)
            np.bitwise_count(words, out=counts[number])
        for number in range(1, len(few)):
            np.add(counts[0], counts[number], out=counts[0])
        np.add(out, counts[0], out=out)
