"""Why not: where an element stands in the answer to a query, and what keeps it from the page.

shown            on the page
beyond_page      in the answer, after the page
below_min_score  in the answer, were it not for min_score
outside_pool     the legs find it, deeper than an answer reaches
filtered         the legs find it without these filters
no_match         no leg finds it
absent           not in what the caller may read: never there, removed, erased, not in force, not for these roles.
                 All of these are one answer, or the answer would tell what is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pincite.advice import either
from pincite.citation import Citation
from pincite.protocols import Index
from pincite.queries import IdentifierQuery, Ranking, VectorQuery, WordQuery
from pincite.search.candidates import Candidate
from pincite.search.holds import holding
from pincite.search.passages import Located, chunk_passage
from pincite.search.query import MAX_LIMIT, Answer, LegReport, LegScore, Query, Reader
from pincite.search.spine import Trace, trace
from pincite.search.views import views_of
from pincite.types import LiveElement, Scope, View

Verdict = Literal["shown", "beyond_page", "below_min_score", "outside_pool", "filtered", "no_match", "absent"]

DEEP = 100_000
"""Groups that each leg is asked for when an element is not among those that it contributes to an answer."""


@dataclass(frozen=True, slots=True)
class WhyNotReport:
    """The verdict on one element and one query."""

    element_id: str
    query: str
    verdict: Verdict
    message: str
    """What holds, and what to do."""
    limit: int
    legs: Mapping[str, LegScore | None]
    """What each leg says of the element; None where it does not find it or did not run."""
    rank: int | None = None
    """In the final order; for `outside_pool` the one it would have if the legs looked deeper."""
    score: float | None = None
    filters: tuple[str, ...] = ()
    """Names of the filters that exclude it."""
    lacks: tuple[str, ...] = ()
    """Words of the query that it does not hold."""
    citation: str = ""
    """Its best passage for the query, or the element."""
    read_contexts: tuple[Mapping[str, object], ...] = ()
    notes: tuple[str, ...] = ()


def why_not(reader: Reader, query: Query, element_id: str, within: Scope | None = None) -> WhyNotReport:
    """Where the element stands in the answer; `within` one repository of those that are searched."""
    query = replace(query, group="element", sort="relevance")
    with reader.catalog.session(reader.tenant) as session:
        reader = replace(reader, catalog=session)
        # The whole pool is looked at: what min_score would cut too, and only one hit is cited.
        seen = trace(reader, replace(query, min_score=0.0, limit=1))
        told = _Told(element_id, query, seen.answer)
        live = _live(reader, views_of(reader, seen.answer), element_id, within)
        if live is None:
            return told.absent()
        place = _place(seen, live, query.min_score)
        if place is not None:
            return told.ranked(live, *place)
        return _not_in_the_pool(reader, query, told, live)


def _not_in_the_pool(reader: Reader, query: Query, told: _Told, live: LiveElement) -> WhyNotReport:
    """Ask the legs again, far deeper, then without the filters, then look at the words."""
    deep = _deep_trace(reader, query)
    place = _place(deep, live)
    if place is not None:
        return told.outside_pool(live, *place)
    if query.filters:
        free = _deep_trace(reader, replace(query, filters={}))
        place = _place(free, live)
        if place is not None:
            return told.filtered(live, place[1], _excluding(reader, query, live))
    return told.no_match(live, deep)


def _live(reader: Reader, views: Mapping[Scope, View], element_id: str, within: Scope | None) -> LiveElement | None:
    """The element in the first repository whose view sees it."""
    for scope, view in views.items():
        live = reader.catalog.elements.get(view, element_id) if within in (None, scope) else None
        if live is not None:
            return live
    return None


def _place(seen: Trace, live: LiveElement, min_score: float = 0.0) -> tuple[int, Candidate] | None:
    """Rank and candidate of the element in the final order: among what passes `min_score`, or else among all."""
    wanted = (live.version.scope, live.version.element_id)
    passing = 0
    for place, candidate in enumerate(seen.pool, start=1):
        if (candidate.found.scope, candidate.found.element_id) == wanted:
            return (passing + 1 if candidate.worth >= min_score else place), candidate
        passing += candidate.worth >= min_score
    return None


def _excluding(reader: Reader, query: Query, live: LiveElement) -> tuple[str, ...]:
    """The filters that alone exclude it; all of them if only their combination does."""
    alone = [
        name
        for name, value in query.filters.items()
        if _place(_deep_trace(reader, replace(query, filters={name: value})), live) is None
    ]
    return tuple(alone or query.filters)


# --- looking deeper -------------------------------------------------------------------------------------------


class _Deep:
    """An index that is asked for far more than an answer takes."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        return self._index.keyword(views, replace(query, depth=DEEP))

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        return self._index.exact(views, replace(query, depth=DEEP))

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        return self._index.dense(views, replace(query, depth=DEEP))


def _deep_trace(reader: Reader, query: Query) -> Trace:
    return trace(replace(reader, index=cast("Index", _Deep(reader.index))), replace(query, min_score=0.0, limit=1))


