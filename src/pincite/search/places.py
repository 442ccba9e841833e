"""Places: what an exact reference asks the index for, and what counts of the answer.

`Art. 41 Abs. 1 lit. b OR` asks for that letter, for the paragraph and the article that hold it, and for article 41 of
whatever is called OR. A passage that carries more of these comes first, so that the innermost place which there is
answers; where the work is known, its sections answer alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pincite.queries import Found, Ranking
from pincite.search.understand import Plan
from pincite.text.fold import clean

_ABBREVIATION = re.compile(r"\s*(?P<name>[^\W\d_]*[A-ZÄÖÜ][^\W\d_]*[A-ZÄÖÜ][^\W\d_]*)\b")


def wanted_places(plan: Plan) -> tuple[str, ...]:
    """All identifiers that the exact leg looks up."""
    holders = (place for reference in plan.references for place in reference.chain)
    inside = (place for place in holders if plan.identifiers)
    return tuple(dict.fromkeys((*plan.identifiers, *inside, *plan.qualified)))


def named_places(ranking: Ranking, plan: Plan) -> Ranking:
    """The passages that count, and a note where the place that was asked for is not there."""
    if not ranking.found:
        return ranking
    works = frozenset(plan.qualified)
    of_work = [found for found in ranking.found if not works.isdisjoint(_keys(found))]
    kept = tuple(of_work) or ranking.found
    notes = [*ranking.notes, *_missing_levels(kept, plan), *_unknown_work(of_work, plan)]
    return replace(ranking, found=kept, total=len(kept) if of_work else ranking.total, notes=tuple(notes))


def _keys(found: Found) -> frozenset[str]:
    return frozenset(matched.word for matched in found.matched)


def _missing_levels(kept: Sequence[Found], plan: Plan) -> list[str]:
    """Where nothing carries a place itself, which of those that hold it answers."""
    carried = {key for found in kept for key in _keys(found)}
    notes = []
    for reference in plan.references:
        if reference.levels and reference.normal not in carried:
            held = next((place for place in reference.chain if place in carried), "")
            if held:
                notes.append(f"nothing is numbered {reference.normal}; {held}, which would hold it, is shown")
    return notes


def _unknown_work(of_work: list[Found], plan: Plan) -> list[str]:
    """An abbreviation behind a section names a work; where none is called so, others answer and that is said."""
    if of_work or not plan.references:
        return []
    last = plan.references[-1]
    named = _ABBREVIATION.match(clean(plan.text), last.end)
    return [f"no document here is called {named['name']!r}; {last.normal} of others is shown"] if named else []
