"""A heading leads to its section and a name to its element, if no other place has the same title."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pincite.eval.suggest.choose import SuggestedQuestion
from pincite.eval.suggest.wording import same, says_something

if TYPE_CHECKING:
    from pincite.eval.suggest.survey import Sketch

Titles: TypeAlias = Mapping[str, frozenset[tuple[str, str]]]
"""The places (element id, section id) with a title; "" is the element itself."""


def titles(sketches: Sequence[Sketch]) -> Titles:
    """All names and headings of the repository, folded, with and without their numbers."""
    found: dict[str, set[tuple[str, str]]] = {}
    for sketch in sketches:
        found.setdefault(same(sketch.name), set()).add((sketch.element_id, ""))
        for section in sketch.sections:
            place = (sketch.element_id, section.section_id if section.depth > 1 else "")
            for title in {section.heading, section.title}:
                found.setdefault(same(title), set()).add(place)
    return {title: frozenset(places) for title, places in found.items()}


def headings(sketches: Sequence[Sketch], known: Titles) -> Iterator[SuggestedQuestion]:
    """Headings below the document's own that only one section has, and that have text below them.

    A heading whose words are all in the name of another document would ask for that document instead.
    """
    named_by: dict[str, set[str]] = {}
    for sketch in sketches:
        for word in same(sketch.name).split():
            named_by.setdefault(word, set()).add(sketch.element_id)
    for sketch in sketches:
        for section in sketch.sections:
            place = (sketch.element_id, section.section_id)
            if section.depth < 2 or not section.has_body or known[same(section.title)] != {place}:
                continue
            others = set.intersection(*(named_by.get(word, set()) for word in same(section.title).split() or [""]))
            if not others - {sketch.element_id} and says_something(section.title, section.language):
                yield SuggestedQuestion("heading", section.title, *place, section.language)


def names(sketches: Sequence[Sketch], known: Titles) -> Iterator[SuggestedQuestion]:
    """Names that no other element has, and no section of another element."""
    for sketch in sketches:
        bearers = {element_id for element_id, _ in known[same(sketch.name)]}
        if len(bearers) == 1 and says_something(sketch.name, sketch.language):
            yield SuggestedQuestion("name", " ".join(sketch.name.split()), sketch.element_id, "", sketch.language)
