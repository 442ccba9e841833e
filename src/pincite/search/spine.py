"""The read spine: resolve → understand → legs → fuse → rerank → signals → second look → siblings → cite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from pincite import telemetry
from pincite.advice import either
from pincite.catalog.resolve import AskedState, Resolved, resolve_each
from pincite.errors import Conflict, UnknownArgument
from pincite.filters import is_iso_date
from pincite.queries import OneOf, Ranking
from pincite.search.absence import absence, lag_notes
from pincite.search.behind import behind
from pincite.search.candidates import Candidate, at_least, found_by
from pincite.search.cite import cite
from pincite.search.cursor import Bookmark, Pin, open_cursor, question_of, seal_cursor
from pincite.search.excerpts import Excerpts, cut_of
from pincite.search.expansions import with_stand_ins
from pincite.search.fuse import pool
from pincite.search.graph import join
from pincite.search.legs import Retrieved, retrieve
from pincite.search.nearest import with_windows
from pincite.search.promises import promise_notes, within
from pincite.search.query import Answer, Query, Reader, day
from pincite.search.ranks import by_ranks
from pincite.search.replay import open_replay, replay_note, require_whole
from pincite.search.rerank import leg_shares, rerank, weigh
from pincite.search.second_look import look_again
from pincite.search.siblings import siblings
from pincite.search.signals import with_signals
from pincite.search.understand import Plan, stated_kind, understand
from pincite.search.understood import said_in
from pincite.types import ReadContext, RepositoryInfo, View

MAX_VALUES_SHOWN = 10
BY_MEANING = frozenset({"dense", "related"})
"""Legs that did not match if they found nothing."""


@dataclass(frozen=True, slots=True)
class Trace:
    """An answer together with how it came about: what an evaluation looks at."""

    answer: Answer
    plan: Plan
    rankings: tuple[Ranking, ...]
    """What each leg found, best first."""
    pool: Sequence[Candidate]
    """The final order, as deep as the legs went; the answer shows a page of it."""
    stages: Mapping[str, float]
    """Milliseconds by stage and leg."""
    unreranked: Sequence[Candidate] = ()
    """The order that the reranker was given; empty where none takes part."""


def search(reader: Reader, query: Query) -> Answer:
    """Answer a query over one state of each repository."""
    return trace(reader, query).answer


def trace(reader: Reader, query: Query) -> Trace:
    """Answer a query and keep what each stage said."""
    if not query.cursor:
        return _trace(reader, query, None)
    bookmark = open_cursor(query.cursor, question_of(query, reader), reader.catalog.library_id)
    if bookmark.said is not None:
        reader = replace(reader, meaning=reader.meaning.as_said(bookmark.said, reader.meaning.embedder))
    return _trace(reader, query, bookmark)


def replay(reader: Reader, token: str) -> Answer:
    """Give an answer again: the same question, asked for the same roles, of the same state."""
    asked_by, query, bookmark = open_replay(reader, token)
    answer = _trace(asked_by, query, bookmark).answer
    require_whole(reader, token, answer.legs)
    return answer


def _trace(reader: Reader, query: Query, bookmark: Bookmark | None) -> Trace:
    asked = {telemetry.OPERATION_NAME: "retrieval", telemetry.MODE: query.mode, telemetry.LIMIT: query.limit}
    with telemetry.span("retrieval", asked) as span:
        watch = telemetry.Laps(telemetry.SEARCH, span)
        found = _stages(reader, query, bookmark, watch)
        watch.total()
        for report in found.answer.legs:
            telemetry.tell(telemetry.LEG, report.name, report.ms / 1000, report.status)
        if span.is_recorded:
            _describe(span, reader, query, found)
        return found


def _stages(reader: Reader, query: Query, bookmark: Bookmark | None, watch: telemetry.Laps) -> Trace:
    plan = with_stand_ins(within(understand(query, reader.kinds), query, reader.index.features))
    watch.lap("understand")
    with reader.catalog.session(reader.tenant) as session:
        reader = replace(reader, catalog=session)
        resolved = resolve_all(reader, query, bookmark)
        views = [item.view for item in resolved]
        plan = _of_its_kind(reader, views, plan)
        watch.lap("resolve")
        retrieved = retrieve(reader, views, plan, query)
        watch.lap("legs")
        # Listing every value costs more than the search; a filter that nothing can pass shows in an empty answer.
        nothing = not any(ranking.found or _is_broken(ranking) for ranking in retrieved.rankings)
        filter_notes = check_filters(reader, views, plan, query.filters) if nothing else []
        quoted = plan.query_class == "quoted"
        entries = pool(retrieved.rankings, query.group, strict=plan.strict, quoted=quoted, points=plan.points)
        watch.lap("fuse")
        if reader.ranks:
            signals = weigh(entries, leg_shares(retrieved.rankings, plan, reader.ranking), "signals")
            ordered: Sequence[Candidate] = by_ranks(entries, reader.ranks, signals.scores)
        else:
            ordered = with_signals(reader, plan, rerank(entries, retrieved.rankings, plan, reader.ranking))
        ordered = behind(reader, views, plan, ordered)
        read = Excerpts(reader.catalog)
        joined = join(reader, views, query, ordered, read)
        looked = look_again(reader, query, plan.text, joined.candidates, read)
        ranked, reports = looked.candidates, (*retrieved.reports, joined.report, *looked.reports)
        watch.lap("rerank")
        shown = _sorted(reader, at_least(ranked, query.min_score), query.sort)
        here = Bookmark(bookmark.offset if bookmark else 0, _pins(resolved), said_in(retrieved.rankings))
        total, is_bound = _total(retrieved, shown, query)
        end = here.offset + query.limit
        notes = [*plan.notes, *filter_notes, *retrieved.notes, *lag_notes(resolved)]
        notes += promise_notes(reader, query)
        if end >= len(shown) and total > len(shown):
            notes.append(
                f"paging ends at the {len(shown)} best of {total}; narrow the question or filter it to see others"
            )
        if query.sort != "relevance" and total > len(shown):
            notes.append(f"sorted by date within the {len(shown)} most relevant of {total}")
        if len(shown) < len(ranked):
            notes.append(
                f"{len(ranked) - len(shown)} of the {len(ranked)} best score below min_score {query.min_score}"
            )
        page = shown[here.offset : end]
        others = siblings(reader, views, plan, query, retrieved.rankings, page)
        contexts = {item.view.scope: item.echo for item in resolved}
        page = _explained(reader, query, page, retrieved.rankings, read)
        hits = tuple(cite(read, page, contexts, others, query.passages))
        answer = Answer(
            hits=hits,
            read_contexts=tuple(item.echo for item in resolved),
            legs=reports,
            total=total,
            total_is_lower_bound=is_bound,
            next_cursor=_next_cursor(reader, query, replace(here, offset=end)) if end < len(shown) else "",
            replay=replay_note(reader, query, here, reports),
            notes=tuple(dict.fromkeys(notes)),
            absence="" if hits else absence(reader, query, plan, retrieved, resolved),
        )
        watch.lap("cite")
    legs = {report.name: report.ms for report in retrieved.reports if report.status == "ok"}
    return Trace(answer, plan, retrieved.rankings, shown, watch.stages | legs, looked.before)


def _describe(span: telemetry.OpenSpan, reader: Reader, query: Query, found: Trace) -> None:
    """What a span says of a search; words and what they found only where the settings want it."""
    answer = found.answer
    names = [str(context["repository_id"]) for context in answer.read_contexts]
    if len(names) == 1:
        span.rename(f"retrieval {names[0]}")
    span.set(
        {
            telemetry.DATA_SOURCE: ",".join(names),
            telemetry.QUERY_CLASS: found.plan.query_class,
            telemetry.TOTAL: answer.total,
            telemetry.HITS: len(answer.hits),
            **({telemetry.ABSENCE: answer.absence} if answer.absence else {}),
        }
    )
    if reader.query_text_in_spans:
        documents = [{"id": hit.passage.citation, "score": hit.score} for hit in answer.hits]
        span.set({telemetry.QUERY_TEXT: query.text, telemetry.DOCUMENTS: json.dumps(documents)})


def _is_broken(ranking: Ranking) -> bool:
    """Whether a leg that reads the index itself could not; vectors and words may be missing without that."""
    return ranking.status == "unavailable" and ranking.leg not in BY_MEANING


def _of_its_kind(reader: Reader, views: Sequence[View], plan: Plan) -> Plan:
    """The plan with the kind of source it asks: the one that is filtered for, or the only one there is."""
    if not reader.ranking.kinds:
        return plan
    kinds = [stated] if (stated := stated_kind(plan.filters)) else [*reader.index.filter_values(views).get("kind", ())]
    return replace(plan, kind=kinds[0]) if len(kinds) == 1 else plan


def resolve_all(reader: Reader, query: Query, bookmark: Bookmark | None) -> list[Resolved]:
    """Each repository at its own revision; a cursor or token keeps the repositories and revisions of its answer."""
    valid_at = day(query.valid_at, "valid_at") if query.valid_at else None
    asked = []
    for info in reader.repositories(query.repositories if bookmark is None else tuple(bookmark.pins)):
        context, in_force = query.read_context, valid_at
        if bookmark is not None:
            context, in_force = _pinned(info, bookmark.pins[info.scope.repository])
        asked.append(AskedState(info, context, reader.index.reached(info.scope), in_force))
    return resolve_each(reader.catalog, asked, default=reader.default, roles=reader.roles)


def _pinned(info: RepositoryInfo, pin: Pin) -> tuple[ReadContext, date]:
    if info.purges != pin.purges:
        raise Conflict(
            f"something has been erased from {info.scope.repository!r} since that answer; ask the question again, with"
            f" {either('--read-context', 'read_context')} revision:{pin.revision} for what is left of that state"
        )
    return ReadContext("revision", revision=pin.revision), date.fromisoformat(pin.valid_at)


def _pins(resolved: Sequence[Resolved]) -> dict[str, Pin]:
    return {
        item.view.scope.repository: Pin(item.view.revision, item.view.valid_at.isoformat(), item.repository.purges)
        for item in resolved
    }


def _next_cursor(reader: Reader, query: Query, following: Bookmark) -> str:
    embedder = reader.meaning.embedder
    if embedder is None or embedder.deterministic:
        following = replace(following, said=None)  # the same question has the same vector
    return seal_cursor(following, question_of(query, reader), reader.catalog.library_id)


def check_filters(reader: Reader, views: Sequence[View], plan: Plan, given: Mapping[str, object]) -> list[str]:
    """A filter on a field that nothing visible has is a mistake; a value that nothing has is worth a note."""
    known = reader.index.filter_values(views) if plan.filters else {}
    if not known:
        return []
    names = {*known, "date_from", "date_to"} if "date" in known else set(known)
    notes = []
    for item in plan.filters:
        if item.field not in names:
            name = item.field if item.field in given else next(k for k in ("date_from", "date_to") if given.get(k))
            raise UnknownArgument.named("filter", name, names)
        if isinstance(item, OneOf) and not any(value in known[item.field] for value in item.values):
            there = sorted(known[item.field], key=lambda value: (-known[item.field][value], value))[:MAX_VALUES_SHOWN]
            notes.append(f"nothing has {item.field}={' or '.join(item.values)}; there is {', '.join(there)}")
    return notes


def _explained(
    reader: Reader, query: Query, page: Sequence[Candidate], rankings: Sequence[Ranking], read: Excerpts
) -> Sequence[Candidate]:
    embedder = reader.meaning.embedder
    return with_windows(read, embedder, page, rankings) if query.explain and embedder else page


def _sorted(reader: Reader, pool: Sequence[Candidate], sort: str) -> Sequence[Candidate]:
    """By the metadata `date` when asked; what has none comes last, in the order of relevance."""
    if sort == "relevance" or not pool:
        return pool
    headers = reader.catalog.elements.headers({cut_of(candidate.found) for candidate in pool})

    def date_of(candidate: Candidate) -> str:
        header = headers.get(cut_of(candidate.found))
        text = str(header.metadata.get("date", "")) if header else ""
        return text if is_iso_date(text) else ""

    dated = [(date_of(candidate), candidate) for candidate in pool]
    with_date = sorted((item for item in dated if item[0]), key=lambda item: item[0], reverse=sort == "date_desc")
    return [candidate for _, candidate in with_date] + [candidate for when, candidate in dated if not when]


def _total(retrieved: Retrieved, shown: Sequence[Candidate], query: Query) -> tuple[int, bool]:
    """Distinct groups that match; a lower bound when a leg pruned, or legs found different things beyond the pool.

    What meaning alone found has no end: everything is more or less near. Such an answer counts its pool.
    """
    legs = [r for r in retrieved.rankings if r.leg not in BY_MEANING]
    cut = [r for r in legs if r.total > len(r.found) and r.found[-1].score >= query.min_score]
    keyword = next((r for r in legs if r.leg == "keyword"), None)
    by_meaning = any(found_by(shown, leg).any() for leg in BY_MEANING)
    is_bound = (keyword is not None and keyword.total_is_lower_bound) or by_meaning
    if not cut:
        return len(shown), is_bound
    if keyword not in cut or query.min_score > 0:
        return len(shown), True
    assert keyword is not None
    only_keyword = found_by(shown, "keyword").all() and cut == [keyword]
    return max(keyword.total, len(shown)), is_bound or not only_keyword
