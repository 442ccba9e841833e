"""Evaluate: ask every question, match what each leg found with the judged places, measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pincite.catalog.resolve import parse_read_context
from pincite.errors import InvalidArgument, NotFound, Unavailable
from pincite.eval.cases import Case, CaseSet, Context
from pincite.eval.corpus import fingerprint
from pincite.eval.metrics import as_run, measure, require_metrics
from pincite.eval.places import JudgedCase, JudgedPlaces
from pincite.eval.results import STAGES, QuestionResult, Run
from pincite.ingest.report import Progress, silent
from pincite.search.query import MAX_QUERY, LegReport, Query
from pincite.search.rrf import rrf
from pincite.search.spine import Trace

if TYPE_CHECKING:
    from pincite.library import Library

INCOMPLETE = ("partial", "unavailable")
"""Statuses of a leg that did not answer in full, so that figures could be better."""


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What the questions are asked of, and the name of the result."""

    dataset: str
    kind: str = "documents"
    repositories: tuple[str, ...] = ()
    """Empty: all repositories of the organization."""
    read_context: Context = None
    """For cases without their own."""


def evaluate(library: Library, cases: CaseSet, options: EvaluateOptions, progress: Progress = silent) -> Run:
    """The outcome of every case that has an answer to find."""
    require_metrics()
    names = options.repositories or tuple(info.scope.repository for info in library.repositories())
    options = replace(options, repositories=names)
    asked = [case for case in cases.cases if case.query.strip() and any(j.grade > 0 for j in case.relevant)]
    if not asked:
        raise InvalidArgument(f"no query of {cases.name} has a relevant place; judge some first", field="relevant")
    places = JudgedPlaces(library, names)
    ask(library, asked[0], options)  # opens files and fills caches; not timed
    outcomes: list[QuestionResult] = []
    judged: list[dict[str, int]] = []
    incomplete: Counter[str] = Counter()
    for number, case in enumerate(asked):
        progress("asking", number, len(asked))
        located = places.locate(case, case.read_context or options.read_context)
        trace = ask(library, case, options, by_section=located.by_section)
        _require_whole(trace)
        incomplete.update(f"{leg.name}: {leg.reason}" for leg in trace.answer.legs if _falls_short(leg))
        outcomes.append(_outcome(case, located, trace, _tags(cases, case, trace)))
        judged.append(located.grades)
    progress("asking", len(asked), len(asked))
    _require_right_library(outcomes, judged)
    outcomes = _measured(outcomes, judged)
    return Run(
        dataset=options.dataset,
        kind=options.kind,
        outcomes=tuple(outcomes),
        index=fingerprint(library, names),
        cases=cases.fingerprint,
        notes=(*cases.notes, *_notes(cases, outcomes), *_incomplete_notes(incomplete, len(outcomes))),
        qrels=cases.qrels,
        description=cases.description,
    )


def ask(
    library: Library, case: Case, options: EvaluateOptions, *, by_section: bool = False, explain: bool = False
) -> Trace:
    """One question, asked as by any caller; if sections are judged, each passage is a separate hit."""
    filters: Any = case.filters
    return library.trace(
        Query(
            text=case.query[:MAX_QUERY],
            repositories=options.repositories,
            read_context=parse_read_context(case.read_context or options.read_context),
            filters=filters,
            group="chunk" if by_section else "element",
            explain=explain,
        )
    )


def _require_whole(trace: Trace) -> None:
    """Refuse to measure a library that cannot search in full: its figures would be mistaken for its quality."""
    for ranking in trace.rankings:
        if ranking.status == "unavailable":
            raise Unavailable(f"the {ranking.leg} leg cannot answer, so nothing was measured: {ranking.reason}")


def _falls_short(leg: LegReport) -> bool:
    """Whether to note a leg. A reranker is only reported if configured, so one that is not used deserves a note."""
    return leg.status in INCOMPLETE or (leg.name == "rerank" and leg.status == "off")


