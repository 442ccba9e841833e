"""The queries with the worst answers: what was expected, and what was found instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.eval.html.values import amount

MAX_QUERIES = 25
MAX_HITS = 10
MAX_JUDGED = 20
MAX_REASONS = 12


@dataclass(frozen=True, slots=True)
class Judged:
    """An expected place."""

    name: str
    grade: float | None
    rank: Any


@dataclass(frozen=True, slots=True)
class Came:
    """A hit that was found instead."""

    rank: Any
    title: str
    place: str
    grade: float | None
    score: Any
    excerpt: str
    citation: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorstQuery:
    id: str
    query: str
    value: Any
    tags: tuple[str, ...]
    judged: tuple[Judged, ...]
    judged_hidden: int
    hits: tuple[Came, ...]
    hits_hidden: int


@dataclass(frozen=True, slots=True)
class Worst:
    queries: tuple[WorstQuery, ...]
    hidden: int


def worst_queries(worst: Sequence[Mapping[str, Any]]) -> Worst | None:
    """The first of them, and how many are left out."""
    if not worst:
        return None
    return Worst(tuple(map(_query, worst[:MAX_QUERIES])), max(0, len(worst) - MAX_QUERIES))


def _query(case: Mapping[str, Any]) -> WorstQuery:
    relevant, hits = case.get("relevant") or (), case.get("hits") or ()
    return WorstQuery(
        case.get("id", ""),
        case.get("query", ""),
        case.get("value"),
        tuple(case.get("tags") or ()),
        tuple(Judged(it.get("name", ""), amount(it.get("grade")), it.get("rank")) for it in relevant[:MAX_JUDGED]),
        max(0, len(relevant) - MAX_JUDGED),
        tuple(map(_came, hits[:MAX_HITS])),
        max(0, len(hits) - MAX_HITS),
    )


def _came(hit: Mapping[str, Any]) -> Came:
    name = hit.get("name", "")
    return Came(
        hit.get("rank", "–"),
        hit.get("title") or name,
        hit.get("place") or name,
        amount(hit.get("grade")),
        hit.get("score"),
        hit.get("excerpt", ""),
        hit.get("citation", ""),
        tuple((hit.get("why") or ())[:MAX_REASONS]),
    )
