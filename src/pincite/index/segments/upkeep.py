"""Merging in the background: few segments to search, dead rows out of the way of the living.

A merge reads immutable segments and writes new ones without holding the write lock, so that neither readers nor commits
wait for it. Only the exchange in the manifest is locked; if the sources changed meanwhile the merge is thrown away.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pincite.advice import repair
from pincite.durable import clear_errors
from pincite.errors import Damaged, Locked
from pincite.index.segments.crowding import crowded
from pincite.index.segments.format import verify
from pincite.index.segments.lock import write_lock
from pincite.index.segments.manifest import (
    Manifest,
    SegmentEntry,
    current_generation,
    load_deaths,
    load_manifest,
    store_deaths,
    store_manifest,
)
from pincite.index.segments.merge import SegmentToMerge, merge_segments
from pincite.index.segments.segment import Segment
from pincite.index.segments.snapshot import Snapshot
from pincite.index.segments.sweep import MERGING, sweep
from pincite.index.segments.visibility import OpenSegment
from pincite.types import FOREVER

FEW, SMALL = 5, 512
"""So many segments of so many rows may stand beside the others: each costs a question half a millisecond."""
MAX_DEAD_SHARE = 0.3
"""A living segment with more dead owners than this is split into life and history."""


def due(snapshot: Snapshot) -> tuple[SegmentEntry, ...]:
    """The segments that should be merged next, or none."""
    for entry, opened in zip(snapshot.manifest.segments, snapshot.segments, strict=True):
        if not entry.history and np.mean(opened.died != FOREVER) > MAX_DEAD_SHARE:
            return (entry,)
    kinds = [[e for e in snapshot.manifest.segments if e.history == history] for history in (False, True)]
    ready = [crowded(entries, lambda entry: entry.rows, small=SMALL, few=FEW) for entries in kinds]
    return min(filter(None, ready), key=lambda entries: sum(e.rows for e in entries), default=())


def merge(repository: Path, snapshot: Snapshot, chosen: tuple[SegmentEntry, ...]) -> bool:
    """Merge the chosen segments and exchange them; False when another merge runs or the sources are gone."""
    try:
        with write_lock(repository / MERGING, wait_seconds=0), clear_errors("merging segments"):
            _sweep(snapshot.folder)
            try:
                return _merge(repository, snapshot, chosen)
            except FileNotFoundError:
                if _present(snapshot.folder, chosen):
                    raise
                return False
            finally:
                _sweep(snapshot.folder)  # what was not exchanged must not stay: it may hold what was erased meanwhile
    except Locked:
        return False


def _present(folder: Path, entries: tuple[SegmentEntry, ...]) -> bool:
    """Whether the sources are still there: a rebuild or an erasure may have replaced them meanwhile."""
    return all((folder / entry.name).exists() for entry in entries)


def _sweep(folder: Path) -> None:
    for path in folder.glob("merge-*"):
        shutil.rmtree(path, ignore_errors=True)


def _merge(repository: Path, snapshot: Snapshot, chosen: tuple[SegmentEntry, ...]) -> bool:
    for entry in chosen:
        damage = verify(snapshot.folder / entry.name)
        if damage and not _present(snapshot.folder, chosen):
            return False
        if damage:
            raise Damaged(f"{damage}; not merged: {repair()}")
    names = {entry.name for entry in chosen}
    opened = [o for e, o in zip(snapshot.manifest.segments, snapshot.segments, strict=True) if e.name in names]
    made: list[SegmentEntry] = []
    for history in (False, True):
        sources = [SegmentToMerge.of(o, (o.died != FOREVER) == history) for o in opened]
        if any(source.keep.any() for source in sources):
            name = f"merge-{'history' if history else 'live'}-{min(names)}-{max(names)}-{len(names)}"
            rows = merge_segments(snapshot.folder / name, sources)
            made.append(SegmentEntry(name, rows, history))
    with write_lock(repository):
        if current_generation(repository) != snapshot.folder.name:
            return False
        manifest = load_manifest(snapshot.folder)
        present = {entry.name: entry for entry in manifest.segments}
        if manifest.purges != snapshot.manifest.purges or not names <= present.keys():
            return False
        sweep(snapshot.folder, manifest)  # a crashed writer may have left the very name that comes next
        _exchange(_Exchange(snapshot.folder, manifest, tuple(present[e.name] for e in chosen), tuple(made)))
    return True


@dataclass(frozen=True, slots=True)
class _Exchange:
    folder: Path
    manifest: Manifest
    old: tuple[SegmentEntry, ...]
    made: tuple[SegmentEntry, ...]


def _exchange(change: _Exchange) -> None:
    """Put the merged segments in the place of their sources, with the deaths that came in the meantime."""
    manifest, folder = change.manifest, change.folder
    died: dict[int, int] = {}
    for entry in change.old:
        opened = OpenSegment(Segment(folder / entry.name), load_deaths(folder, entry))
        lifetimes = opened.segment["owner_lifetime"]
        died |= {int(lifetimes[owner]): int(revision) for owner, revision in opened.deaths.tolist()}
    entries = []
    for entry in change.made:
        # A name of its own: merged folders are swept by mergers, segments by writers.
        name, manifest = manifest.numbered("seg")
        (folder / entry.name).rename(folder / name)
        segment = Segment(folder / name)
        late = [
            (owner, died[lifetime])
            for owner, (lifetime, known) in enumerate(
                zip(segment["owner_lifetime"].tolist(), segment["owner_died"].tolist(), strict=True)
            )
            if lifetime in died and known != died[lifetime]
        ]
        entry = replace(entry, name=name)
        if late:
            deaths, manifest = manifest.numbered("deaths")
            checksum = store_deaths(folder, deaths, np.array(late, np.int64))
            entry = replace(entry, deaths=deaths, deaths_crc32=checksum)
        entries.append(entry)
    gone = {entry.name for entry in change.old}
    segments = (*(e for e in manifest.segments if e.name not in gone), *entries)
    manifest = replace(manifest, segments=segments)
    store_manifest(folder, manifest)
    sweep(folder, manifest)
