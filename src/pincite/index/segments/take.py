"""Writing vector stores: taking vectors in, merging blocks, forgetting what was erased, repairing.

Everything here needs the repository's write lock. A block is on disk before the manifest names it; replacing the
manifest is the one act that publishes it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import repair
from pincite.errors import Damaged
from pincite.fixed import count_of, dimensions_of
from pincite.index.segments.blocks import TextKeys, VectorBlock, merge_blocks, row_keys, write_block
from pincite.index.segments.crowding import crowded
from pincite.index.segments.format import verify
from pincite.index.segments.segment import Segment
from pincite.index.segments.vectors import (
    MANIFEST,
    WAITING,
    BlockEntry,
    SegmentVectors,
    StoreManifest,
    load_store,
    open_store,
    publish_store,
    store_folders,
)
from pincite.index.segments.visibility import OpenSegment
from pincite.types import FOREVER

Array = NDArray[Any]
Fetch = Callable[[Sequence[str]], Mapping[str, bytes]]

FETCH = 2_000
"""Texts whose vectors are read from the catalog at once."""
MAX_BLOCK_BYTES = 256_000_000
"""Vectors that are in memory at once while a block is made."""
FEW, SMALL = 5, 2_048
"""So many blocks of so many vectors may stand beside the others."""
FULL = 2_000_000
"""Vectors in a block beyond which it is merged no more: the sign bits of what is merged must fit into memory."""
MAX_DEAD_SHARE = 0.3
"""A block with more texts than this that only the dead hold is split into life and history."""


def take_missing(
    folder: Path,
    start: StoreManifest,
    segments: Sequence[OpenSegment],
    fetch: Fetch,
    known: SegmentVectors | None = None,
) -> int:
    """Append the vectors of texts that the segments hold and the store has not; how many texts were added.

    `start` is the manifest of a new store, with 0 dimensions; `known` an earlier state, whose blocks know their texts.
    """
    sweep_store(folder)
    store = open_store(folder, known)
    manifest = store.manifest if store else start
    added = 0
    for history, missing in zip((False, True), _missing(store, segments), strict=True):
        for batch in _fetched(missing, fetch):
            manifest = _append(folder, manifest, batch, history=history)
            added += len(batch)
    if added:
        manifest = _move_history(folder, manifest, store.blocks if store else (), segments)
        _merge_crowded(folder, manifest)
        sweep_store(folder)
    return added


def _missing(store: SegmentVectors | None, segments: Sequence[OpenSegment]) -> tuple[list[str], list[str]]:
    """Keys that wait for vectors, in order, in hex: those of the living, and those that only the dead hold."""
    living, dead = [], []
    for opened in segments:
        segment = opened.segment
        keys = row_keys(segment)
        waits = store.places(segment).text_of_row == WAITING if store else (keys.high | keys.low) != 0
        rows = np.flatnonzero(waits)
        alive = _alive(opened, rows)
        living.append(keys[rows[alive]])
        dead.append(keys[rows[~alive]])
    first, other = TextKeys.joined(living).distinct(), TextKeys.joined(dead).distinct()
    return first.hex(), other[first.find(other) < 0].hex()


def _alive(opened: OpenSegment, rows: Array) -> Array:
    alive: Array = opened.died[opened.segment.row_owner[rows]] == FOREVER
    return alive


def _fetched(missing: Sequence[str], fetch: Fetch) -> Iterator[dict[str, bytes]]:
    """What the catalog has of the missing, in order of the keys, in batches that fit into memory."""
    batch: dict[str, bytes] = {}
    size = 0
    for low in range(0, len(missing), FETCH):
        wanted = missing[low : low + FETCH]
        found = fetch(wanted)
        batch |= {key: found[key] for key in wanted if key in found}
        size += sum(map(len, found.values()))
        if size >= MAX_BLOCK_BYTES:
            yield batch
            batch, size = {}, 0
    if batch:
        yield batch


def _append(folder: Path, manifest: StoreManifest, batch: Mapping[str, bytes], *, history: bool) -> StoreManifest:
    """One more block with these vectors, published."""
    manifest = replace(manifest, dimensions=manifest.dimensions or dimensions_of(next(iter(batch.values()))))
    counts = np.array([count_of(key, blob, manifest.dimensions) for key, blob in batch.items()], np.int64)
    halves = np.frombuffer(b"".join(map(bytes.fromhex, batch)), ">u8").astype(np.uint64).reshape(-1, 2)
    vectors = np.frombuffer(b"".join(batch.values()), "<i2").reshape(-1, manifest.dimensions)
    name, manifest = manifest.numbered()
    write_block(folder / name, TextKeys(halves[:, 0], halves[:, 1]), counts, manifest.dimensions, [vectors])
    entry = BlockEntry(name, len(batch), len(vectors), history)
    manifest = replace(manifest, blocks=(*manifest.blocks, entry))
    publish_store(folder, manifest)
    return manifest


def _move_history(
    folder: Path, manifest: StoreManifest, blocks: Sequence[VectorBlock], segments: Sequence[OpenSegment]
) -> StoreManifest:
    """Take what only the dead hold out of the blocks of the living, where it is much."""
    if all((opened.died == FOREVER).all() for opened in segments):
        return manifest
    living = {entry.name: entry for entry in manifest.blocks if not entry.history}
    for block in blocks:
        if block.name not in living:
            continue
        alive = np.zeros(len(block), bool)
        for opened in segments:
            texts, rows = block.places(opened.segment)
            alive[texts[_alive(opened, rows)]] = True
        if np.mean(~alive) > MAX_DEAD_SHARE:
            manifest = _split(folder, manifest, living[block.name], alive)
    return manifest


def _split(folder: Path, manifest: StoreManifest, entry: BlockEntry, alive: Array) -> StoreManifest:
    if not alive.any():
        past = replace(entry, history=True)
        manifest = replace(manifest, blocks=tuple(past if e == entry else e for e in manifest.blocks))
        publish_store(folder, manifest)
        return manifest
    block = _verified(folder, entry)
    return _replaced(folder, manifest, [entry], {False: [(block, alive)], True: [(block, ~alive)]})


def _merge_crowded(folder: Path, manifest: StoreManifest) -> StoreManifest:
    """Merge blocks until few are left."""
    for history in (False, True):
        while chosen := _crowded(manifest.blocks, history=history):
            blocks = [_verified(folder, entry) for entry in chosen]
            sources = [(block, np.ones(len(block), bool)) for block in blocks]
            manifest = _replaced(folder, manifest, chosen, {history: sources})
    return manifest


def _crowded(entries: Sequence[BlockEntry], *, history: bool) -> tuple[BlockEntry, ...]:
    open_to_more = [entry for entry in entries if entry.history == history and entry.vectors < FULL]
    return crowded(open_to_more, lambda entry: entry.vectors, small=SMALL, few=FEW)


def _replaced(
    folder: Path,
    manifest: StoreManifest,
    old: Sequence[BlockEntry],
    sources: Mapping[bool, Sequence[tuple[VectorBlock, Array]]],
) -> StoreManifest:
    """A block of the living, of history, or one of each in the place of others, published."""
    kept = [entry for entry in manifest.blocks if entry not in old]
    for history, parts in sources.items():
        if any(keep.any() for _, keep in parts):
            name, manifest = manifest.numbered()
            kept.append(BlockEntry(name, *merge_blocks(folder / name, parts), history))
    manifest = replace(manifest, blocks=tuple(kept))
    publish_store(folder, manifest)
    return manifest


def _verified(folder: Path, entry: BlockEntry) -> VectorBlock:
    """A block to copy from: what is copied gets fresh checksums, which would hide damage."""
    damage = verify(folder / entry.name)
    if damage:
        raise Damaged(f"vectors: {damage}; {repair()}")
    return VectorBlock(folder / entry.name)


def forget_unused(repository: Path, segments: Sequence[Segment], purges: int) -> None:
    """Take vectors that no row needs any more out of every store, block by block, and note the purge."""
    used = TextKeys.joined([row_keys(segment) for segment in segments]).distinct()
    for folder in store_folders(repository):
        sweep_store(folder)
        try:
            manifest = load_store(folder)
        except FileNotFoundError:
            continue
        for entry in manifest.blocks:
            keep = used.find(VectorBlock(folder / entry.name).keys) >= 0
            if not keep.all():
                manifest = _replaced(folder, manifest, [entry], {entry.history: [(_verified(folder, entry), keep)]})
        if manifest.purges != purges:
            publish_store(folder, replace(manifest, purges=purges))
        sweep_store(folder)


def repair_stores(repository: Path, library_id: str, purges: int) -> list[StoreManifest]:
    """Drop what cannot be trusted: damaged blocks, stores of another library, all if a purge was missed. What is left.

    What was dropped is read from the catalog again by the next `take_missing`.
    """
    left = []
    for folder in store_folders(repository):
        try:
            manifest = load_store(folder)
        except (Damaged, FileNotFoundError):
            shutil.rmtree(folder, ignore_errors=True)
            continue
        if manifest.library_id != library_id:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        sound = tuple(e for e in manifest.blocks if manifest.purges == purges and not verify(folder / e.name))
        repaired = replace(manifest, blocks=sound, purges=purges)
        if repaired != manifest:
            publish_store(folder, repaired)
        sweep_store(folder)
        left.append(repaired)
    return left


def remove_store(folder: Path) -> None:
    """Delete a store: its manifest first, so that no reader opens what is being deleted."""
    (folder / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def sweep_store(folder: Path) -> None:
    """Delete blocks that the manifest does not name: leftovers of crashes and merges."""
    try:
        wanted = {entry.name for entry in load_store(folder).blocks}
    except FileNotFoundError:
        wanted = set()
    for path in folder.glob("block-*"):
        if path.name not in wanted:
            shutil.rmtree(path, ignore_errors=True)
