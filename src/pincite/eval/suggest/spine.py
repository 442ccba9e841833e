"""Suggesting cases: survey the repository once, collect candidates of each type, choose, number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pincite.errors import InvalidArgument
from pincite.eval.cases import Case, CaseSet, Context, Judgement
from pincite.eval.suggest.choose import SuggestedQuestion, choose
from pincite.eval.suggest.citations import citations
from pincite.eval.suggest.definitions import definitions
from pincite.eval.suggest.headings import headings, names, titles
from pincite.eval.suggest.links import links
from pincite.eval.suggest.survey import survey

if TYPE_CHECKING:
    from pincite.library import Library

TYPES = ("heading", "name", "definition", "citation")
GRADE = 3
"""Structure only says that a place answers, not how well."""


def suggest(library: Library, *, repository: str = "", limit: int = 100, read_context: Context = None) -> CaseSet:
    """Up to `limit` judged questions from the structure of a repository, spread over types and elements.

    Depends only on the content of the repository, not on the order of ingest. If there is nothing to suggest from, the
    set is empty and a note says why.
    """
    if limit < 1:
        raise InvalidArgument(f"limit must be at least 1, not {limit}", field="limit")
    where = library.scope(repository).repository
    if not repository and library.catalog.repositories.get(library.scope()) is None:
        return _nothing(where, "it does not exist yet; fill it with: pincite ingest FOLDER")
    sketches = survey(library, repository, read_context)
    if not sketches:
        return _nothing(where, "it has no elements; fill it with: pincite ingest FOLDER")
    known = titles(sketches)
    found = [
        *headings(sketches, known),
        *names(sketches, known),
        *definitions(sketches),
        *citations(sketches),
        *links(sketches, known, library.kinds.links),
    ]
    if not found:
        why = "distinctive names, headings, definitions or links that belong to only one place"
        return _nothing(where, f"its {len(sketches)} elements have no {why}; write your own questions")
    chosen = choose(found, TYPES, limit)
    return CaseSet("suggested", _numbered(chosen, read_context), _description(where), (_counts(found, chosen),))


def _numbered(chosen: Sequence[SuggestedQuestion], read_context: Context) -> tuple[Case, ...]:
    """The cases, each numbered within its type."""
    cases: list[Case] = []
    for type_ in TYPES:
        of_type = [candidate for candidate in chosen if candidate.type == type_]
        for number, candidate in enumerate(of_type, start=1):
            language = (f"lang:{candidate.language}",) if candidate.language else ()
            cases.append(
                Case(
                    id=f"{type_}-{number:03d}",
                    query=candidate.query,
                    relevant=(Judgement(candidate.element_id, GRADE, candidate.section_id),),
                    tags=(f"type:{type_}", *language),
                    read_context=read_context or None,
                    note=candidate.note,
                )
            )
    return tuple(cases)


def _description(repository: str) -> str:
    return (
        f"Suggested from the structure of repository {repository!r}: check them, delete wrong ones, add your own"
        " questions. Headings and names share words with their target, which favours the keyword leg."
    )


def _counts(found: Sequence[SuggestedQuestion], chosen: Sequence[SuggestedQuestion]) -> str:
    parts = []
    for type_ in TYPES:
        of_type = [sum(candidate.type == type_ for candidate in group) for group in (chosen, found)]
        parts.append(f"{of_type[0]} of {of_type[1]} by {type_}")
    return f"chosen: {', '.join(parts)}"


def _nothing(repository: str, why: str) -> CaseSet:
    return CaseSet("suggested", (), _description(repository), (f"nothing to suggest from {repository!r}: {why}",))
