"""Legs: each finds chunks its own way, under the same views and filters, and reports how it went."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass, replace

from pincite import telemetry
from pincite.advice import by_operator
from pincite.errors import Unavailable
from pincite.fixed import question
from pincite.queries import IdentifierQuery, Ranking, VectorQuery, WordQuery
from pincite.search.bare_terms import with_definitions
from pincite.search.places import named_places, wanted_places
from pincite.search.promises import NO_MEANING
from pincite.search.query import LegReport, Meaning, Query, Reader
from pincite.search.related import ask_model, is_needed, related, why_no_related
from pincite.search.understand import Plan
from pincite.types import View

DEPTH = 200
"""Groups that each leg contributes to the pool: constant, so that pages do not depend on how many were asked for."""
EXACT_DEPTH = 2_000
"""Chunks that carry an identifier: all those of an element carry its name, and a long one must not crowd out others."""

OF_WORDS = ("keyword", "exact")

_SIDE = ThreadPoolExecutor(max_workers=4, thread_name_prefix="pincite-dense")
"""Where the dense leg runs, in parallel with the others."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    rankings: tuple[Ranking, ...]
    reports: tuple[LegReport, ...]
    notes: tuple[str, ...]


def retrieve(reader: Reader, views: Sequence[View], plan: Plan, query: Query) -> Retrieved:
    """Run the legs that the mode asks for; a leg that cannot run says why, and the others still answer."""
    started = time.monotonic()
    idle = _why_not_dense(reader, query)
    if idle == NO_MEANING and reader.meaning.required:
        raise Unavailable(f"the dense leg is required and cannot answer: {idle}")
    beside = (
        _SIDE.submit(telemetry.carried(_timed), "dense", lambda: _dense(reader, views, plan, query))
        if not idle
        else None
    )
    timed = (
        [] if query.mode == "semantic" and beside else [_timed("keyword", lambda: _keyword(reader, views, plan, query))]
    )
    if query.mode != "keyword":
        timed.append(_timed("exact", lambda: _exact(reader, views, plan)))
    until = started + reader.meaning.deadline_seconds
    dense = _await("dense", beside, reader, until) if beside else (Ranking("dense", status="off"), 0.0)
    if query.mode == "semantic" and beside and dense[0].status == "unavailable":
        timed.insert(0, _timed("keyword", lambda: _keyword(reader, views, plan, query)))
    if beside and dense[0].status == "unavailable" and reader.meaning.required:
        raise Unavailable(f"the dense leg is required and cannot answer: {dense[0].reason}")
    no_related = why_no_related(reader, plan, query)
    if not no_related and not is_needed(timed[0][0], plan, reader.ranking.need):
        no_related = "enough of the query's own words are found"
    if not no_related:
        asked = _words(reader, plan, query)
        lookup = _SIDE.submit(telemetry.carried(_timed), "related", lambda: related(reader, views, plan, asked, until))
        timed.append(_await("related", lookup, reader, until))
    reports = [_dense_report(query, idle, *dense)]
    rankings = [ranking for ranking, _ in timed]
    reports += [_report(ranking, milliseconds) for ranking, milliseconds in timed]
    ran = {report.name for report in reports}
    reports += [LegReport(leg, "off", reason=f"not part of mode {query.mode}") for leg in OF_WORDS if leg not in ran]
    reports += [LegReport("related", "off", reason=no_related)] if no_related else []
    if dense[0].status in ("ok", "partial"):
        rankings.append(dense[0])
    notes = [note for ranking in rankings for note in ranking.notes]
    notes += [reader.meaning.note] if beside and reader.meaning.note else []
    return Retrieved(tuple(rankings), tuple(reports), tuple(notes))


def _keyword(reader: Reader, views: Sequence[View], plan: Plan, query: Query) -> Ranking:
    words = _words(reader, plan, query)
    ranking = reader.index.keyword(views, words)
    return replace(ranking, asked=ranking.asked or words)


def _words(reader: Reader, plan: Plan, query: Query) -> WordQuery:
    return WordQuery(
        words=plan.words,
        filters=plan.filters,
        depth=DEPTH,
        group=query.group,
        scoring=reader.scoring,
        max_words=plan.max_words,
        expected=plan.expected,
        explained=DEPTH if query.explain and reader.index.features.explains else 0,
    )


