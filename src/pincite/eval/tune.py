"""Tune: how much meaning should count for each class of query, learned from judged questions.

Simple on purpose: a grid over the dense leg's share, one class at a time, chosen by nDCG@10 in cross-validation. The
reported figures are from questions that the choice did not see, and only a significant gain is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pincite.errors import InvalidArgument
from pincite.eval.bootstrap import Difference, paired
from pincite.eval.cases import CaseSet
from pincite.eval.evaluate import EvaluateOptions, ask
from pincite.eval.metrics import as_run, measure, require_metrics
from pincite.eval.places import JudgedCase, JudgedPlaces
from pincite.eval.results import HEADLINE
from pincite.ids import text_hash
from pincite.ingest.report import Progress, silent
from pincite.search.fuse import Pool, pool
from pincite.search.rerank import rerank
from pincite.search.spine import Trace
from pincite.search.understand import stated_kind
from pincite.search.weights import RankingOptions, Weights

if TYPE_CHECKING:
    from pincite.library import Library

GRID = tuple(round(0.05 * step, 2) for step in range(15))
"""Shares of the dense leg that are tried; the keyword leg has the rest."""
RELATED = (0.0, 0.3, 0.6)
"""Weights of related words that are tried where they answered any question of the class."""
FOLDS = 5
MIN_QUERIES = 20
"""Minimum number of queries of a class; with fewer it keeps its weights."""


@dataclass(frozen=True, slots=True)
class ClassResult:
    """What was found for one class of query."""

    query_class: str
    kind: str
    """The kind of source, if the questions filter for one; otherwise ""."""
    queries: int
    before: Weights
    after: Weights
    """Chosen over all its questions; equal to `before` if the gain was not significant."""
    difference: Difference | None
    """Over questions that the choice did not see; None if there are too few."""

    @property
    def taken(self) -> bool:
        return self.after != self.before


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was learned."""

    classes: tuple[ClassResult, ...]
    difference: Difference
    """Over all held-out questions, with the accepted weights."""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for the configuration; empty if nothing was significant."""
        weights: dict[str, Any] = {}
        kinds: dict[str, Any] = {}
        for result in self.classes:
            if result.taken:
                table = kinds.setdefault(result.kind, {}) if result.kind else weights
                table[result.query_class] = asdict(result.after)
        found = {name: value for name, value in (("weights", weights), ("kinds", kinds)) if value}
        return {"retrieval": found} if found else {}


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question with everything that a ranking needs, so that weights can be tried without asking again."""

    name: str
    trace: Trace
    entries: Pool
    located: JudgedCase

    @property
    def group(self) -> tuple[str, str]:
        """What has its own weights: a kind of source, if the question filters for one, and a class of query."""
        return stated_kind(self.trace.plan.filters), self.trace.plan.query_class


def tune(library: Library, cases: CaseSet, options: EvaluateOptions, progress: Progress = silent) -> Tuned:
    """The best share of meaning for each class of query, according to these questions."""
    require_metrics()
    now = library.config.retrieval.options()
    asked = _ask_all(library, cases, options, progress)
    if not any(ranking.leg == "dense" for item in asked for ranking in item.trace.rankings):
        raise InvalidArgument(
            "there is nothing to tune: the dense leg did not answer; compute vectors with: pincite embed", field="dense"
        )
    groups = sorted({item.group for item in asked})
    results = []
    before = {item.name: value for item, value in zip(asked, _values(asked, now), strict=True)}
    after = dict(before)
    for number, group in enumerate(groups):
        progress("weighing", number, len(groups))
        result, held_out = _tune_class([item for item in asked if item.group == group], *group, now)
        results.append(result)
        if result.taken:
            after.update(held_out)
    progress("weighing", len(groups), len(groups))
    return Tuned(tuple(results), paired(list(before.values()), list(after.values())))


def _ask_all(library: Library, cases: CaseSet, options: EvaluateOptions, progress: Progress) -> list[_Asked]:
    names = options.repositories or tuple(info.scope.repository for info in library.repositories())
    options = replace(options, repositories=names)
    places = JudgedPlaces(library, names)
    judged = [case for case in cases.cases if case.query.strip() and any(j.grade > 0 for j in case.relevant)]
    out = []
    for number, case in enumerate(judged):
        progress("asking", number, len(judged))
        located = places.locate(case, case.read_context or options.read_context)
        trace = ask(library, case, options, by_section=located.by_section)
        plan = trace.plan
        entries = pool(
            trace.rankings,
            "chunk" if located.by_section else "element",
            strict=plan.strict,
            quoted=plan.query_class == "quoted",
            points=plan.points,
        )
        out.append(_Asked(case.id, trace, entries, located))
    progress("asking", len(judged), len(judged))
    if not out:
        raise InvalidArgument(f"no query of {cases.name} has a relevant place; judge some first", field="relevant")
    return out


def _tune_class(
    asked: Sequence[_Asked], kind: str, query_class: str, now: RankingOptions
) -> tuple[ClassResult, Mapping[str, float]]:
    """The result of a class, and the values of its questions with weights chosen without them."""
    current = now.weights_for(query_class, kind)
    if len(asked) < MIN_QUERIES:
        return ClassResult(query_class, kind, len(asked), current, current, None), {}
    answered = any(ranking.leg == "related" and ranking.found for item in asked for ranking in item.trace.rankings)
    related = RELATED if answered else (current.related,)
    grid = [Weights(round(1 - share, 2), share, weight) for share in GRID for weight in related]
    tried = {weights: _values(asked, _with(now, kind, query_class, weights)) for weights in grid}
    folds = [int(text_hash(item.name)[:8], 16) % FOLDS for item in asked]
    held_out: dict[str, float] = {}
    for fold in range(FOLDS):
        seen = [number for number, its in enumerate(folds) if its != fold]
        best = _best(tried, seen)
        held_out |= {asked[n].name: tried[best][n] for n, its in enumerate(folds) if its == fold}
    unseen = [held_out[item.name] for item in asked]
    difference = paired(_values(asked, now), unseen)
    chosen = _best(tried, range(len(asked))) if difference.low > 0 else current
    return ClassResult(query_class, kind, len(asked), current, chosen, difference), held_out


def _best(tried: Mapping[Weights, Sequence[float]], numbers: Sequence[int]) -> Weights:
    """The weights with the highest mean; among equals those closest to words alone."""
    return max(tried, key=lambda weights: (sum(tried[weights][n] for n in numbers), -weights.dense))


def _with(options: RankingOptions, kind: str, query_class: str, weights: Weights) -> RankingOptions:
    if not kind:
        return replace(options, weights={**options.weights, query_class: weights})
    own = {**options.kinds.get(kind, {}), query_class: weights}
    return replace(options, kinds={**options.kinds, kind: own})


def _values(asked: Sequence[_Asked], options: RankingOptions) -> list[float]:
    """nDCG@10 of each question in the order that the options give."""
    judged = {str(number): item.located.grades for number, item in enumerate(asked)}
    runs = {}
    for number, item in enumerate(asked):
        plan = replace(item.trace.plan, kind=item.group[0] or item.trace.plan.kind)
        ranked = rerank(item.entries, item.trace.rankings, plan, options)
        runs[str(number)] = as_run(item.located.names(candidate.found for candidate in ranked))
    found = measure(judged, runs)
    return [found[str(number)][HEADLINE] for number in range(len(asked))]
