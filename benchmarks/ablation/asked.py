"""A judged question with what every leg found: all that another way of ranking needs, without asking again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from pincite.benches import Bench
from pincite.errors import InvalidArgument, Unavailable
from pincite.eval.cases import Case
from pincite.eval.evaluate import EvaluateOptions, ask
from pincite.eval.places import JudgedPlaces
from pincite.library import Library
from pincite.queries import Ranking
from pincite.search.candidates import Candidate
from pincite.search.fuse import Pool, pool
from pincite.search.query import MAX_QUERY, Query
from pincite.search.understand import Plan, understand

NEEDED = ("keyword", "dense")
"""Legs without which there is nothing to compare."""
GROUP: Literal["element"] = "element"
"""Judgements of the corpora name documents."""


@dataclass(frozen=True)
class Asked:
    """One question, asked once."""

    id: str
    query: str
    grades: Mapping[str, int]
    rankings: tuple[Ranking, ...]

    @cached_property
    def plan(self) -> Plan:
        """How the search understands the question."""
        return understand(Query(text=self.query[:MAX_QUERY], group=GROUP))

    @cached_property
    def entries(self) -> Pool:
        """The pool of all legs."""
        return self.pool_of(self.rankings)

    def pool_of(self, rankings: tuple[Ranking, ...]) -> Pool:
        """The pool that the search would make of these rankings."""
        plan = self.plan
        quoted = plan.query_class == "quoted"
        return pool(rankings, GROUP, strict=plan.strict, quoted=quoted, points=plan.points)

    def leg(self, name: str) -> Ranking:
        """What a leg found; nothing where it did not answer."""
        return next((ranking for ranking in self.rankings if ranking.leg == name), Ranking(name))


def names(candidates: Iterable[Candidate]) -> list[str]:
    """Documents in the order of their passages."""
    return [candidate.found.element_id for candidate in candidates]


def ask_all(bench: Bench) -> list[Asked]:
    """Every question that has an answer to be found, as the evaluation chooses them."""
    places = JudgedPlaces(bench.library, (bench.library.config.repository,))
    out = []
    for case in bench.cases.cases:
        if not case.query.strip() or not any(judged.grade > 0 for judged in case.relevant):
            continue
        located = places.locate(case, None)
        if located.by_section:
            raise InvalidArgument(
                f"{bench.cases.name}: {case.id!r} is judged by section; the ablation compares documents", field="qrels"
            )
        out.append(Asked(case.id, case.query, located.grades, ask_one(bench.library, case.id, case.query)))
    return out


def ask_one(library: Library, name: str, query: str) -> tuple[Ranking, ...]:
    """What every leg finds, asked as any caller would, without explanations.

    `Unavailable` where a leg is missing: figures would hide it.
    """
    trace = ask(library, Case(name, query, ()), EvaluateOptions(name))
    for report in trace.answer.legs:
        if report.name in NEEDED and report.status != "ok":
            raise Unavailable(f"{name!r}: the {report.name} leg did not answer in full: {report.reason}")
    return tuple(
        replace(ranking, found=tuple(found._replace(matched=()) for found in ranking.found))
        for ranking in trace.rankings
    )
