"""The words of one repository under one model, on disk: forms with their vectors, and when each was in use.

    words/<repository key>/<16 hex digits>/    one per fingerprint, named by its hash
                               manifest        how far it reaches and which files it has; replaced atomically
                               block-000001/   forms and their vectors, in the order in which they were learned
                               lives-000002/   the revisions at which a passage that everybody may read has each form

Vectors are int8: sums of products stay far below 2^24, so float32 adds them exactly in any order and a similarity has
the same bits on every machine.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator, place
from pincite.errors import Damaged
from pincite.index.segments.format import ColumnWriter, open_columns, read_sealed, verify, write_sealed
from pincite.index.segments.strings import StringTable, pack_strings
from pincite.meaning import Floats

Array = NDArray[Any]

SCALE = 127
"""Of a unit vector's components: a similarity is off by about 0.003."""
MANIFEST = "manifest"
MAX_BLOCKS = 8


@dataclass(frozen=True, slots=True)
class LexiconManifest:
    library_id: str
    fingerprint: str
    purges: int
    """Of the repository when the first word was learned: an erasure forgets the whole lexicon."""
    reached: int = 0
    """The revision up to which all words are here."""
    next_number: int = 1
    blocks: tuple[str, ...] = ()
    lives: str = ""


@dataclass(frozen=True, slots=True)
class Lives:
    """Stretches of revisions, half open, in which forms (by number) were in use."""

    form: Array
    start: Array
    end: Array
    first_day: Array
    """Days on which the passage is in force, as ordinals, half open too."""
    end_day: Array


class FormBlock:
    """Some forms in the order in which they were learned."""

    def __init__(self, folder: Path) -> None:
        columns = open_columns(folder)
        self.forms = StringTable(columns["form_blob"], columns["form_offsets"])
        self.vectors: Array = columns["vectors"].reshape(len(self.forms), -1)

    def __len__(self) -> int:
        return len(self.forms)


class LexiconState:
    """One published state, opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stamp = stamp(folder)
        self.manifest = load(folder)
        self.blocks = tuple(FormBlock(folder / name) for name in self.manifest.blocks)
        self.lives = read_lives(folder, self.manifest)

    def in_use(self, revision: int, day: int) -> Array:
        """For each form, in the order of the blocks, whether a passage in force that day has it at the revision."""
        used = np.zeros(len(self), bool)
        now = (self.lives.start <= revision) & (revision < self.lives.end)
        now &= (self.lives.first_day <= day) & (day < self.lives.end_day)
        used[self.lives.form[now]] = True
        return used

    def __len__(self) -> int:
        return sum(map(len, self.blocks))

    def forms(self) -> Iterator[str]:
        """All forms, in order."""
        return (form.decode("utf-8") for block in self.blocks for form in block.forms)


def compact(vectors: Floats) -> Array:
    """Unit vectors as int8."""
    return np.clip(np.rint(vectors.astype(np.float64) * SCALE), -SCALE, SCALE).astype(np.int8)


def load(folder: Path) -> LexiconManifest:
    """FileNotFoundError when nothing was published."""
    value = read_sealed(folder / MANIFEST)
    return LexiconManifest(**{**value, "blocks": tuple(value["blocks"])})


def publish(folder: Path, manifest: LexiconManifest) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_sealed(folder / MANIFEST, asdict(manifest))


def append(folder: Path, manifest: LexiconManifest, forms: Sequence[str], vectors: Array) -> LexiconManifest:
    """One more block, published; all become one when there are many."""
    manifest = _written(folder, manifest, manifest.blocks, [form.encode("utf-8") for form in forms], [vectors])
    if len(manifest.blocks) > MAX_BLOCKS:
        blocks = [FormBlock(folder / name) for name in manifest.blocks]
        every = [form for block in blocks for form in block.forms]
        manifest = _written(folder, manifest, (), every, [block.vectors for block in blocks])
    sweep(folder, manifest)
    return manifest


def publish_lives(folder: Path, manifest: LexiconManifest, lives: Lives, reached: int) -> LexiconManifest:
    """When each form was in use, up to the revision."""
    name = f"lives-{manifest.next_number:06d}"
    writer = _writer(folder / name)
    writer.add("form", lives.form)
    writer.add("start", lives.start)
    writer.add("end", lives.end)
    writer.add("first_day", lives.first_day)
    writer.add("end_day", lives.end_day)
    writer.finish({})
    manifest = replace(manifest, next_number=manifest.next_number + 1, lives=name, reached=reached)
    publish(folder, manifest)
    sweep(folder, manifest)
    return manifest


def read_lives(folder: Path, manifest: LexiconManifest) -> Lives:
    if not manifest.lives:
        return Lives(np.empty(0, np.int32), *(np.empty(0, np.int64) for _ in range(4)))
    columns = open_columns(folder / manifest.lives)
    try:
        return Lives(*(columns[name] for name in ("form", "start", "end", "first_day", "end_day")))
    except KeyError as absent:
        advice = by_operator("learn again with", "pincite embed")
        raise Damaged(f"{place(folder / manifest.lives)} lacks the column {absent}; {advice}") from None


def sweep(folder: Path, manifest: LexiconManifest) -> None:
    """Remove what the manifest does not name: leftovers of a kill, and what was replaced."""
    named = {*manifest.blocks, manifest.lives}
    for path in (*folder.glob("block-*"), *folder.glob("lives-*")):
        if path.name not in named:
            shutil.rmtree(path, ignore_errors=True)


def files(folder: Path) -> list[Path]:
    """All that the published state consists of; none where nothing is published."""
    if not (folder / MANIFEST).exists():
        return []
    manifest = load(folder)
    parts = [path for name in filter(None, (*manifest.blocks, manifest.lives)) for path in (folder / name).iterdir()]
    return [folder / MANIFEST, *sorted(parts)]


def damage(folder: Path) -> Iterator[str]:
    """What is wrong with the blocks, in words."""
    manifest = load(folder)
    read_lives(folder, manifest)
    for name in filter(None, (*manifest.blocks, manifest.lives)):
        if found := verify(folder / name):
            yield found


def stamp(folder: Path) -> tuple[int, ...]:
    """Changes with every publication."""
    found = (folder / MANIFEST).stat()
    return found.st_mtime_ns, found.st_ino, found.st_size


def _written(
    folder: Path, manifest: LexiconManifest, kept: tuple[str, ...], forms: Sequence[bytes], vectors: Sequence[Array]
) -> LexiconManifest:
    name = f"block-{manifest.next_number:06d}"
    writer = _writer(folder / name)
    blob, offsets = pack_strings(forms)
    writer.add("form_blob", blob)
    writer.add("form_offsets", offsets)
    with writer.column("vectors", np.int8) as put:
        for part in vectors:
            put(part)
    writer.finish({})
    manifest = replace(manifest, next_number=manifest.next_number + 1, blocks=(*kept, name))
    publish(folder, manifest)
    return manifest


def _writer(folder: Path) -> ColumnWriter:
    shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed before it could publish
    return ColumnWriter(folder)
