"""What a reader sees of a repository's index: one manifest and the segments it names, opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pincite.advice import place, repair
from pincite.errors import Damaged
from pincite.index.segments.manifest import (
    CURRENT,
    MANIFEST,
    Manifest,
    current_generation,
    load_deaths,
    load_manifest,
)
from pincite.index.segments.segment import Segment
from pincite.index.segments.visibility import OpenSegment

ATTEMPTS = 50
"""How often a reader starts over when a merge removes files under its hands; each time the manifest is newer."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Immutable; a newer manifest gives a new one that shares the segments they have in common."""

    folder: Path
    manifest: Manifest
    segments: tuple[OpenSegment, ...]
    stamp: tuple[int, ...]


def read_stamp(folder: Path) -> tuple[int, ...] | None:
    """Changes whenever the generation or its manifest does; None before the first generation."""
    try:
        current = (folder / CURRENT).stat()
    except FileNotFoundError:
        return None
    return current.st_mtime_ns, current.st_ino


def manifest_stamp(generation: Path) -> tuple[int, ...]:
    found = (generation / MANIFEST).stat()
    return found.st_mtime_ns, found.st_ino, found.st_size


def is_current(folder: Path, snapshot: Snapshot) -> bool:
    """Whether nothing was published since the snapshot was taken."""
    current = read_stamp(folder)
    if current is None:
        return False
    try:
        return (*current, *manifest_stamp(snapshot.folder)) == snapshot.stamp
    except FileNotFoundError:
        return False


def take_snapshot(folder: Path, previous: Snapshot | None) -> Snapshot | None:
    """The newest published state; None when nothing was ever indexed."""
    missing: FileNotFoundError | None = None
    for _ in range(ATTEMPTS):
        current = read_stamp(folder)
        if current is None:
            return None
        generation = folder / current_generation(folder)
        try:
            stamp = (*current, *manifest_stamp(generation))
            manifest = load_manifest(generation)
            return Snapshot(generation, manifest, _open(generation, manifest, previous), stamp)
        except FileNotFoundError as error:
            missing = error
    raise Damaged(f"{place(missing.filename if missing else folder)} is missing; {repair()}")


def open_generation(generation: Path) -> Snapshot:
    """A generation by its folder, in use or not."""
    manifest = load_manifest(generation)
    return Snapshot(generation, manifest, _open(generation, manifest, None), manifest_stamp(generation))


def _open(generation: Path, manifest: Manifest, previous: Snapshot | None) -> tuple[OpenSegment, ...]:
    known: dict[tuple[str, str], OpenSegment] = {}
    if previous is not None and previous.folder == generation:
        entries = zip(previous.manifest.segments, previous.segments, strict=True)
        known = {(entry.name, entry.deaths): opened for entry, opened in entries}
    mapped = {name: opened.segment for (name, _), opened in known.items()}
    out = []
    for entry in manifest.segments:
        opened = known.get((entry.name, entry.deaths))
        if opened is None:
            segment = mapped.get(entry.name) or Segment(generation / entry.name)
            opened = OpenSegment(segment, load_deaths(generation, entry))
        out.append(opened)
    return tuple(out)
