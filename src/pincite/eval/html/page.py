"""The page: its head, what one wants to know first, the sections, and what the index was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pincite.eval.html.changes import changes, verdict
from pincite.eval.html.charts import Bar, bars
from pincite.eval.html.markup import (
    HEADLINE,
    amount,
    count,
    headline_leg,
    metric_title,
    number,
    pair,
    span,
    text,
)
from pincite.eval.html.sections import latency, legs, notes, spread, tags
from pincite.eval.html.style import CSS, SCRIPT
from pincite.eval.html.worst import worst_queries

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def render_page(report: Mapping[str, Any], worst: Sequence[Mapping[str, Any]] = ()) -> str:
    """One self-contained HTML page; the same report gives the same bytes."""
    sections = [
        ("legs", "Legs", legs(report)),
        ("tags", "Kinds of questions", tags(report)),
        ("changes", "What changed", changes(report)),
        ("spread", "Spread over queries", spread(report)),
        ("latency", "Latency", latency(report)),
        ("worst", "Worst queries", worst_queries(worst)),
        ("notes", "Notes", notes(report)),
    ]
    filled = [section for section in sections if section[2]]
    links = "".join(f'<a href="#{anchor}">{title}</a>' for anchor, title, _ in filled)
    body = "\n".join(
        f'<section id="{anchor}" aria-labelledby="{anchor}-title">'
        f'<h2 id="{anchor}-title">{title}</h2>\n{content}</section>'
        for anchor, title, content in filled
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(report.get('dataset', 'Evaluation'), 120)} · retrieval evaluation</title>\n"
        f"<style>{CSS}</style>\n</head>\n<body>\n{_header(report)}\n"
        f'<nav aria-label="Sections">{links}</nav>\n<main>\n{body}\n</main>\n{_footer(report)}\n'
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _header(report: Mapping[str, Any]) -> str:
    """Which questions were asked, how well they were answered, and the verdicts."""
    facts = [text(report[key], 80) for key in ("kind",) if report.get(key)]
    facts += [count(int(amount(report.get("queries")) or 0), "query")]
    facts += [f"judgements: {text(report['qrels'], 80)}"] if report.get("qrels") else []
    told = f'<p class="told" dir="auto">{text(report["description"])}</p>' if report.get("description") else ""
    cards = _gates(report.get("gates")) + verdict(report.get("comparison"))
    return (
        '<header><div class="top"><p class="brand">Pincite <span>retrieval evaluation</span></p>'
        '<button type="button" class="theme" hidden>Light / dark</button></div>\n'
        f'<div class="hero"><div><h1 dir="auto">{text(report.get("dataset", "Evaluation"), 120)}</h1>'
        f'<p class="facts">{"".join(f"<span>{fact}</span>" for fact in facts)}</p>{told}</div>{_figure(report)}</div>\n'
        + (f'<div class="cards">{cards}</div>' if cards else "")
        + "</header>"
    )


def _figure(report: Mapping[str, Any]) -> str:
    metrics = report.get("metrics") or {}
    leg = headline_leg(metrics)
    value = amount((metrics.get(leg) or {}).get(HEADLINE))
    interval = pair(((report.get("intervals") or {}).get(leg) or {}).get(HEADLINE))
    name = f"{metric_title(HEADLINE)} of {leg}"
    between = f"95 % interval {span(interval)}" if interval else ""
    return (
        f'<div class="figure"><p><strong>{number(value)}</strong><span>{text(name)}<br>{between}</span></p>'
        f"{bars([Bar(value, interval, 'final', 10)], f'{name} {number(value)} {between}')}</div>"
    )


def _gates(gates: Mapping[str, Any] | None) -> str:
    if not gates:
        return ""
    checks = "".join(
        f'<li><span class="{"better" if check.get("passed") else "worse"}">'
        f"{'✓ passed' if check.get('passed') else '✗ refused'}</span> <b>{text(check.get('name', ''), 80)}</b> "
        f"{text(check.get('text') or _wanted(check), 300)}</li>"
        for check in gates.get("checks") or ()
    )
    look, title = ("better", "✓ Gates passed") if gates.get("passed") else ("worse", "✗ Gates refused")
    return f'<div class="card {look}"><h2>{title}</h2><ul class="checks">{checks}</ul></div>'


def _wanted(check: Mapping[str, Any]) -> str:
    return f"reached {number(check.get('reached'))}, wanted {number(check.get('wanted'))}"


def _footer(report: Mapping[str, Any]) -> str:
    """What was searched: fingerprints by which a run can be told from another."""
    rows = "".join(
        f'<tr><th scope="row">{text(key, 80)}</th><td>{text(_plain(value), 400)}</td></tr>'
        for key, value in sorted((report.get("index") or {}).items())
    )
    table = f"<table><caption>Index</caption>{rows}</table>" if rows else ""
    return f"<footer>{table}</footer>"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
