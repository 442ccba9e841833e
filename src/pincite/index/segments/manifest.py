"""The manifest: which segments make up a generation, which deaths apply, and the revision that is reached.

    index/<repository key>/current            names the generation that readers use
                           <generation>/      manifest  seg-000001/ …  deaths-000002 …

Replacing the manifest is the one act that makes a change visible. Segments and deaths are written, and on disk, before.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import place, repair
from pincite.durable import sync_folder
from pincite.errors import Damaged
from pincite.index.segments.format import read_sealed, write_sealed
from pincite.text.words import ANALYSER

Array = NDArray[Any]

MANIFEST = "manifest"
CURRENT = "current"


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    name: str
    rows: int
    history: bool = False
    """Holds only rows that were dead when it was written."""
    deaths: str = ""
    """File with (owner, revision) pairs of deaths since the segment was written."""
    deaths_crc32: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    library_id: str
    generation: str
    revision: int = 0
    purges: int = 0
    next_number: int = 1
    analyser: str = ANALYSER
    segments: tuple[SegmentEntry, ...] = ()

    def numbered(self, stem: str) -> tuple[str, Manifest]:
        """A fresh file name, and the manifest that will never give it again."""
        return f"{stem}-{self.next_number:06d}", replace(self, next_number=self.next_number + 1)

    def files(self) -> frozenset[str]:
        """Everything in the generation's folder that belongs there."""
        return frozenset({MANIFEST} | {s.name for s in self.segments} | {s.deaths for s in self.segments if s.deaths})


def load_manifest(folder: Path) -> Manifest:
    """The manifest of a generation. FileNotFoundError when there is none."""
    value = read_sealed(folder / MANIFEST)
    value["segments"] = tuple(SegmentEntry(**entry) for entry in value["segments"])
    return Manifest(**value)


def store_manifest(folder: Path, manifest: Manifest) -> None:
    write_sealed(folder / MANIFEST, asdict(manifest))


def current_generation(folder: Path) -> str:
    """Name of the generation in use, or "" before the first."""
    try:
        return str(read_sealed(folder / CURRENT)["generation"])
    except FileNotFoundError:
        return ""


def switch_generation(folder: Path, generation: str) -> None:
    write_sealed(folder / CURRENT, {"generation": generation})


def load_deaths(folder: Path, entry: SegmentEntry) -> Array:
    """(owner, revision) pairs; empty when nothing died since the segment was written."""
    if not entry.deaths:
        return np.empty((0, 2), np.int64)
    data = (folder / entry.deaths).read_bytes()
    if zlib.crc32(data) != entry.deaths_crc32:
        raise Damaged(f"{place(folder / entry.deaths)} fails its checksum; {repair()}")
    return np.frombuffer(data, "<i8").reshape(-1, 2)


def store_deaths(folder: Path, name: str, deaths: Array) -> int:
    """Write the pairs durably and return their checksum."""
    data = np.ascontiguousarray(deaths, "<i8").tobytes()
    path = folder / name
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)
    return zlib.crc32(data)
