"""Cursors and replay tokens: small sealed notes that pin what an answer was computed from."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from pincite.errors import InvalidArgument
from pincite.search.query import Query, Reader
from pincite.search.understood import Understood

FORMAT = 1
"""Part of every seal: bump when the notes change, and those of older versions are refused, never misread."""
PREFIX = "p."
"""Begins every token: base64 may begin with a dash, which a command line takes for an option."""
SEAL_BYTES = 12
CURSOR, TOKEN = "cursor", "replay token"
FIELDS = {CURSOR: "cursor", TOKEN: "token"}
"""The argument that brings a note back."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The state in which one repository was read."""

    revision: int
    valid_at: str
    purges: int


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Where a page begins, and in which state of which repositories."""

    offset: int
    pins: Mapping[str, Pin]
    said: Understood | None = None
    """What the model said, where it is not to be asked again."""

    def to_json(self) -> dict[str, Any]:
        note = {"offset": self.offset, "pins": {name: plain(pin) for name, pin in self.pins.items()}}
        return note | ({"said": self.said.to_json()} if self.said else {})

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Bookmark:
        """Notes of before did not carry what the model said."""
        said = value.get("said")
        pins = {name: Pin(**pin) for name, pin in value["pins"].items()}
        return cls(value["offset"], pins, Understood.from_json(said) if said else None)


def plain(value: Any) -> Any:
    """What JSON would say of options and questions: dataclasses and mappings as dictionaries, all else as it is.

    `dataclasses.asdict` says the same and copies every leaf on the way, twice for each answer.
    """
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    names = _field_names(type(value))
    return {name: plain(getattr(value, name)) for name in names} if names else value


_NAMES: dict[type[Any], tuple[str, ...]] = {}


def _field_names(of: type[Any]) -> tuple[str, ...]:
    """Of a dataclass; none of anything else. Remembered, as there are few."""
    if of not in _NAMES:
        _NAMES[of] = tuple(field.name for field in fields(of)) if is_dataclass(of) else ()
    return _NAMES[of]


def question_of(query: Query, reader: Reader) -> str:
    """Fingerprint of everything that decides the order of an answer, apart from the state it is read in."""
    asked = plain(query)
    for name in ("cursor", "limit", "passages", "explain"):
        asked.pop(name)
    decided = [asked, plain(reader.scoring), plain(reader.ranking), reader.meaning.fingerprint, reader.caller]
    decided += [plain(reader.ranks)] if reader.ranks else []
    decided += [reader.kinds.rankings] if any(reader.kinds.rankings.values()) else []
    body = json.dumps(decided, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.blake2b(body.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def seal(value: Mapping[str, Any], what: str, library_id: str) -> str:
    """Opaque text, good for this library and this use; a damaged, invented or foreign one is noticed."""
    packed = zlib.compress(json.dumps(value, separators=(",", ":"), sort_keys=True).encode("ascii"))
    return PREFIX + base64.urlsafe_b64encode(_mark(packed, what, library_id) + packed).decode().rstrip("=")


def unseal(text: str, what: str, library_id: str) -> dict[str, Any]:
    """What was sealed."""
    try:
        body = text.removeprefix(PREFIX).encode("ascii") if text.startswith(PREFIX) else b""
        raw = base64.urlsafe_b64decode(body + b"=" * (-len(body) % 4))
    except (ValueError, binascii.Error):
        raw = b""
    mark, packed = raw[:SEAL_BYTES], raw[SEAL_BYTES:]
    if mark != _mark(packed, what, library_id):
        raise unknown_note(what)
    value: dict[str, Any] = json.loads(zlib.decompress(packed))
    return value


def unknown_note(what: str) -> InvalidArgument:
    """The one answer to a note that is damaged, invented or somebody else's: it does not say which of these it is."""
    advice = "start again without it" if what == CURSOR else "ask the question again"
    return InvalidArgument(f"this is not a {what} that was issued here; {advice}", field=FIELDS[what])


def _mark(packed: bytes, what: str, library_id: str) -> bytes:
    key = hashlib.blake2b(f"{FORMAT}\0{what}\0{library_id}".encode()).digest()
    return hashlib.blake2b(packed, digest_size=SEAL_BYTES, key=key).digest()


def seal_cursor(bookmark: Bookmark, question: str, library_id: str) -> str:
    return seal(bookmark.to_json() | {"question": question}, CURSOR, library_id)


def open_cursor(text: str, question: str, library_id: str) -> Bookmark:
    """The place in the cursor, if it belongs to this question."""
    value = unseal(text, CURSOR, library_id)
    if value["question"] != question:
        raise InvalidArgument(
            "the cursor belongs to another question: keep query, mode, filters, sort, group, min_score and read_context"
            " as they were, or start again without it",
            field="cursor",
        )
    return Bookmark.from_json(value)
