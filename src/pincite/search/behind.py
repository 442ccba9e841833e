"""Behind: passages mainly about what a question excludes in words (`exclusion.py`) lose part of their score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.queries import All, Node, Not, Phrase, Some, Word, WordQuery
from pincite.search.candidates import Candidate
from pincite.search.exclusion import Exclusion
from pincite.search.query import Reader
from pincite.search.understand import Plan
from pincite.types import View

SHARE = 0.5
"""Of the score that is left."""
DEPTH = 1_000
FIELD = "headings"


def behind(reader: Reader, views: Sequence[View], plan: Plan, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates in the order that the exclusion gives them; what carries an identifier stays where it is."""
    if plan.excluded is None or not candidates:
        return candidates
    about = WordQuery(_about(plan.excluded, phrases=reader.index.features.phrases), plan.filters, DEPTH, "chunk")
    ranking = reader.index.keyword(views, replace(about, scoring=reader.scoring))
    places = {(found.scope, found.element_id, found.version_id, found.chunk) for found in ranking.found}
    moved = [_moved(one) if _place(one) in places and "exact" not in one.legs else one for one in candidates]
    return sorted(moved, key=Candidate.order) if moved != list(candidates) else candidates


def _about(excluded: Exclusion, *, phrases: bool) -> Node:
    """Headings that hold every word of a thing; not those that say "without" it as the question does."""
    things = tuple(All(tuple(Word(word, FIELD) for word in part)) for part in excluded.parts)
    either: Node = Some(things) if len(things) > 1 else things[0]
    return All((either, Not(Phrase(excluded.phrase, FIELD)))) if phrases else either


def _place(candidate: Candidate) -> tuple[object, ...]:
    found = candidate.found
    return found.scope, found.element_id, found.version_id, found.chunk


def _moved(candidate: Candidate) -> Candidate:
    lost = (SHARE - 1) * candidate.score
    return replace(candidate, score=candidate.score + lost, signals={**candidate.signals, "excluded": lost})
