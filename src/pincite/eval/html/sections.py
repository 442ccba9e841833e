"""The sections of the page that hold charts; each gives HTML, or nothing where the report has nothing to show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from pincite.eval.html.charts import Bar, bars, histogram, row, rows
from pincite.eval.html.markup import (
    HEADLINE,
    amount,
    count,
    headline_leg,
    in_order,
    key,
    metric_title,
    more,
    number,
    pair,
    size,
    span,
    text,
)

MAX_TAGS = 40
GROUPS = {"type": "Type", "lang": "Language", "class": "Class", "": "Other tags"}
SINGLE = ("keyword", "dense", "exact", "graph")


def legs(report: Mapping[str, Any]) -> str:
    """nDCG@10 of every leg with its interval, then all metrics with the best leg in bold."""
    metrics, intervals = report.get("metrics") or {}, report.get("intervals") or {}
    lines = []
    for leg in in_order(metrics):
        value = amount(metrics[leg].get(HEADLINE))
        interval = pair((intervals.get(leg) or {}).get(HEADLINE))
        look = "final" if leg == headline_leg(metrics) else "other"
        chart = bars(
            [Bar(value, interval, look, 18)], f"{leg}: nDCG@10 {number(value)}, 95 % interval {span(interval)}"
        )
        lines.append(row(f"<b>{text(leg)}</b>", chart, f"<b>{number(value)}</b> <small>{span(interval)}</small>"))
    if not lines:
        return ""
    others = key("other", "other legs") if len(lines) > 1 else ""
    legend = key("final", "what the caller sees") + others + key("bar", "95 % interval of the mean nDCG@10")
    return f'<p class="legend">{legend}</p>{rows(lines)}{_all_metrics(metrics)}'


def _all_metrics(metrics: Mapping[str, Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for leg in in_order(metrics) for name in metrics[leg]))
    best = {name: max((amount(leg.get(name)) or 0.0 for leg in metrics.values()), default=0.0) for name in names}
    head = "".join(f'<th scope="col">{text(metric_title(name))}</th>' for name in names)
    lines = []
    for leg in in_order(metrics):
        cells = []
        for name in names:
            shown = number(metrics[leg].get(name))
            leads = len(metrics) > 1 and best[name] > 0 and shown == number(best[name])
            cells.append(f"<td>{f'<strong>{shown}</strong>' if leads else shown}</td>")
        lines.append(f'<tr><th scope="row">{text(leg)}</th>{"".join(cells)}</tr>')
    caption = "All metrics; the best leg of each is bold" if len(metrics) > 1 else "All metrics"
    return (
        '<div class="wide" role="region" aria-label="All metrics" tabindex="0">'
        f'<table class="metrics"><caption>{caption}</caption><thead><tr><th scope="col">Leg</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def tags(report: Mapping[str, Any]) -> str:
    """For every tag, what the caller sees beside the best single leg; grouped by the first word of the tag."""
    grouped: dict[str, list[str]] = defaultdict(list)
    for tag in report.get("by") or {}:
        prefix = tag.partition(":")[0]
        grouped[prefix if ":" in tag and prefix in GROUPS else ""].append(tag)
    sizes = {tag: int(amount(many) or 0) for tag, many in (report.get("by_queries") or {}).items()}
    parts = []
    for prefix, title in GROUPS.items():
        ordered = sorted(grouped[prefix], key=lambda tag: (-sizes.get(tag, 0), tag))
        if ordered:
            lines = [_tag_row(report, tag, prefix, sizes.get(tag, 0)) for tag in ordered[:MAX_TAGS]]
            parts.append(f"<h3>{title}</h3>{rows(lines)}{more(MAX_TAGS, len(ordered), 'tag')}")
    legend = (
        key("final", "what the caller sees") + key("other", "best single leg") + key("bar", "95 % interval of the mean")
    )
    return f'<p class="legend">nDCG@10: {legend}</p>{"".join(parts)}' if parts else ""


def _tag_row(report: Mapping[str, Any], tag: str, prefix: str, queries: int) -> str:
    metrics = report["by"][tag] or {}
    intervals = (report.get("by_intervals") or {}).get(tag) or {}
    shown, single = headline_leg(metrics), _best_single(metrics)
    stack, words = [], []
    for leg, look, height in ((shown, "final", 13), (single, "other", 10)):
        if leg and not (leg == shown and look == "other"):
            value = amount((metrics.get(leg) or {}).get(HEADLINE))
            stack.append(Bar(value, pair((intervals.get(leg) or {}).get(HEADLINE)), look, height))
            words.append((leg, number(value)))
    name = text(tag.removeprefix(f"{prefix}:") if prefix else tag, 120)
    spoken = ", ".join(f"{leg} {value}" for leg, value in words)
    return row(
        f'<b title="{text(tag, 120)}" dir="auto">{name}</b>{size(queries)}',
        bars(stack, f"{tag}, {count(queries, 'query')}: nDCG@10 of {spoken}"),
        f"<b>{words[0][1]}</b>" + "".join(f"<small>{text(leg)} {value}</small>" for leg, value in words[1:]),
    )


def _best_single(metrics: Mapping[str, Mapping[str, Any]]) -> str | None:
    there = [(amount(metrics[leg].get(HEADLINE)) or 0.0, leg) for leg in SINGLE if leg in metrics]
    return max(there, key=lambda pair: pair[0])[1] if there else None


def spread(report: Mapping[str, Any]) -> str:
    """How many queries reach which nDCG@10."""
    leg = headline_leg(report.get("metrics") or {})
    given = [amount((query.get(leg) or {}).get(HEADLINE)) for query in (report.get("per_query") or {}).values()]
    values = [value for value in given if value is not None]
    if not values:
        return ""
    perfect, missed = sum(value >= 1 for value in values), sum(value <= 0 for value in values)
    told = f"{count(perfect, 'query')} at 1 (perfect), {missed:,} at 0 (missed)."
    return f'<p class="legend">Queries by nDCG@10 of {text(leg)}: {told}</p>{histogram(values)}'


def latency(report: Mapping[str, Any]) -> str:
    """Half of the searches (p50) and nineteen of twenty (p95) are done by then, whole and by stage."""
    given = report.get("latency_ms") or {}
    timed = [("whole search", given), *(given.get("stages") or {}).items()]
    timed = [(name, times) for name, times in timed if amount((times or {}).get("p95")) is not None]
    longest = max((float(times["p95"]) for _, times in timed), default=0.0) or 1.0
    lines = []
    for name, times in timed:
        half, most = amount(times.get("p50")), float(times["p95"])
        stack = [Bar(None if half is None else half / longest, None, "final", 9), Bar(most / longest, None, "other", 9)]
        label = f"{name}: p50 {number(half, 2)} ms, p95 {number(most, 2)} ms"
        worded = f"<b>{number(half, 2)} ms</b> <small>p95 {number(most, 2)} ms</small>"
        lines.append(row(f"<b>{text(name, 80)}</b>", bars(stack, label), worded))
    scale = ["0", f"{longest / 2:.3g}", f"{longest:.3g} ms"]
    return f'<p class="legend">{key("final", "p50")}{key("other", "p95")}</p>{rows(lines, scale)}' if lines else ""


def notes(report: Mapping[str, Any]) -> str:
    """What the run and the comparison have to say about themselves."""
    said = [*(report.get("notes") or ()), *((report.get("comparison") or {}).get("notes") or ())]
    items = "".join(f'<li dir="auto">{text(note)}</li>' for note in said)
    return f"<ul>{items}</ul>" if said else ""