def _exact(reader: Reader, views: Sequence[View], plan: Plan) -> Ranking:
    def ask(*names: str) -> Ranking:
        return reader.index.exact(views, IdentifierQuery(names, plan.filters, EXACT_DEPTH, "chunk"))

    if not plan.identifiers and not plan.qualified:
        return Ranking("exact")
    named = named_places(ask(*wanted_places(plan)), plan)
    return with_definitions(named, ask, plan.defined) if plan.defined else named


def _dense(reader: Reader, views: Sequence[View], plan: Plan, query: Query) -> Ranking:
    meaning, calibration = reader.meaning, reader.meaning.calibration
    assert calibration is not None
    if meaning.loading:
        return Ranking("dense", status="unavailable", reason=meaning.loading)
    if not reader.index.has_vectors(views, meaning.fingerprint):
        reason = f"no vectors of {meaning.name} yet; {by_operator('make them with', 'pincite embed')}"
        return Ranking("dense", status="unavailable", reason=reason)
    asked = VectorQuery(
        vector=_vector(meaning, plan.text),
        fingerprint=meaning.fingerprint,
        calibration=calibration,
        filters=plan.filters,
        depth=DEPTH,
        group=query.group,
        exact=query.exact,
    )
    return replace(reader.index.dense(views, asked), calibration=calibration, asked=asked)


def _vector(meaning: Meaning, text: str) -> tuple[int, ...]:
    """Of the question: what the model said before, else what it says now."""
    if meaning.said is not None:
        return meaning.said.vector
    assert meaning.embedder is not None
    with telemetry.embedding(meaning.embedder.name, texts=1) as span:
        vector = ask_model(meaning.embedder, text)
        span.set({telemetry.DIMENSIONS: len(vector)})
        return question(vector)


def _timed(name: str, run: Callable[[], Ranking]) -> tuple[Ranking, float]:
    """What a leg found and how long it took; trouble of the library's is its report, a fault of ours goes on."""
    started = time.perf_counter()
    with telemetry.span(f"leg {name}") as span:
        try:
            ranking = run()
        except Unavailable as problem:
            ranking = Ranking(name, status="unavailable", reason=problem.message)
        span.set({telemetry.LEG_STATUS: ranking.status, telemetry.LEG_FOUND: len(ranking.found)})
    return replace(ranking, leg=name), 1000 * (time.perf_counter() - started)


def _await(leg: str, beside: Future[tuple[Ranking, float]], reader: Reader, until: float) -> tuple[Ranking, float]:
    """What a leg in parallel with the others found, if it is there in time; all of them share one deadline."""
    try:
        return beside.result(timeout=max(0.0, until - time.monotonic()))
    except TooLate:
        allowed = reader.meaning.deadline_seconds
        return Ranking(leg, status="unavailable", reason=f"it took longer than {allowed:g} s"), 1000 * allowed


def _report(ranking: Ranking, milliseconds: float) -> LegReport:
    return LegReport(ranking.leg, ranking.status, len(ranking.found), round(milliseconds, 3), ranking.reason)


def _why_not_dense(reader: Reader, query: Query) -> str:
    """Empty when the dense leg should run."""
    if query.mode in ("keyword", "exact"):
        return f"not part of mode {query.mode}"
    if not reader.index.features.dense:
        return NO_MEANING
    return "" if reader.meaning.fingerprint else reader.meaning.off


def _dense_report(query: Query, idle: str, ranking: Ranking, milliseconds: float) -> LegReport:
    """A caller who asks for meaning alone and cannot have it learns what answers instead."""
    if idle and query.mode == "semantic":
        return LegReport("dense", "unavailable", reason=f"{idle}; the keyword and exact legs answer instead")
    if idle:
        return LegReport("dense", "off", reason=idle)
    if ranking.status == "unavailable" and query.mode == "semantic":
        ranking = replace(ranking, reason=f"{ranking.reason}; the keyword and exact legs answer instead")
    return _report(ranking, milliseconds)
