"""Cite: candidates become hits, read from the catalog, each with the citation that pins it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pincite.protocols import Session
from pincite.queries import Found
from pincite.search.defined import Terms, terms_used
from pincite.search.fuse import Candidate
from pincite.search.passages import Located, chunk_passage
from pincite.search.query import DefinedTerm, Hit, Passage, Scored
from pincite.types import Lifetime, Scope

MAX_DEFINITIONS = 5
"""Terms of a passage that are explained with it."""


def cite(
    catalog: Session,
    candidates: Sequence[Candidate],
    contexts: Mapping[Scope, Mapping[str, object]],
    siblings: Sequence[Sequence[Candidate]],
    most: int,
) -> list[Hit]:
    """Hits in the order given, each with at most so many of its siblings. What was erased a moment ago is left out."""
    hits = []
    desk = _Desk(catalog)
    for candidate, others in zip(candidates, siblings, strict=True):
        passage = desk.read(candidate.found)
        if passage is not None:
            context = contexts[candidate.found.scope]
            best = tuple(islice(_distinct(desk, others), most))
            terms = desk.terms(candidate.found, passage)
            hits.append(Hit(passage, candidate.score, candidate.legs, context, candidate.signals, best, terms))
    return hits


@dataclass(slots=True)
class _Desk:
    """Versions that passages are read from: many hits may be passages of one long document, which is fetched once."""

    catalog: Session
    _known: dict[tuple[object, ...], Located | None] = field(default_factory=dict)
    _terms: dict[tuple[object, ...], Terms] = field(default_factory=dict)

    def read(self, found: Found) -> Passage | None:
        key = _key(found)
        if key not in self._known:
            self._known[key] = located_at(self.catalog, found)
        located = self._known[key]
        if located is None or not 0 <= found.chunk < len(located.derivation.chunks):
            return None
        return chunk_passage(located, found.chunk)

    def terms(self, found: Found, passage: Passage) -> tuple[DefinedTerm, ...]:
        """What the passage's terms mean, for a passage that was read."""
        key = _key(found)
        located = self._known[key]
        if located is None or not located.derivation.definitions:
            return ()
        if key not in self._terms:
            self._terms[key] = Terms(located)
        return terms_used(self._terms[key], passage, MAX_DEFINITIONS)


def _key(found: Found) -> tuple[object, ...]:
    return found.scope, found.element_id, found.version_id, found.recipe, found.lifetime_id


def _distinct(desk: _Desk, candidates: Sequence[Candidate]) -> Iterator[Scored]:
    """The candidates without those that say what an earlier one said: the same words, or a stretch that overlaps."""
    shown: list[Passage] = []
    for candidate in candidates:
        passage = desk.read(candidate.found)
        if passage is not None and not any(_repeats(passage, earlier) for earlier in shown):
            shown.append(passage)
            yield Scored(passage, candidate.score, {leg: score.score for leg, score in candidate.legs.items()})


def _repeats(one: Passage, other: Passage) -> bool:
    if one.text.split() == other.text.split():
        return True
    if one.version_id != other.version_id or one.span is None or other.span is None:
        return False
    return one.span.start < other.span.end and other.span.start < one.span.end


def located_at(catalog: Session, found: Found) -> Located | None:
    """The version that a leg found something in, cut as it was then; None if it was erased since."""
    version = catalog.elements.version(found.scope, found.element_id, found.version_id)
    derivation = catalog.elements.derivation(found.scope, found.element_id, found.version_id, found.recipe)
    if version is None or derivation is None:
        return None
    lifetimes: tuple[Lifetime, ...] = catalog.elements.history(found.scope, found.element_id)
    mine = [item for item in lifetimes if item.lifetime_id == found.lifetime_id]
    return Located(version, derivation, mine[0] if mine else None)
