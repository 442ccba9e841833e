"""Two runs compared: the differences with their intervals, every query, and those that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.eval.html.charts import DifferenceDot, Mark, Movement, difference, movement, scale
from pincite.eval.html.scatter import Scatter, scatter
from pincite.eval.html.sections import MAX_TAGS
from pincite.eval.html.values import (
    HEADLINE,
    Direction,
    amount,
    direction,
    headline_leg,
    in_order,
    metric_title,
    number,
    pair,
    signed,
    significant,
    span,
)

MAX_MOVED = 25


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A metric, a leg or a tag: its value before and after, with the interval of the difference."""

    name: str
    queries: int | None
    found: Direction
    value: float | None
    worded: str
    chart: DifferenceDot


@dataclass(frozen=True, slots=True)
class Forest:
    """Lines over their common scale."""

    lines: tuple[ChangeLine, ...]
    scale: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Differences:
    """By metric and leg, then by tag; `is_headed` if the first were compared."""

    is_headed: bool
    leg: str
    forest: Forest | None
    has_tags: bool
    by_tag: Forest | None
    hidden: int


@dataclass(frozen=True, slots=True)
class EveryQuery:
    """The scatter, and how many queries went up or down."""

    chart: Scatter
    better: int
    worse: int
    same: int


@dataclass(frozen=True, slots=True)
class MovedQuery:
    id: str
    query: str
    found: Direction
    value: float
    worded: str
    chart: Movement


@dataclass(frozen=True, slots=True)
class Moved:
    """The queries that moved, the largest drop first."""

    lines: tuple[MovedQuery, ...]
    hidden: int
    scale: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    differences: Differences | None
    every_query: EveryQuery | None
    moved: Moved | None


def changes(report: Mapping[str, Any]) -> Changes | None:
    """Differences with their intervals, every query before and after, and the queries that moved."""
    comparison = report.get("comparison") or {}
    found = Changes(_differences(comparison), _every_query(report, comparison), _moved(comparison))
    return found if found.differences or found.every_query or found.moved else None


def _differences(comparison: Mapping[str, Any]) -> Differences | None:
    metrics = comparison.get("metrics") or {}
    shown = headline_leg(metrics)
    changed = [(f"{shown}, {metric_title(name)}", change) for name, change in (metrics.get(shown) or {}).items()]
    changed += [(f"{leg}, nDCG@10", metrics[leg].get(HEADLINE)) for leg in in_order(metrics) if leg != shown]
    by = sorted((comparison.get("by") or {}).items(), key=lambda item: (_gain(item[1]), item[0]))
    if not changed and not by:
        return None
    hidden = max(0, len(by) - MAX_TAGS)
    return Differences(bool(changed), shown, _forest(changed), bool(by), _forest(by[:MAX_TAGS]), hidden)


def _gain(change: Mapping[str, Any]) -> float:
    return amount(change.get("difference")) or 0.0


def _forest(changed: Sequence[tuple[str, Mapping[str, Any] | None]]) -> Forest | None:
    kept = [(name, change) for name, change in changed if change]
    ends = [end for _, change in kept for end in (_gain(change), *(pair(change.get("interval")) or ()))]
    reach = max((abs(end) for end in ends), default=0.0) or 1.0
    lines = tuple(_change_line(name, change, reach) for name, change in kept)
    return Forest(lines, scale([signed(-reach), "0", signed(reach)])) if lines else None


def _change_line(name: str, change: Mapping[str, Any], reach: float) -> ChangeLine:
    value, interval = amount(change.get("difference")), pair(change.get("interval"))
    found = significant(interval)
    queries = amount(change.get("queries"))
    worded = f"{number(change.get('before'))} → {number(change.get('after'))}"
    label = f"{name}: {worded}, difference {signed(value)}, 95 % interval {span(interval, sign=True)}"
    chart = difference(value, interval, reach, found, label)
    return ChangeLine(name, None if queries is None else int(queries), found, value, worded, chart)


def _every_query(report: Mapping[str, Any], comparison: Mapping[str, Any]) -> EveryQuery | None:
    before, after = comparison.get("before") or {}, comparison.get("after") or {}
    old, new = ({i: v for i in before if (v := amount(side.get(i))) is not None} for side in (before, after))
    shared = [query_id for query_id in old if query_id in new]
    if not shared:
        return None
    found = [direction(new[i] - old[i]) for i in shared]
    queries = {i: str(judged.get("query", i)) for i, judged in (report.get("per_query") or {}).items()}
    chart = scatter({i: old[i] for i in shared}, {i: new[i] for i in shared}, queries)
    return EveryQuery(chart, found.count("better"), found.count("worse"), found.count("same"))


def _moved(comparison: Mapping[str, Any]) -> Moved | None:
    moved = sorted(comparison.get("moved") or (), key=lambda query: (_gain(query), str(query.get("id"))))
    lines = tuple(map(_moved_query, moved[:MAX_MOVED]))
    return Moved(lines, max(0, len(moved) - MAX_MOVED), scale()) if lines else None


def _moved_query(query: Mapping[str, Any]) -> MovedQuery:
    before, after = amount(query.get("before")) or 0.0, amount(query.get("after")) or 0.0
    query_id, worded = query.get("id", ""), f"{number(before)} → {number(after)}"
    chart = movement(before, after, f"{query_id}: {worded}")
    shown = query.get("query", query_id)
    return MovedQuery(query_id, shown, direction(after - before), after - before, worded, chart)
