"""Cite: candidates become hits, read from the catalog, each with the citation that pins it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from pincite.queries import Found
from pincite.search.candidates import Candidate
from pincite.search.defined import Terms, terms_used
from pincite.search.excerpts import Excerpts, cut_of
from pincite.search.query import DefinedTerm, Hit, Passage, Scored
from pincite.types import CutVersion, Scope

MAX_DEFINITIONS = 5
"""Terms of a passage that are explained with it."""
SPARE = 3
"""Passages of an element that are read beyond those shown, should some of them repeat each other."""


def cite(
    read: Excerpts,
    candidates: Sequence[Candidate],
    contexts: Mapping[Scope, Mapping[str, object]],
    siblings: Sequence[Sequence[Candidate]],
    most: int,
) -> list[Hit]:
    """Hits in the order given, each with at most so many of its siblings. What was erased a moment ago is left out."""
    read.fetch(passages_shown(candidates, siblings, most))
    hits = []
    terms: dict[CutVersion, Terms] = {}
    for candidate, others in zip(candidates, siblings, strict=True):
        passage = read.passage(candidate.found)
        if passage is not None:
            context = contexts[candidate.found.scope]
            best = tuple(islice(_distinct(read, others), most))
            defined = _terms(read, terms, candidate.found, passage)
            hits.append(Hit(passage, candidate.score, candidate.legs, context, candidate.signals, best, defined))
    return hits


def passages_shown(
    candidates: Sequence[Candidate], siblings: Sequence[Sequence[Candidate]], most: int
) -> Iterator[Found]:
    """What a page is most likely to show."""
    for candidate, others in zip(candidates, siblings, strict=True):
        yield candidate.found
        yield from (other.found for other in others[: most + SPARE])


def _terms(read: Excerpts, known: dict[CutVersion, Terms], found: Found, passage: Passage) -> tuple[DefinedTerm, ...]:
    """What the passage's terms mean, for a passage that was read."""
    cut, excerpt = cut_of(found), read.of(found)
    if excerpt is None or not excerpt.definitions:
        return ()
    if cut not in known:
        known[cut] = Terms(excerpt)
    return terms_used(known[cut], passage, MAX_DEFINITIONS)


def _distinct(read: Excerpts, candidates: Sequence[Candidate]) -> Iterator[Scored]:
    """The candidates without those that say what an earlier one said: the same words, or a stretch that overlaps."""
    shown: list[Passage] = []
    for candidate in candidates:
        if not read.knows(candidate.found):
            read.fetch(other.found for other in candidates)
        passage = read.passage(candidate.found)
        if passage is not None and not any(_repeats(passage, earlier) for earlier in shown):
            shown.append(passage)
            yield Scored(passage, candidate.score, {leg: score.score for leg, score in candidate.legs.items()})


def _repeats(one: Passage, other: Passage) -> bool:
    if one.text.split() == other.text.split():
        return True
    if one.version_id != other.version_id or one.span is None or other.span is None:
        return False
    return one.span.start < other.span.end and other.span.start < one.span.end
