"""Two runs compared: the verdict, the differences with their intervals, every query, and those that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.eval.html.charts import difference, movement, row, rows, scatter
from pincite.eval.html.markup import (
    ARROWS,
    HEADLINE,
    amount,
    count,
    direction,
    headline_leg,
    in_order,
    key,
    metric_title,
    more,
    number,
    pair,
    signed,
    significant,
    size,
    span,
    text,
)
from pincite.eval.html.sections import MAX_TAGS

MAX_MOVED = 25


def verdict(comparison: Mapping[str, Any] | None) -> str:
    """Before and after of the headline number, and in words what to make of it."""
    metrics = (comparison or {}).get("metrics") or {}
    leg = headline_leg(metrics)
    change = (metrics.get(leg) or {}).get(HEADLINE)
    if not comparison or not change:
        return ""
    moved, interval = amount(change.get("difference")), pair(change.get("interval"))
    found = significant(interval)
    between = f", 95 % interval {span(interval, sign=True)}" if interval else ""
    return (
        f'<div class="card {found}"><h2>{ARROWS[found]} {_in_words(moved, interval is not None, found)}</h2>'
        f'<p class="change"><span>{number(change.get("before"))}</span> → <span>{number(change.get("after"))}</span> '
        f"<small>{metric_title(HEADLINE)} of {text(leg)}, before → after</small></p>"
        f"<p>{ARROWS[direction(moved)]} {signed(moved)}{between}{_chance(change.get('p'))}; "
        f"{count(int(amount(comparison.get('queries')) or 0), 'shared query')}.</p>"
        f'<p class="soft">{_reason(interval is not None, found)}</p></div>'
    )


def _in_words(moved: float | None, measured: bool, found: str) -> str:
    if found != "same":
        return f"Significantly {found} than before"
    if measured or moved is None:
        return "No significant difference"
    return f"{direction(moved).capitalize()} than before, significance unknown" if moved else "Unchanged"


def _reason(measured: bool, found: str) -> str:
    if not measured:
        return "The report holds no interval of the difference."
    if found == "same":
        return "The interval of the difference includes 0: chance alone could explain it."
    return "The interval of the difference excludes 0: chance alone hardly explains it."


def _chance(value: Any) -> str:
    p = amount(value)
    return "" if p is None else ", p &lt; 0.001" if p < 0.001 else f", p = {p:.3f}"


def changes(report: Mapping[str, Any]) -> str:
    """Differences with their intervals, every query before and after, and the queries that moved."""
    comparison = report.get("comparison") or {}
    return _differences(comparison) + _scatter(report, comparison) + _moved(comparison)


def _differences(comparison: Mapping[str, Any]) -> str:
    metrics = comparison.get("metrics") or {}
    shown = headline_leg(metrics)
    changed = [(f"{shown}, {metric_title(name)}", change) for name, change in (metrics.get(shown) or {}).items()]
    changed += [(f"{leg}, nDCG@10", metrics[leg].get(HEADLINE)) for leg in in_order(metrics) if leg != shown]
    by = sorted((comparison.get("by") or {}).items(), key=lambda item: (_gain(item[1]), item[0]))
    found = _forest(changed)
    if by:
        found += f"<h3>By tag, {text(shown)} nDCG@10</h3>{_forest(by[:MAX_TAGS])}{more(MAX_TAGS, len(by), 'tag')}"
    hint = '<p class="legend">Right of the line: better. A hollow dot says that the interval includes 0.</p>'
    return f"<h3>Differences</h3>{hint}{found}" if changed else found


def _gain(change: Mapping[str, Any]) -> float:
    return amount(change.get("difference")) or 0.0


def _forest(changed: Sequence[tuple[str, Mapping[str, Any] | None]]) -> str:
    kept = [(name, change) for name, change in changed if change]
    ends = [end for _, change in kept for end in (_gain(change), *(pair(change.get("interval")) or ()))]
    reach = max((abs(end) for end in ends), default=0.0) or 1.0
    lines = []
    for name, change in kept:
        value, interval = amount(change.get("difference")), pair(change.get("interval"))
        found = significant(interval)
        queries = amount(change.get("queries"))
        worded = f"{number(change.get('before'))} → {number(change.get('after'))}"
        label = f"{name}: {worded}, difference {signed(value)}, 95 % interval {span(interval, sign=True)}"
        lines.append(
            row(
                f'<b dir="auto">{text(name, 120)}</b>{"" if queries is None else size(int(queries))}',
                difference(value, interval, reach, found, label),
                f"<b>{ARROWS[found]} {signed(value)}</b> <small>{worded}</small>",
            )
        )
    return rows(lines, [signed(-reach), "0", signed(reach)]) if lines else ""


def _scatter(report: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    before, after = comparison.get("before") or {}, comparison.get("after") or {}
    old, new = ({i: v for i in before if (v := amount(side.get(i))) is not None} for side in (before, after))
    shared = [query_id for query_id in old if query_id in new]
    if not shared:
        return ""
    found = [direction(new[i] - old[i]) for i in shared]
    queries = {i: str(judged.get("query", i)) for i, judged in (report.get("per_query") or {}).items()}
    legend = (
        key("dot better", f"{found.count('better'):,} better, above the diagonal")
        + key("dot worse", f"{found.count('worse'):,} worse, below it")
        + key("dot same", f"{found.count('same'):,} the same")
        + "Larger dots hold more queries."
    )
    chart = scatter({i: old[i] for i in shared}, {i: new[i] for i in shared}, queries)
    return f'<h3>Every query, before and after</h3><p class="legend">{legend}</p><div class="square">{chart}</div>'


def _moved(comparison: Mapping[str, Any]) -> str:
    moved = sorted(comparison.get("moved") or (), key=lambda query: (_gain(query), str(query.get("id"))))
    lines = []
    for query in moved[:MAX_MOVED]:
        before, after = amount(query.get("before")) or 0.0, amount(query.get("after")) or 0.0
        query_id, worded = query.get("id", ""), f"{number(before)} → {number(after)}"
        lines.append(
            row(
                f'<span class="query" dir="auto">{text(query.get("query", query_id), 240)}</span>'
                f"<small>{text(query_id, 80)}</small>",
                movement(before, after, f"{query_id}: {worded}"),
                f"<b>{ARROWS[direction(after - before)]} {signed(after - before)}</b> <small>{worded}</small>",
            )
        )
    hint = '<p class="legend">From the hollow dot (before) to the full dot (after); the largest drop comes first.</p>'
    left_out = more(MAX_MOVED, len(moved), "query")
    return f'<h3>Queries that moved</h3>{hint}<div class="long">{rows(lines)}</div>{left_out}' if lines else ""
