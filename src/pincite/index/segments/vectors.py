"""The vectors of a repository under one model: blocks by key, beside the generations and independent of them.

    index/<repository key>/vectors-<16 hex digits>/    one per fingerprint, named by its hash
                               manifest                the fingerprint, the dimensions, the blocks; replaced atomically
                               block-000001/           header.json + columns.bin

A text has one key whatever the version, the lifetime or the segment that holds it, so a new generation finds its
vectors where the old one had them. `take.py` writes here, under the repository's write lock.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pincite.advice import place, repair
from pincite.errors import Damaged
from pincite.index.segments.blocks import VectorBlock, row_keys
from pincite.index.segments.format import read_sealed, verify, write_sealed
from pincite.index.segments.ragged import pointers, positions
from pincite.index.segments.segment import Segment
from pincite.index.segments.visibility import Visible

Array = NDArray[Any]

MANIFEST = "manifest"
ATTEMPTS = 50
"""How often a reader starts over when a merge removes blocks under its hands; each time the manifest is newer."""
WAITING, NO_TEXT = -1, -2
"""Rows without vectors: those that wait for them, and those that have no text of their own."""


@dataclass(frozen=True, slots=True)
class BlockEntry:
    name: str
    texts: int
    vectors: int
    history: bool = False
    """Whether its texts were those of the dead when it was written: questions of the head then pass it by."""


@dataclass(frozen=True, slots=True)
class StoreManifest:
    library_id: str
    fingerprint: str
    dimensions: int
    purges: int
    """Up to which purge the vectors of erased texts are gone."""
    token: str = ""
    """Drawn for each new store: readers know blocks by name, and one that was deleted may have had the same names."""
    next_number: int = 1
    blocks: tuple[BlockEntry, ...] = ()

    def numbered(self) -> tuple[str, StoreManifest]:
        """A fresh block name, and the manifest that will never give it again."""
        return f"block-{self.next_number:06d}", replace(self, next_number=self.next_number + 1)


@dataclass(frozen=True, slots=True)
class TextPlaces:
    """Where the texts of one segment lie in a store; texts are numbered through all its blocks."""

    text_of_row: Array
    """`WAITING` or `NO_TEXT` where there is none."""
    rows: Array
    """Rows that hold texts, in the order of these texts."""
    lowest: int
    """The first text of the store that a row holds …"""
    starts: Array
    """… where its rows and those of every later text begin, up to the last one that is held, and where they end."""

    def rows_with(self, texts: Array, values: Array) -> tuple[Array, Array]:
        """The rows that hold one of these texts, each with its text's value."""
        at = texts - self.lowest
        here = (at >= 0) & (at < len(self.starts) - 1)
        first = self.starts[at[here]]
        counts = self.starts[at[here] + 1] - first
        return self.rows[positions(first, counts)], np.repeat(values[here], counts)


class SegmentVectors:
    """One published state of a store, opened. A newer one shares the blocks they have in common."""

    def __init__(self, folder: Path, previous: SegmentVectors | None = None) -> None:
        self.folder = folder
        self.stamp = _stamp(folder)
        self.manifest = load_store(folder)
        same = previous is not None and previous.manifest.token == self.manifest.token
        known = {block.name: block for block in previous.blocks} if previous and same else {}
        names = [entry.name for entry in self.manifest.blocks]
        self.blocks: tuple[VectorBlock, ...] = tuple(known.get(name) or VectorBlock(folder / name) for name in names)
        self.first_text = np.append(0, np.cumsum([len(block) for block in self.blocks], dtype=np.int64))
        """Number of the first text of each block and, last, of all texts."""
        self._starts: list[int] = self.first_text[:-1].tolist()
        self.asked: WeakKeyDictionary[Visible, Any] = WeakKeyDictionary()
        """What `asked.py` remembers …"""
        self.pieces: dict[tuple[int, ...], Any] = {}
        """… and `dense.py`."""
        self._places: WeakKeyDictionary[Segment, TextPlaces] = WeakKeyDictionary()

    @property
    def dimensions(self) -> int:
        return self.manifest.dimensions

    def locate(self, text: int) -> tuple[VectorBlock, int]:
        """The block that holds a text, and the text's number in it."""
        number = bisect_right(self._starts, text) - 1
        return self.blocks[number], text - self._starts[number]

    def places(self, segment: Segment) -> TextPlaces:
        """Where the rows of the segment have their vectors; remembered."""
        known = self._places.get(segment)
        if known is None:
            known = self._places[segment] = self._find(segment)
        return known

    def _find(self, segment: Segment) -> TextPlaces:
        keys = row_keys(segment)
        text_of_row = np.where((keys.high | keys.low) == 0, np.int32(NO_TEXT), np.int32(WAITING))
        found = [(texts + np.int32(base), rows) for base, texts, rows in self._pairs(segment)]
        empty = np.empty(0, np.int32)
        texts = np.concatenate([empty, *(texts for texts, _ in found)])
        rows = np.concatenate([empty, *(rows for _, rows in found)])
        text_of_row[rows] = texts
        lowest = int(texts[0]) if len(texts) else 0
        return TextPlaces(text_of_row, rows, lowest, pointers(np.bincount(texts - np.int32(lowest))))

    def _pairs(self, segment: Segment) -> Iterator[tuple[int, Array, Array]]:
        for block, base in zip(self.blocks, self.first_text.tolist(), strict=False):
            yield base, *block.places(segment)


def store_folder(repository: Path, fingerprint: str) -> Path:
    return repository / f"vectors-{hashlib.blake2b(fingerprint.encode('utf-8'), digest_size=8).hexdigest()}"


def store_folders(repository: Path) -> list[Path]:
    """All stores of a repository."""
    return sorted(repository.glob("vectors-*"))


def load_store(folder: Path) -> StoreManifest:
    """The manifest of a store. FileNotFoundError when there is none."""
    value = read_sealed(folder / MANIFEST)
    value["blocks"] = tuple(BlockEntry(**entry) for entry in value["blocks"])
    return StoreManifest(**value)


def publish_store(folder: Path, manifest: StoreManifest) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_sealed(folder / MANIFEST, asdict(manifest))


def is_current(store: SegmentVectors) -> bool:
    """Whether nothing was published since the store was opened."""
    try:
        return _stamp(store.folder) == store.stamp
    except FileNotFoundError:
        return False


def open_store(folder: Path, previous: SegmentVectors | None) -> SegmentVectors | None:
    """The newest published state; None when this model has no vectors here."""
    missing: FileNotFoundError | None = None
    for _ in range(ATTEMPTS):
        if not (folder / MANIFEST).exists():
            return None
        try:
            return SegmentVectors(folder, previous)
        except FileNotFoundError as error:
            missing = error
    raise Damaged(f"{place(missing.filename if missing else folder)} is missing; {repair()}")


def check_stores(repository: Path) -> list[str]:
    """What is damaged in the stores of a repository, in words."""
    problems = []
    for folder in store_folders(repository):
        try:
            names = [entry.name for entry in load_store(folder).blocks]
        except FileNotFoundError:
            continue  # a crash before the first block was published; swept by the next writer
        except Damaged as damage:
            problems.append(damage.message)
            continue
        found = [verify(folder / name) for name in names]
        problems += [f"vectors: {damage}; {repair()}" for damage in found if damage]
    return problems


def _stamp(folder: Path) -> tuple[int, ...]:
    found = (folder / MANIFEST).stat()
    return found.st_mtime_ns, found.st_ino, found.st_size
