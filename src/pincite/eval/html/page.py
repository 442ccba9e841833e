"""The page: its header, the main figure, the sections, and the index that was searched."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.eval.html.changes import changes
from pincite.eval.html.charts import Bar, Track, track
from pincite.eval.html.colours import DARK, LIGHT
from pincite.eval.html.sections import latency, legs, notes, spread, tags
from pincite.eval.html.templating import render
from pincite.eval.html.values import HEADLINE, amount, count, headline_leg, metric_title, number, pair, span
from pincite.eval.html.verdict import MainFigure, verdict
from pincite.eval.html.worst import worst_queries


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of the page; the template named like its anchor renders it."""

    anchor: str
    title: str
    content: object


@dataclass(frozen=True, slots=True)
class Figure:
    """The main figure."""

    value: float | None
    name: str
    between: str
    chart: Track


@dataclass(frozen=True, slots=True)
class Check:
    passed: bool
    name: str
    told: str


@dataclass(frozen=True, slots=True)
class ReleaseDecision:
    """Whether the run may be released, and why."""

    passed: bool
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """Which questions were asked, how well they were answered, and the verdicts."""

    dataset: str
    kind: str
    queries: str
    qrels: str
    description: str
    figure: Figure
    gates: ReleaseDecision | None
    verdict: MainFigure | None


def render_page(report: Mapping[str, Any], worst: Sequence[Mapping[str, Any]] = ()) -> str:
    """One self-contained HTML page; the same report gives the same bytes."""
    sections = (
        PageSection("legs", "Legs", legs(report)),
        PageSection("tags", "Kinds of questions", tags(report)),
        PageSection("changes", "What changed", changes(report)),
        PageSection("spread", "Spread over queries", spread(report)),
        PageSection("latency", "Latency", latency(report)),
        PageSection("worst", "Worst queries", worst_queries(worst)),
        PageSection("notes", "Notes", notes(report)),
    )
    filled = tuple(section for section in sections if section.content)
    return render("page", header=_header(report), sections=filled, index=_index(report), light=LIGHT, dark=DARK)


def _header(report: Mapping[str, Any]) -> Header:
    return Header(
        report.get("dataset", "Evaluation"),
        report.get("kind") or "",
        count(int(amount(report.get("queries")) or 0), "query"),
        report.get("qrels") or "",
        report.get("description") or "",
        _figure(report),
        _gates(report.get("gates")),
        verdict(report.get("comparison")),
    )


def _figure(report: Mapping[str, Any]) -> Figure:
    metrics = report.get("metrics") or {}
    leg = headline_leg(metrics)
    value = amount((metrics.get(leg) or {}).get(HEADLINE))
    interval = pair(((report.get("intervals") or {}).get(leg) or {}).get(HEADLINE))
    name = f"{metric_title(HEADLINE)} of {leg}"
    between = f"95 % interval {span(interval)}" if interval else ""
    return Figure(value, name, between, track([Bar(value, interval, "final", 10)], f"{name} {number(value)} {between}"))


def _gates(gates: Mapping[str, Any] | None) -> ReleaseDecision | None:
    if not gates:
        return None
    checks = (
        Check(bool(check.get("passed")), check.get("name", ""), check.get("text") or _wanted(check))
        for check in gates.get("checks") or ()
    )
    return ReleaseDecision(bool(gates.get("passed")), tuple(checks))


def _wanted(check: Mapping[str, Any]) -> str:
    return f"reached {number(check.get('reached'))}, wanted {number(check.get('wanted'))}"


def _index(report: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What was searched: fingerprints that distinguish one run from another."""
    return tuple((key, _plain(value)) for key, value in sorted((report.get("index") or {}).items()))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
