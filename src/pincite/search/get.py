"""Get: a place in the library, by citation or element id, as it is or as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pincite.catalog.resolve import Resolved
from pincite.protocols import Session
from pincite.search import passages
from pincite.search.query import Passage
from pincite.types import Span


@dataclass(frozen=True, slots=True)
class OpenedPassage:
    """What `get` returns: a place, what stands around it, and the state it was read in."""

    passage: Passage
    before: tuple[Passage, ...]
    after: tuple[Passage, ...]
    read_context: Mapping[str, object]
    current: bool
    """Whether this version is the one that the read context sees."""


def get(
    catalog: Session,
    resolved: Resolved,
    element_id: str,
    *,
    section: str = "",
    span: Span | None = None,
    version: str = "",
    neighbours: int = 0,
) -> OpenedPassage:
    """The element, one of its sections or a span of it, with neighbouring passages."""
    located = passages.locate(catalog, resolved.view, element_id, version)
    if span is not None:
        named = passages.place_inside(located.derivation, section) if section else None
        place = passages.span_passage(located, span, named.identifier if named and named.span == span else "")
    elif section:
        place = passages.section_passage(located, section)
    else:
        place = passages.whole_passage(located)
    before, after = passages.neighbours(located, place, neighbours) if neighbours > 0 else ((), ())
    return OpenedPassage(place, before, after, resolved.echo, located.lifetime is not None)
