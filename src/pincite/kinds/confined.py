"""A kind whose files are read and cut in a process of its own.

Files come from strangers, and the parsers that read them are large: one that crashes, hangs or fills the memory is
reported by name, and the ingest goes on with the next.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from pincite import apart
from pincite.apart.limits import seconds_for
from pincite.errors import InvalidArgument
from pincite.kinds.options import KindSettings
from pincite.protocols.kind import Declaration, Described, Kind
from pincite.reading import Item, Neighbourhood, ReadElement, Recognised, Record, Unread
from pincite.types import Chunk, Content, Derivation

Opener = Callable[[KindSettings], Kind]

MAX_AT_ONCE = 2
"""Elements that are cut at the same time, each in a process of its own."""


def at_once(kind: Kind) -> int:
    """How many elements of a kind can be derived at the same time, by as many threads."""
    return min(MAX_AT_ONCE, os.cpu_count() or 1) if isinstance(kind, ConfinedKind) else 1


class ConfinedKind:
    """Gives what `kind` gives. The other process opens it again, by a function at the top of a module."""

    def __init__(self, kind: Kind, opener: Opener, settings: KindSettings) -> None:
        self._kind = kind
        self._again = (f"{opener.__module__}:{opener.__qualname__}", settings)

    @property
    def name(self) -> str:
        return self._kind.name

    @property
    def declares(self) -> Declaration:
        return self._kind.declares

    def recipe(self, item_name: str = "") -> str:
        return self._kind.recipe(item_name)

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        yield from apart.stream(f"{__name__}:read_here", *self._again, item, seconds=seconds_for(item.size))

    def derive(self, element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        arguments = (element_id, content, around)
        derived = apart.ask(f"{__name__}:derive_here", *self._again, *arguments, seconds=seconds_for(len(content.text)))
        if not isinstance(derived, Derivation):
            raise InvalidArgument("the process that cut it gave a broken answer; leave it out")
        return derived

    def recognise(self, query: str) -> Recognised:
        return self._kind.recognise(query)

    def interpret(self, record: Record) -> ReadElement | None:
        return self._kind.interpret(record)

    def describe(self, content: Content, chunk: Chunk | None, language: str) -> Described:
        return self._kind.describe(content, chunk, language)


def read_here(opener: str, settings: KindSettings, item: Item) -> Iterator[ReadElement | Unread]:
    """In the other process: what the item holds."""
    yield from _opened(opener, settings).read(item)


def derive_here(
    opener: str, settings: KindSettings, element_id: str, content: Content, around: Neighbourhood
) -> Derivation:
    """In the other process: the passages of an element."""
    return _opened(opener, settings).derive(element_id, content, around)


def _opened(opener: str, settings: KindSettings) -> Kind:
    kind: Kind = apart.named(opener)(settings)
    return kind
