"""Rolling a generation forward: births become segments, deaths become sidecars, erased elements vanish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from pincite.advice import repair
from pincite.durable import clear_errors
from pincite.errors import Damaged
from pincite.ids import erasure_key
from pincite.index.segments.build import build_segment
from pincite.index.segments.format import verify
from pincite.index.segments.manifest import Manifest, SegmentEntry, load_deaths, store_deaths, store_manifest
from pincite.index.segments.merge import SegmentToMerge, merge_segments
from pincite.index.segments.segment import Segment
from pincite.index.segments.sweep import sweep, sweep_merges
from pincite.index.segments.take import forget_unused
from pincite.index.segments.visibility import OpenSegment
from pincite.protocols import Catalog
from pincite.types import FOREVER, Birth, Death, RepositoryInfo

MAX_BATCH_CHARACTERS = 24_000_000
"""Text that is in memory at once while a segment is built."""


def roll_forward(folder: Path, manifest: Manifest, catalog: Catalog, info: RepositoryInfo) -> Manifest:
    """Bring the generation to the catalog's head and publish its manifest. Needs the write lock."""
    with clear_errors("indexing"):
        before = manifest
        if manifest.purges < info.purges:
            manifest = _erase(folder, manifest, catalog, info)
            # Before anything is born: a text that was erased and came back is embedded again.
            forget_unused(folder.parent, [Segment(folder / entry.name) for entry in manifest.segments], info.purges)
        if manifest.revision < info.head:
            manifest = _bury(folder, manifest, catalog.feed.deaths(info.scope, manifest.revision, info.head))
            births = catalog.feed.births(info.scope, manifest.revision, info.head)
            for batch in _batches(births):
                manifest = _append(folder, manifest, batch)
            manifest = replace(manifest, revision=info.head)
        if manifest != before:
            store_manifest(folder, manifest)
            sweep(folder, manifest)
            sweep_merges(folder)
    return manifest


def _batches(births: Iterable[Birth]) -> Iterator[list[Birth]]:
    batch: list[Birth] = []
    size = 0
    for birth in births:
        batch.append(birth)
        size += len(birth.content.text) + sum(len(chunk.rendered or "") for chunk in birth.derivation.chunks)
        if size >= MAX_BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _append(folder: Path, manifest: Manifest, batch: list[Birth]) -> Manifest:
    """New segments for what lives and, apart, for what is already dead."""
    for history in (False, True):
        births = [birth for birth in batch if (birth.lifetime.died != FOREVER) == history and birth.derivation.chunks]
        if births:
            name, manifest = manifest.numbered("seg")
            rows = build_segment(folder / name, births)
            entry = SegmentEntry(name, rows, history)
            manifest = replace(manifest, segments=(*manifest.segments, entry))
    return manifest


def _bury(folder: Path, manifest: Manifest, deaths: Iterable[Death]) -> Manifest:
    """Record deaths beside the segments that hold the dead."""
    died = {death.lifetime_id: death.died for death in deaths}
    if not died:
        return manifest
    entries = []
    for entry in manifest.segments:
        lifetimes = Segment(folder / entry.name)["owner_lifetime"]
        known = load_deaths(folder, entry)
        owners = np.flatnonzero(np.isin(lifetimes, np.fromiter(died, np.int64)))
        if len(owners):
            fresh = np.array([(owner, died[int(lifetimes[owner])]) for owner in owners.tolist()], np.int64)
            name, manifest = manifest.numbered("deaths")
            checksum = store_deaths(folder, name, np.concatenate((known, fresh)))
            entry = replace(entry, deaths=name, deaths_crc32=checksum)
        entries.append(entry)
    return replace(manifest, segments=tuple(entries))


def _erase(folder: Path, manifest: Manifest, catalog: Catalog, info: RepositoryInfo) -> Manifest:
    """Rewrite every segment that holds an erased element, without it and without words that only it held."""
    erased = catalog.feed.erased(info.scope, manifest.purges)
    entries: list[SegmentEntry] = []
    for entry in manifest.segments:
        segment = Segment(folder / entry.name)
        gone = np.array([erasure_key(info.scope, raw.decode("utf-8")) in erased for raw in segment.elements], bool)
        keep = ~gone[segment["owner_element"]]
        if not keep.all():
            damage = verify(folder / entry.name)
            if damage:  # what is copied gets fresh checksums, which would hide it
                raise Damaged(f"{damage}; {repair()}")
            opened = OpenSegment(segment, load_deaths(folder, entry))
            if not keep.any():
                continue
            name, manifest = manifest.numbered("seg")
            rows = merge_segments(folder / name, [SegmentToMerge.of(opened, keep)])
            entry = SegmentEntry(name, rows, entry.history)
        entries.append(entry)
    return replace(manifest, segments=tuple(entries), purges=info.purges)
