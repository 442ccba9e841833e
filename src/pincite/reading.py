"""What passes between sources, kinds and the write path: items in, elements and what could not be read out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from pincite.types import Content, JsonValue, Relation


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a source holds: a file that lies at `path` for as long as it is read."""

    name: str
    """Its path below the source, with `/`; how people and the library's memory call it."""
    path: Path
    size: int = 0
    prefix: str = ""
    """Put before the ids of elements, so that two sources with the same names can share a repository."""


@dataclass(frozen=True, slots=True)
class ReadState:
    """One state of an element as read: its content, who may read it, when it is in force."""

    content: Content
    roles: frozenset[str] = frozenset()
    valid_from: date | None = None
    valid_to: date | None = None


@dataclass(frozen=True, slots=True)
class ReadElement:
    """An element that an item holds. States of one element must not overlap in validity."""

    element_id: str
    states: tuple[ReadState, ...]
    relations: tuple[Relation, ...] = ()
    """Edges that the item states besides the elements; edges that a text makes belong to its derivation."""
    notes: tuple[str, ...] = ()
    """What the person who ingests it should know."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of an item that could not be taken, and why; the rest goes on."""

    place: str
    """Where: `line 17`, an id, or "" for the whole item."""
    reason: str
    harmless: bool = False
    """Whether there was nothing to take, so that it is not a failure: an empty file, for example."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An element at the other end of a relation."""

    relation: Relation
    element_id: str
    content: Content | None
    """None where the relation leads to something that the library does not hold."""
    version_id: str = ""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What surrounds an element at the time its passages are derived, as far as its kind asked for."""

    outgoing: tuple[Neighbour, ...] = ()
    incoming: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a kind sees in the words of a query."""

    identifiers: tuple[str, ...] = ()
    """In normal form: what the exact leg looks up besides what every text may name."""
    expansions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words of the query → words of a glossary that stand for them; stated in the answer."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """A row of somebody's corpus (BEIR and the like), before a kind makes an element of it."""

    record_id: str
    title: str
    text: str
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
