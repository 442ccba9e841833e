"""Items of a source become elements: what a kind reads of one, and what is to be said about the rest of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pincite.errors import InvalidArgument, MissingExtra, PinciteError
from pincite.ids import normalise_id, text_hash, version_id
from pincite.ingest.sources import FileFound, Skipped
from pincite.protocols import Kind
from pincite.reading import Item, ReadElement, Unread
from pincite.types import JsonValue

MAX_PARTS = 100
"""Parts of one item that are listed with their reason; of more, how many there are."""


@dataclass(slots=True, eq=False)
class ItemReading:
    """One item that is being read, and what became of it so far."""

    file: FileFound
    recipe: str
    prefix: str
    digest: str = ""
    """Of its bytes."""
    was_known: bool = False
    """Whether the last ingest took something from it."""
    seen: set[str] = field(default_factory=set)
    """Ids of the elements that it gave."""
    failed: list[Skipped] = field(default_factory=list)
    passed_over: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ended: bool = False
    """Whether nothing more of it is to be taken."""
    denied: bool = False
    """Whether an element of it belongs to another item or source, so that it gives nothing to the next commit."""
    pending: bool = False
    """Whether something of it is incomplete, so that the next ingest has to read it again."""
    seconds: float = 0.0
    """Spent in reading it."""
    _unlisted: Counter[bool] = field(default_factory=Counter)
    """Parts beyond those that are listed, by whether they are harmless."""

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def element_id(self) -> str:
        """Of an item that is one element."""
        return normalise_id(self.prefix + self.name)

    def fail(self, reason: str) -> None:
        """Nothing more of it is taken."""
        self.failed.append(Skipped(self.name, reason))
        self.ended = True

    def deny(self, reason: str) -> None:
        """Nothing more of it is taken: one of its elements belongs to another item or source. Said once."""
        if not self.denied:
            self.fail(reason)
        self.denied = True

    def leave_out(self, place: str, reason: str, *, harmless: bool = False) -> None:
        """A part of it is not taken; the rest goes on."""
        listed = self.passed_over if harmless else self.failed
        if len(listed) < MAX_PARTS:
            listed.append(Skipped(self.name, f"{place}: {reason}" if place else reason))
        else:
            self._unlisted[harmless] += 1

    def end(self) -> None:
        """It has been read, as far as it could be."""
        self.ended = True
        for harmless, count in self._unlisted.items():
            said = Skipped(self.name, f"{count:,} more of its parts were left out")
            (self.passed_over if harmless else self.failed).append(said)
        self._unlisted.clear()


def elements_of(kind: Kind, reading: ItemReading) -> Iterator[ReadElement]:
    """What the item holds, streamed; what cannot be read of it is noted in `reading`, and nothing is raised for it."""
    file = reading.file
    item = Item(file.name, file.path, file.size, reading.prefix)
    try:
        if file.size > kind.declares.max_bytes:
            raise InvalidArgument(f"larger than {kind.declares.max_bytes:,} bytes; split the file")
        began = time.perf_counter()
        for found in kind.read(item):
            reading.seconds += time.perf_counter() - began
            if isinstance(found, Unread):
                _note(reading, found)
            else:
                yield from _checked(reading, found)
            if reading.ended:
                return
            began = time.perf_counter()
        reading.seconds += time.perf_counter() - began
    except (PinciteError, OSError) as error:
        # What never could be read here is not a failure; what once could may be.
        harmless = isinstance(error, MissingExtra)
        reason = error.message if isinstance(error, PinciteError) else (error.strerror or str(error))
        _note(reading, Unread("", reason, harmless=harmless))
    finally:
        reading.end()


def digest_of(path: Path) -> str:
    """Of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def element_digest(element: ReadElement, recipe: str) -> str:
    """Of all that was read of an element, and of how: with the same one it is not derived again."""
    states: list[JsonValue] = [
        [
            version_id(state.content),
            list[JsonValue](sorted(state.roles)),
            state.valid_from.isoformat() if state.valid_from else None,
            state.valid_to.isoformat() if state.valid_to else None,
        ]
        for state in element.states
    ]
    relations: list[JsonValue] = [
        [*(r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section), dict(r.metadata)]
        for r in element.relations
    ]
    return text_hash(json.dumps([recipe, states, relations], ensure_ascii=False, sort_keys=True))


def _note(reading: ItemReading, found: Unread) -> None:
    if found.place:
        reading.leave_out(found.place, found.reason, harmless=found.harmless)
        return
    reason = found.reason.removeprefix(f"{reading.element_id}: ")
    said = Skipped(reading.name, reason.replace(str(reading.file.path), reading.name))
    # A file that never had text is not a failure; one that lost it may be.
    harmless = found.harmless and not reading.was_known
    (reading.passed_over if harmless else reading.failed).append(said)
    reading.ended = True


def _checked(reading: ItemReading, found: ReadElement) -> Iterator[ReadElement]:
    """The element, if it can be stored: one that cannot must not spoil the commit of all others."""
    element_id = normalise_id(found.element_id)
    # A document is its file and needs no other name.
    place = "" if element_id == reading.element_id else element_id
    if element_id in reading.seen:
        reading.leave_out(place, "an element before it has the same id; ids must differ")
        return
    try:
        for content in (state.content for state in found.states):
            content.text.encode()
            json.dumps([element_id, content.name, dict(content.metadata)], ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        reading.leave_out(place, f"it holds a lone surrogate ({error.object[error.start]!a}), which is not a character")
        return
    reading.seen.add(element_id)
    where = f"{reading.name}: {place}:" if place else f"{reading.name}:"
    reading.notes += [f"{where} {note}" for note in found.notes]
    yield found
