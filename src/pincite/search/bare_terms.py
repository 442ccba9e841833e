"""Bare terms: a query that is nothing but a defined term asks for its definition.

Passages carry the terms that they define under names of their own (`term_key`), so that a term in a longer query,
"GitHub" in a question about GitHub Pages, does not lift every document that defines it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pincite.queries import Found, Ranking


def with_definitions(named: Ranking, ask: Callable[[str], Ranking], key: str) -> Ranking:
    """What the query names, and the passages that define it as a term: they count as much as what is named best."""
    defining = ask(key)
    if not defining.found:
        return replace(named, notes=(*named.notes, *defining.notes))
    most = max((found.raw for found in named.found), default=1.0)
    best = max((found.score for found in named.found), default=1.0)
    first = tuple(found._replace(raw=most, score=best) for found in defining.found)
    taken = set(map(_place, first))
    rest = tuple(found for found in named.found if _place(found) not in taken)
    total = named.total + len(first) - (len(named.found) - len(rest))
    return replace(named, found=(*first, *rest), total=total)


def _place(found: Found) -> tuple[object, ...]:
    return found.scope, found.element_id, found.version_id, found.chunk