def _require_right_library(outcomes: Sequence[QuestionResult], judged: Sequence[dict[str, int]]) -> None:
    """Refuse a library with none of the judged places: it must be the wrong one."""
    if all(len(outcome.missing) == len(outcome.case.relevant) for outcome in outcomes):
        places = sum(len(grades) for grades in judged)
        raise NotFound(
            f"none of the {places} judged places is in this library, e.g. {outcomes[0].missing[0]!r}; is this the right"
            " library, and are the places element ids? List them with: pincite filters",
            field="relevant",
        )


def _tags(cases: CaseSet, case: Case, trace: Trace) -> tuple[str, ...]:
    """The case's own tags and the class of query; golden files rarely state the language, so it is detected."""
    stated = bool(cases.qrels) or any(tag.startswith("lang:") for tag in case.tags)
    language = () if stated or not trace.plan.language else (f"lang:{trace.plan.language}",)
    return (*case.tags, *language, f"class:{trace.plan.query_class}")


def _outcome(case: Case, located: JudgedCase, trace: Trace, tags: tuple[str, ...]) -> QuestionResult:
    """The results by leg; metrics are added when all questions have been asked."""
    ranked = {ranking.leg: located.names(ranking.found) for ranking in trace.rankings if ranking.status == "ok"}
    fused = tuple(name for name, _ in rrf(ranked))
    final = located.names(candidate.found for candidate in trace.pool)
    plain = located.names(candidate.found for candidate in trace.unreranked)
    return QuestionResult(
        case=case,
        tags=tags,
        ranked={**ranked, "rrf": fused, **({"unreranked": plain} if trace.unreranked else {}), "final": final},
        values={},
        stages=trace.stages,
        milliseconds=sum(trace.stages[stage] for stage in STAGES),
        missing=located.missing,
    )


def _measured(outcomes: Sequence[QuestionResult], judged: Sequence[dict[str, int]]) -> list[QuestionResult]:
    """The outcomes with the metrics of each leg. Cases are numbered, because their ids may contain anything."""
    legs = {leg for outcome in outcomes for leg in outcome.ranked}
    grades = {str(number): grades for number, grades in enumerate(judged)}
    by_leg = {
        leg: measure(
            grades, {str(number): as_run(outcome.ranked.get(leg, ())) for number, outcome in enumerate(outcomes)}
        )
        for leg in legs
    }
    return [
        replace(outcome, values={leg: by_leg[leg][str(number)] for leg in legs})
        for number, outcome in enumerate(outcomes)
    ]


def _incomplete_notes(incomplete: Counter[str], queries: int) -> list[str]:
    """Legs that did not answer in full, with the number of queries."""
    return [f"{reason} ({count} of {queries} queries)" for reason, count in sorted(incomplete.items())]


def _count(number: int, noun: str) -> str:
    return (
        f"{number} {noun}" if number == 1 else f"{number} {noun.removesuffix('y')}{'ies' if noun[-1] == 'y' else 's'}"
    )


def _notes(cases: CaseSet, outcomes: Sequence[QuestionResult]) -> list[str]:
    """Notes on what the figures do not show."""
    notes = []
    if unjudged := len(cases.cases) - len(outcomes):
        notes.append(f"{unjudged} of {len(cases.cases)} queries have no words or no relevant place and were not asked")
    if absent := [outcome for outcome in outcomes if outcome.missing]:
        places = sum(len(outcome.missing) for outcome in absent)
        shown = ", ".join(f"{name!r} of {outcome.case.id}" for outcome in absent[:3] for name in outcome.missing[:1])
        notes.append(
            f"{_count(places, 'judged place')} of {_count(len(absent), 'query')} not in the library, counted as not"
            f" found: {shown}"
        )
    if long := sum(len(outcome.case.query) > MAX_QUERY for outcome in outcomes):
        notes.append(f"{long} queries were cut to {MAX_QUERY:,} characters, the maximum of a search")
    return notes
