"""The worst queries of a run, asked once more with explanations: what came back instead, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pincite.eval.evaluate import EvaluateOptions, ask
from pincite.eval.places import JudgedCase, JudgedPlaces
from pincite.eval.results import HEADLINE, QuestionResult, Run
from pincite.search.query import Hit, LegScore

if TYPE_CHECKING:
    from pincite.library import Library

COUNT = 25
MAX_EXCERPT = 320
MAX_WORDS = 8


def worst(library: Library, run: Run, options: EvaluateOptions, *, count: int = COUNT) -> list[dict[str, Any]]:
    """The queries with the lowest nDCG@10, lowest first, each with its hits, their grades and explanations."""
    chosen = sorted(run.outcomes, key=lambda o: (o.values["final"][HEADLINE], o.values["final"]["map"], o.case.id))
    names = options.repositories or tuple(info.scope.repository for info in library.repositories())
    places = JudgedPlaces(library, names)
    return [_shown(library, outcome, places, options) for outcome in chosen[:count]]


def _shown(library: Library, outcome: QuestionResult, places: JudgedPlaces, options: EvaluateOptions) -> dict[str, Any]:
    case = outcome.case
    located = places.locate(case, case.read_context or options.read_context)
    trace = ask(library, case, options, by_section=located.by_section, explain=True)
    names = [located.name(candidate.found) for candidate in trace.pool[: len(trace.answer.hits)]]
    ranks = {name: rank for rank, name in reversed(list(enumerate(outcome.ranked["final"], start=1)))}
    return {
        "id": case.id,
        "query": case.query,
        "tags": list(outcome.tags),
        "note": case.note,
        "value": outcome.values["final"][HEADLINE],
        "relevant": [
            {"name": name, "grade": grade, "rank": ranks.get(name)}
            for name, grade in sorted(located.grades.items(), key=lambda item: (-item[1], item[0]))
        ],
        "hits": [
            _hit(rank, hit, name, located)
            for rank, (hit, name) in enumerate(zip(trace.answer.hits, names, strict=True), start=1)
        ],
    }


def _hit(rank: int, hit: Hit, name: str, located: JudgedCase) -> dict[str, Any]:
    passage = hit.passage
    text = " ".join(passage.text.split())
    return {
        "rank": rank,
        "name": name,
        "title": passage.content.name,
        "place": " > ".join(filter(None, passage.parent_chain)),
        "score": round(hit.score, 4),
        "grade": located.grades.get(name),
        "excerpt": text if len(text) <= MAX_EXCERPT else text[:MAX_EXCERPT].rsplit(" ", 1)[0] + " …",
        "citation": passage.citation,
        "why": [_why(leg, score) for leg, score in hit.legs.items()],
    }


def _why(leg: str, score: LegScore) -> str:
    words: Sequence[str] = [f"{m.word} {m.share:.2f} (in {m.df})" for m in score.matched if m.idf]
    more = f", … {len(words) - MAX_WORDS} more" if len(words) > MAX_WORDS else ""
    said = f"{leg}: rank {score.rank}, score {score.score:.3f}"
    return f"{said}: {', '.join(words[:MAX_WORDS])}{more}" if words else said
