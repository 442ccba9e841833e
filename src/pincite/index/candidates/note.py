"""What an index of candidates notes on disk: which models it has vectors of, in which generation of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pincite.index.segments.format import read_sealed, write_sealed

FILE = "taken"


@dataclass(frozen=True, slots=True)
class Note:
    """Replaced as a whole: a process that finds another one than it knows looks at the store again."""

    library_id: str = ""
    generation: int = 0
    writes: int = 0
    """How often something was put into the store: other processes notice by it."""
    models: Mapping[str, int] = field(default_factory=dict)
    """Dimensions of the vectors of each model, by fingerprint."""


def read_note(folder: Path, library_id: str) -> Note:
    """The note of a repository; an empty one where there is none, or one of another library."""
    try:
        note = Note(**read_sealed(folder / FILE))
    except FileNotFoundError:
        return Note(library_id)
    return note if note.library_id == library_id else Note(library_id)


def write_note(folder: Path, note: Note) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_sealed(folder / FILE, asdict(note))
