"""Legs: each finds chunks its own way, under the same views and filters, and reports how it went."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pincite.errors import Unavailable
from pincite.index.queries import IdentifierQuery, Ranking, Scoring, WordQuery
from pincite.protocols import Index
from pincite.search.query import LegReport, Query
from pincite.search.understand import Plan
from pincite.types import View

DEPTH = 200
"""Groups that each leg contributes to the pool: constant, so that pages do not depend on how many were asked for."""
EXACT_DEPTH = 2_000
"""Chunks that carry an identifier: all those of an element carry its name, and a long one must not crowd out others."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    rankings: tuple[Ranking, ...]
    reports: tuple[LegReport, ...]
    notes: tuple[str, ...]


def retrieve(index: Index, views: Sequence[View], plan: Plan, query: Query, scoring: Scoring) -> Retrieved:
    """Run the legs that the mode asks for; a leg that cannot run says why, and the others still answer."""
    rankings: list[Ranking] = []
    reports: list[LegReport] = [_dense_report(query)]
    exact = IdentifierQuery(plan.identifiers, plan.filters, EXACT_DEPTH, "chunk")
    wanted: list[tuple[str, Callable[[], Ranking]]] = []
    words = WordQuery(
        words=plan.words,
        filters=plan.filters,
        depth=DEPTH,
        group=query.group,
        scoring=scoring,
        max_words=plan.max_words,
        explained=DEPTH if query.explain else 0,
    )
    wanted.append(("keyword", lambda: index.keyword(views, words)))
    if query.mode != "keyword":
        wanted.append(("exact", lambda: index.exact(views, exact) if plan.identifiers else Ranking("exact")))
    for name, run in wanted:
        started = time.perf_counter()
        try:
            ranking = run()
        except Unavailable as problem:
            ranking = Ranking(name, status="unavailable", reason=problem.message)
        elapsed = 1000 * (time.perf_counter() - started)
        rankings.append(replace(ranking, leg=name))
        reports.append(LegReport(name, ranking.status, len(ranking.found), round(elapsed, 3), ranking.reason))
    notes = tuple(note for ranking in rankings for note in ranking.notes)
    return Retrieved(tuple(rankings), tuple(reports), notes)


def _dense_report(query: Query) -> LegReport:
    """No embedder is part of this library yet; who asks for meaning alone is told what answers instead."""
    if query.mode == "semantic":
        reason = "this library has no vectors; the keyword and exact legs answer instead"
        return LegReport("dense", "unavailable", reason=reason)
    if query.mode == "hybrid":
        return LegReport("dense", "off", reason="this library has no vectors")
    return LegReport("dense", "off", reason=f"not part of mode {query.mode}")
