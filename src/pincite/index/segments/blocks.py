"""Blocks of a vector store: the vectors of many texts, sorted by key, immutable and memory-mapped.

A text has one to eight vectors in fixed point (int16), the one of the whole passage first. Beside them lie their sign
bits, twice: as planes, one array of 64 dimensions after the other, to read those of all vectors in a row, and vector by
vector, to pick those of a few. The cascade reads nothing else of most vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.format import ColumnWriter, open_columns
from pincite.index.segments.ragged import pointers, positions
from pincite.index.segments.segment import Segment

Array = NDArray[Any]

SLICE = 32_768
"""Texts whose vectors are in memory at once while blocks are merged."""


@dataclass(frozen=True, slots=True)
class TextKeys:
    """128-bit keys of texts in two halves, as the rows of segments carry them."""

    high: Array
    low: Array

    def __len__(self) -> int:
        return len(self.high)

    def __getitem__(self, chosen: Any) -> TextKeys:
        return TextKeys(self.high[chosen], self.low[chosen])

    def order(self) -> Array:
        """Ascending, which is the order of the hashes in hex."""
        return np.lexsort((self.low, self.high))

    def hex(self) -> list[str]:
        """The keys as the catalog knows them."""
        return [f"{h:016x}{low:016x}" for h, low in zip(self.high.tolist(), self.low.tolist(), strict=True)]

    @classmethod
    def joined(cls, parts: Sequence[TextKeys]) -> TextKeys:
        empty = np.empty(0, np.uint64)
        return cls(np.concatenate([empty, *(k.high for k in parts)]), np.concatenate([empty, *(k.low for k in parts)]))

    def distinct(self) -> TextKeys:
        """Sorted, each once."""
        ordered = self[self.order()]
        changes = (ordered.high[1:] != ordered.high[:-1]) | (ordered.low[1:] != ordered.low[:-1])
        return ordered[np.append(True, changes)[: len(ordered)]]

    def find(self, wanted: TextKeys) -> Array:
        """Where each wanted key lies among these, which are sorted; -1 where it does not."""
        out = np.full(len(wanted), -1, np.int32)
        at = np.searchsorted(self.high, wanted.high)
        open_ = np.flatnonzero(at < len(self))
        while len(open_):
            here = at[open_]
            open_, here = open_[self.high[here] == wanted.high[open_]], here[self.high[here] == wanted.high[open_]]
            same = self.low[here] == wanted.low[open_]
            out[open_[same]] = here[same]
            # Keys that share their first half lie side by side; nobody has seen two.
            open_ = open_[~same]
            at[open_] += 1
            open_ = open_[at[open_] < len(self)]
        return out


class VectorBlock:
    """Reads what `write_block` wrote."""

    def __init__(self, folder: Path) -> None:
        columns = open_columns(folder)
        self.name = folder.name
        self.dimensions: int = columns.facts["dimensions"]
        self.keys = TextKeys(columns["key_high"], columns["key_low"])
        self.ptr = columns["ptr"]
        self.vectors = columns["vectors"].reshape(-1, self.dimensions)
        self.planes = columns["planes"].reshape(-1, len(self.vectors))
        self._stored_codes = columns.arrays.get("codes")
        self._places: WeakKeyDictionary[Segment, tuple[Array, Array]] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def counts(self) -> Array:
        """How many vectors each text has."""
        return np.diff(self.ptr)

    @cached_property
    def text_of_vector(self) -> Array:
        return np.repeat(np.arange(len(self), dtype=np.int32), self.counts)

    @property
    def is_single(self) -> bool:
        """Whether every text has one vector: then texts and vectors have the same numbers."""
        return len(self) == len(self.vectors)

    def vectors_of(self, texts: Array) -> tuple[Array, Array]:
        """Numbers of the vectors of some texts, in their order, and how many each has."""
        if self.is_single:
            return texts, np.ones(len(texts), np.int64)
        counts = self.counts[texts]
        return positions(self.ptr[texts], counts), counts

    @cached_property
    def _codes(self) -> Array:
        """Sign bits vector by vector; blocks of older libraries have only the planes."""
        if self._stored_codes is None:
            return np.ascontiguousarray(self.planes.T)
        return self._stored_codes.reshape(len(self.vectors), -1)

    def planes_of(self, vectors: Array) -> Array:
        """The planes of some vectors, which are known to be there: without a check for each this is much faster."""
        return np.ascontiguousarray(self._codes.take(vectors, axis=0, mode="clip").T)

    def places(self, segment: Segment) -> tuple[Array, Array]:
        """Texts of this block that the segment holds, ascending, each with its row; remembered."""
        known = self._places.get(segment)
        if known is None:
            texts = self.keys.find(row_keys(segment))
            rows = np.flatnonzero(texts >= 0).astype(np.int32)
            order = np.argsort(texts[rows], kind="stable")
            known = self._places[segment] = texts[rows][order], rows[order]
        return known


def row_keys(segment: Segment) -> TextKeys:
    """The key of every row; 0 for rows that have no text of their own."""
    return TextKeys(segment["row_text_high"], segment["row_text_low"])


def write_block(folder: Path, keys: TextKeys, counts: Array, dimensions: int, pieces: Iterable[Array]) -> None:
    """Write a block. `keys` are sorted; `pieces` give the vectors, in their order, as int16 matrices."""
    writer = ColumnWriter(folder)
    try:
        writer.add("key_high", keys.high)
        writer.add("key_low", keys.low)
        writer.add("ptr", pointers(counts))
        signs = []
        with writer.column("vectors", np.int16) as append:
            for piece in pieces:
                append(piece)
                signs.append(sign_bits(piece))
        words = sign_words(dimensions)
        codes = np.concatenate([np.empty((0, words), np.uint64), *signs])
        with writer.column("planes", np.uint64) as append:
            for word in range(words):
                append(codes[:, word])
        writer.add("codes", codes.ravel())
        writer.finish({"texts": len(keys), "vectors": int(counts.sum()), "dimensions": dimensions})
    except BaseException:
        writer.abandon()
        raise


def sign_words(dimensions: int) -> int:
    """How many planes hold the sign bits."""
    return -(-dimensions // 64)


def sign_bits(vectors: Array) -> Array:
    """One bit per component, set where it is positive, 64 to a word; a last word that is not full ends in zeros."""
    count, dimensions = vectors.shape
    packed = np.zeros((count, sign_words(dimensions) * 8), np.uint8)
    packed[:, : -(-dimensions // 8)] = np.packbits(vectors > 0, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def merge_blocks(folder: Path, sources: Sequence[tuple[VectorBlock, Array]]) -> tuple[int, int]:
    """Write the texts that each source's mask keeps as one block; how many texts and vectors that are."""
    old = [np.flatnonzero(keep) for _, keep in sources]
    keys = TextKeys.joined([block.keys[texts] for (block, _), texts in zip(sources, old, strict=True)])
    order = keys.order()
    source_of = np.repeat(np.arange(len(sources)), [len(texts) for texts in old])[order]
    old_of = np.concatenate(old)[order]
    counts = np.concatenate([block.counts[texts] for (block, _), texts in zip(sources, old, strict=True)])[order]
    blocks = [block for block, _ in sources]
    pieces = _gathered(blocks, source_of, old_of, counts)
    write_block(folder, keys[order], counts, blocks[0].dimensions, pieces)
    return len(keys), int(counts.sum())


def _gathered(blocks: Sequence[VectorBlock], source_of: Array, old_of: Array, counts: Array) -> Iterator[Array]:
    """Vectors of the texts in their new order, a slice of texts at a time."""
    for low in range(0, len(old_of), SLICE):
        part = slice(low, low + SLICE)
        starts = pointers(counts[part])
        out = np.empty((int(starts[-1]), blocks[0].dimensions), np.int16)
        for number, block in enumerate(blocks):
            mine = np.flatnonzero(source_of[part] == number)
            texts, lengths = old_of[part][mine], counts[part][mine]
            out[positions(starts[mine], lengths)] = block.vectors[positions(block.ptr[texts], lengths)]
        yield out