# --- what is said ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Told:
    """Words for each verdict."""

    element_id: str
    query: Query
    answer: Answer

    def absent(self) -> WhyNotReport:
        """The same for all that the caller does not see, whatever the reason."""
        message = (
            f"there is no {self.element_id!r} in what you may read in this state; check its id with"
            f"{either(': pincite search', ' a search')}, or ask in another read context"
        )
        return self._verdict("absent", message)

    def ranked(self, live: LiveElement, rank: int, candidate: Candidate) -> WhyNotReport:
        limit = self.query.limit
        if candidate.worth < self.query.min_score:
            message = (
                f"it scores {candidate.worth:.3f}, below min_score {self.query.min_score:g}; lower min_score to see it"
                f" at rank {rank}"
            )
            return self._found("below_min_score", message, live, rank, candidate)
        if rank <= limit:
            return self._found(
                "shown", f"it is hit {rank} of the answer; read it at its citation", live, rank, candidate
            )
        ask = f"ask for {rank} hits or page on" if rank <= MAX_LIMIT else "page on, or narrow the question"
        message = f"it ranks {rank}, and the page ends at {limit}; {ask}"
        return self._found("beyond_page", message, live, rank, candidate)

    def outside_pool(self, live: LiveElement, rank: int, candidate: Candidate) -> WhyNotReport:
        ranks = ", ".join(f"{leg} rank {score.rank}" for leg, score in candidate.legs.items())
        message = (
            f"it is found, but deeper than an answer reaches ({ranks}); add words that it holds and others do not,"
            " or a filter that it passes"
        )
        return self._found("outside_pool", message, live, rank, candidate)

    def filtered(self, live: LiveElement, candidate: Candidate, names: tuple[str, ...]) -> WhyNotReport:
        given = " and ".join(f"{name}={_value(self.query.filters[name])}" for name in names)
        message = f"it matches, but {given} excludes it; leave that filter out or give another value"
        found = self._found("filtered", message, live, None, candidate)
        return replace(found, filters=names)

    def no_match(self, live: LiveElement, deep: Trace) -> WhyNotReport:
        holds = holding(live, deep.plan.words)
        by_leg = {ranking.leg: _score_in(ranking, live) for ranking in deep.rankings}
        verdict = self._verdict("no_match", _mismatch(holds.lacks, holds.forbidden, by_leg))
        legs = {leg: by_leg.get(leg) for leg in verdict.legs}
        return replace(verdict, lacks=holds.lacks, legs=legs, citation=_citation(live, None))

    def _found(
        self, verdict: Verdict, message: str, live: LiveElement, rank: int | None, candidate: Candidate
    ) -> WhyNotReport:
        plain = self._verdict(verdict, message)
        legs = {leg: candidate.legs.get(leg) for leg in plain.legs}
        citation = _citation(live, candidate.found.chunk)
        return replace(plain, legs=legs, rank=rank, score=candidate.score, citation=citation)

    def _verdict(self, verdict: Verdict, message: str) -> WhyNotReport:
        idle = [f"the {leg.name} leg did not answer: {leg.reason}" for leg in self.answer.legs if _is_missing(leg)]
        return WhyNotReport(
            element_id=self.element_id,
            query=self.query.text,
            verdict=verdict,
            message=message,
            limit=self.query.limit,
            legs={leg.name: None for leg in self.answer.legs},
            read_contexts=self.answer.read_contexts,
            notes=(*self.answer.notes, *idle),
        )


def _is_missing(leg: LegReport) -> bool:
    """Whether a leg that could have found the element did not answer, or not in full."""
    return leg.status in ("partial", "unavailable") or (leg.status == "off" and leg.name == "dense")


def _mismatch(lacks: Sequence[str], forbidden: Sequence[str], legs: Mapping[str, LegScore | None]) -> str:
    if forbidden:
        return f"the query forbids {_list(forbidden)}, which it holds; leave that out of the query"
    far = legs.get("dense")
    if far and far.score <= 0 and not any(score for leg, score in legs.items() if leg != "dense"):
        words = f", and it lacks {_list(lacks)}" if lacks else ""
        return f"it is not nearer in meaning than texts taken at random{words}; ask with words that it uses"
    if any(legs.values()):
        demands = f" ({_list(lacks)})" if lacks else ""
        return f"the query demands words that it lacks{demands}, so a name or a meaning alone does not make it a hit"
    words = f": it lacks {_list(lacks)}" if lacks else ""
    return f"nothing in it matches{words}; ask with words that it uses"


def _list(words: Sequence[str]) -> str:
    return ", ".join(map(repr, words))


def _value(value: object) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)


def _score_in(ranking: Ranking, live: LiveElement) -> LegScore | None:
    """What a leg says of the element although the answer leaves it out."""
    wanted = (live.version.scope, live.version.element_id)
    for rank, found in enumerate(ranking.found, start=1):
        if (found.scope, found.element_id) == wanted:
            return LegScore(
                rank, found.score, found.raw, found.chunk, found.matched, found.window, elsewhere=found.elsewhere
            )
    return None


def _citation(live: LiveElement, chunk: int | None) -> str:
    version = live.version
    if chunk is not None and chunk < len(live.derivation.chunks):
        return chunk_passage(Located(version, live.derivation, live.lifetime), chunk).citation
    return str(Citation(version.scope, version.element_id, version.version_id))
