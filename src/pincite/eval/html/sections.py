"""The sections of the page with charts: what each shows, or None if the report has nothing to show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pincite.eval.html.charts import Bar, Mark, Track, scale, track
from pincite.eval.html.histogram import Histogram, histogram
from pincite.eval.html.values import (
    HEADLINE,
    Pair,
    amount,
    count,
    headline_leg,
    in_order,
    metric_title,
    number,
    pair,
    span,
)

MAX_TAGS = 40
GROUPS = {"type": "Type", "lang": "Language", "class": "Class", "": "Other tags"}
SINGLE = ("keyword", "dense", "exact", "graph")


@dataclass(frozen=True, slots=True)
class LegLine:
    """nDCG@10 of a leg."""

    leg: str
    value: float | None
    interval: Pair | None
    chart: Track


@dataclass(frozen=True, slots=True)
class Cell:
    """A metric of a leg; it leads if no other leg has a higher value."""

    value: str
    leads: bool


@dataclass(frozen=True, slots=True)
class Legs:
    """nDCG@10 of every leg with its interval, then all metrics."""

    lines: tuple[LegLine, ...]
    metrics: tuple[str, ...]
    table: tuple[tuple[str, tuple[Cell, ...]], ...]
    scale: tuple[Mark, ...]


def legs(report: Mapping[str, Any]) -> Legs | None:
    """Every leg of the report, in the order in which a search runs them."""
    metrics, intervals = report.get("metrics") or {}, report.get("intervals") or {}
    lines = []
    for leg in in_order(metrics):
        value = amount(metrics[leg].get(HEADLINE))
        interval = pair((intervals.get(leg) or {}).get(HEADLINE))
        look = "final" if leg == headline_leg(metrics) else "other"
        label = f"{leg}: nDCG@10 {number(value)}, 95 % interval {span(interval)}"
        lines.append(LegLine(leg, value, interval, track([Bar(value, interval, look, 18)], label)))
    if not lines:
        return None
    names = list(dict.fromkeys(name for leg in in_order(metrics) for name in metrics[leg]))
    table = tuple((leg, _cells(metrics, leg, names)) for leg in in_order(metrics))
    return Legs(tuple(lines), tuple(map(metric_title, names)), table, scale())


def _cells(metrics: Mapping[str, Mapping[str, Any]], leg: str, names: list[str]) -> tuple[Cell, ...]:
    cells = []
    for name in names:
        best = max((amount(each.get(name)) or 0.0 for each in metrics.values()), default=0.0)
        shown = number(metrics[leg].get(name))
        cells.append(Cell(shown, len(metrics) > 1 and best > 0 and shown == number(best)))
    return tuple(cells)


@dataclass(frozen=True, slots=True)
class TagLine:
    """A tag: what the caller sees, compared with the best single leg."""

    tag: str
    name: str
    queries: int
    chart: Track
    shown: str
    single: tuple[str, str] | None
    """The best single leg and its value, unless it is what the caller sees."""


@dataclass(frozen=True, slots=True)
class TagGroup:
    """Tags with the same first word."""

    title: str
    lines: tuple[TagLine, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class Tags:
    groups: tuple[TagGroup, ...]
    scale: tuple[Mark, ...]


def tags(report: Mapping[str, Any]) -> Tags | None:
    """Every tag, grouped by its first word, those of most queries first."""
    grouped: dict[str, list[str]] = defaultdict(list)
    for tag in report.get("by") or {}:
        prefix = tag.partition(":")[0]
        grouped[prefix if ":" in tag and prefix in GROUPS else ""].append(tag)
    sizes = {tag: int(amount(many) or 0) for tag, many in (report.get("by_queries") or {}).items()}
    groups = []
    for prefix, title in GROUPS.items():
        ordered = sorted(grouped[prefix], key=lambda tag: (-sizes.get(tag, 0), tag))
        if ordered:
            lines = tuple(_tag_line(report, tag, prefix, sizes.get(tag, 0)) for tag in ordered[:MAX_TAGS])
            groups.append(TagGroup(title, lines, max(0, len(ordered) - MAX_TAGS)))
    return Tags(tuple(groups), scale()) if groups else None


def _tag_line(report: Mapping[str, Any], tag: str, prefix: str, queries: int) -> TagLine:
    metrics = report["by"][tag] or {}
    intervals = (report.get("by_intervals") or {}).get(tag) or {}
    shown, single = headline_leg(metrics), _best_single(metrics)
    stack, words = [], []
    for leg, look, height in ((shown, "final", 13), (single, "other", 10)):
        if leg and not (leg == shown and look == "other"):
            value = amount((metrics.get(leg) or {}).get(HEADLINE))
            stack.append(Bar(value, pair((intervals.get(leg) or {}).get(HEADLINE)), look, height))
            words.append((leg, number(value)))
    name = tag.removeprefix(f"{prefix}:") if prefix else tag
    spoken = ", ".join(f"{leg} {value}" for leg, value in words)
    chart = track(stack, f"{tag}, {count(queries, 'query')}: nDCG@10 of {spoken}")
    return TagLine(tag, name, queries, chart, words[0][1], words[1] if len(words) > 1 else None)


def _best_single(metrics: Mapping[str, Mapping[str, Any]]) -> str | None:
    there = [(amount(metrics[leg].get(HEADLINE)) or 0.0, leg) for leg in SINGLE if leg in metrics]
    return max(there, key=lambda pair: pair[0])[1] if there else None


@dataclass(frozen=True, slots=True)
class Spread:
    """Queries by nDCG@10."""

    leg: str
    perfect: int
    missed: int
    chart: Histogram


def spread(report: Mapping[str, Any]) -> Spread | None:
    """The values of what the caller sees."""
    leg = headline_leg(report.get("metrics") or {})
    given = [amount((query.get(leg) or {}).get(HEADLINE)) for query in (report.get("per_query") or {}).values()]
    values = [value for value in given if value is not None]
    if not values:
        return None
    return Spread(leg, sum(value >= 1 for value in values), sum(value <= 0 for value in values), histogram(values))


@dataclass(frozen=True, slots=True)
class StageLine:
    """Milliseconds of a stage."""

    name: str
    p50: str
    p95: str
    chart: Track


@dataclass(frozen=True, slots=True)
class Latency:
    lines: tuple[StageLine, ...]
    scale: tuple[Mark, ...]


def latency(report: Mapping[str, Any]) -> Latency | None:
    """The time in which half of the searches (p50) and nineteen of twenty (p95) finish, in total and by stage."""
    given = report.get("latency_ms") or {}
    timed = [("whole search", given), *(given.get("stages") or {}).items()]
    timed = [(name, times) for name, times in timed if amount((times or {}).get("p95")) is not None]
    longest = max((float(times["p95"]) for _, times in timed), default=0.0) or 1.0
    lines = []
    for name, times in timed:
        half, most = amount(times.get("p50")), float(times["p95"])
        stack = [Bar(None if half is None else half / longest, None, "final", 9), Bar(most / longest, None, "other", 9)]
        p50, p95 = number(half, 2), number(most, 2)
        lines.append(StageLine(name, p50, p95, track(stack, f"{name}: p50 {p50} ms, p95 {p95} ms")))
    marks = scale(["0", f"{longest / 2:.3g}", f"{longest:.3g} ms"])
    return Latency(tuple(lines), marks) if lines else None


def notes(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Notes of the run and the comparison."""
    return (*(report.get("notes") or ()), *((report.get("comparison") or {}).get("notes") or ()))
