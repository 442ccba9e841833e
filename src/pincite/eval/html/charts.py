"""Inline SVG. Lengths are percentages, so that a chart fills any width while its text keeps its size."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.eval.html.markup import Direction, Pair, count, direction, number, text

MAX_FINE_POINTS = 1000
"""With more queries than this, the scatter gathers them on a coarser grid, and the page stays small."""
EDGE = 0.04
"""Room inside the scatter, as a share of its side, for dots that stand at 0 or 1."""
QUARTERS = ("0", "0.25", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, as shares of the full width."""

    value: float | None
    interval: Pair | None = None
    look: str = "other"
    height: int = 16


def image(label: str, body: str, *, look: str = "", height: int | None = None) -> str:
    """An SVG that says in words what it shows."""
    size = f' height="{height}"' if height else ""
    return f'<svg role="img" class="{look}" width="100%"{size} aria-label="{text(label)}">{body}</svg>'


def bars(stack: Sequence[Bar], label: str) -> str:
    """Bars below each other on one track, each with its whisker."""
    parts, top = [], 2
    for bar in stack:
        if bar.value is not None:
            parts.append(
                f'<rect class="{bar.look}" y="{top}" height="{bar.height}" width="{percent(bar.value)}" rx="2"/>'
            )
        parts.append(_whisker(bar.interval, top + bar.height / 2))
        top += bar.height + 3
    return image(label, "".join(parts), look="track", height=top - 1)


def _whisker(interval: Pair | None, middle: float) -> str:
    if interval is None:
        return ""
    low, high = percent(interval[0]), percent(interval[1])
    lines = (
        f'<line x1="{low}" x2="{high}" y1="{middle:g}" y2="{middle:g}"/>'
        f'<line x1="{low}" x2="{low}" y1="{middle - 4:g}" y2="{middle + 4:g}"/>'
        f'<line x1="{high}" x2="{high}" y1="{middle - 4:g}" y2="{middle + 4:g}"/>'
    )
    return f'<g class="halo">{lines}</g><g class="whisker">{lines}</g>'


def row(name: str, chart: str, value: str) -> str:
    """A line of a chart: what it is about, the drawing, the number. On a narrow screen the drawing goes below."""
    return f'<li class="row"><div class="name">{name}</div>{chart}<div class="value">{value}</div></li>'


def rows(lines: Sequence[str], marks: Sequence[str] = QUARTERS) -> str:
    """Lines of a chart over their common scale."""
    return f'<ul class="rows">{"".join(lines)}<li class="row scale"><div></div>{_axis(marks)}<div></div></li></ul>'


def _axis(labels: Sequence[str]) -> str:
    """Labels spread evenly below a column of tracks; decoration, since every value is written out."""
    last = len(labels) - 1
    anchors = {0: "start", last: "end"}
    marks = "".join(
        f'<text x="{percent(place / last)}" y="12" text-anchor="{anchors.get(place, "middle")}">{text(label)}</text>'
        for place, label in enumerate(labels)
    )
    return f'<svg class="scale" width="100%" height="16" aria-hidden="true">{marks}</svg>'


def difference(value: float | None, interval: Pair | None, reach: float, found: Direction, label: str) -> str:
    """A dot with its interval, to the left or right of a line at 0; hollow where 0 lies within the interval."""

    def at(given: float) -> str:
        return percent(0.5 + given / reach / 2)

    parts = ['<line class="zero" x1="50%" x2="50%" y1="0" y2="20"/>']
    if interval:
        parts.append(f'<line class="reach {found}" x1="{at(interval[0])}" x2="{at(interval[1])}" y1="10" y2="10"/>')
    if value is not None:
        parts.append(f'<circle class="{found}" cx="{at(value)}" cy="10" r="4.5"/>')
    return image(label, "".join(parts), look="track forest", height=20)


def movement(before: float, after: float, label: str) -> str:
    """From a hollow dot to a full one."""
    found = direction(after - before)
    start, end = percent(before), percent(after)
    return image(
        label,
        f'<line class="reach {found}" x1="{start}" x2="{end}" y1="10" y2="10"/>'
        f'<circle class="{found} hollow" cx="{start}" cy="10" r="4.5"/>'
        f'<circle class="{found}" cx="{end}" cy="10" r="5"/>',
        look="track",
        height=20,
    )


def scatter(before: Mapping[str, float], after: Mapping[str, float], queries: Mapping[str, str]) -> str:
    """Every query at its value before (across) and after (up); equal values gather in one larger dot."""
    grid = 100 if len(before) <= MAX_FINE_POINTS else 40
    cells: dict[tuple[int, int], list[str]] = defaultdict(list)
    for query_id, value in before.items():
        cells[round(value * grid), round(after[query_id] * grid)].append(query_id)
    dots, sizes = [], []
    for (across, up), ids in sorted(cells.items(), key=lambda cell: (-len(cell[1]), cell[0])):
        shown = ids[: 3 if grid == 100 else 1]
        names = "\n".join(
            f"\u2068{text(queries.get(i, i), 60)}\u2069 {number(before[i])} → {number(after[i])}" for i in shown
        )
        rest = f"\nand {len(ids) - len(shown):,} more" if len(ids) > len(shown) else ""
        dots.append(_dot(across / grid, up / grid, len(ids), names + rest))
        if len(ids) >= max(5, len(before) // 250):
            sizes.append(_size(across / grid, up / grid, len(ids)))
    ticks = "".join(_tick(quarter / 4) for quarter in range(5))
    label = f"Scatter of {count(len(before), 'query')}: value before across, value after up; the diagonal is no change"
    return image(
        label,
        f'<line class="diagonal" x1="{_inside(0)}" y1="{_inside(1)}" x2="{_inside(1)}" y2="{_inside(0)}"/>'
        f'{ticks}<text x="50%" y="100%" dy="34" text-anchor="middle">before</text>'
        f'<text x="0" y="50%" dx="-30" text-anchor="end">after</text>{"".join(dots + sizes)}',
        look="scatter",
    )


def _dot(across: float, up: float, many: int, tooltip: str) -> str:
    radius = min(4 + 2 * math.log2(many), 18)
    place = f'cx="{_inside(across)}" cy="{_inside(1 - up)}" r="{radius:.3g}"'
    return f'<circle class="{direction(up - across)}" {place}><title>{tooltip}</title></circle>'


def _size(across: float, up: float, many: int) -> str:
    """How many queries a large dot holds; drawn after all dots, so that none covers it."""
    place = f'x="{_inside(across)}" y="{_inside(1 - up)}" dy="4"'
    return f'<text class="size" {place} text-anchor="middle">{many}</text>'


def _tick(value: float) -> str:
    x, y = _inside(value), _inside(1 - value)
    return (
        f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="100%"/>'
        f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        f'<text x="{x}" y="100%" dy="17" text-anchor="middle">{value:g}</text>'
        f'<text x="0" y="{y}" dx="-6" dy="4" text-anchor="end">{value:g}</text>'
    )


def histogram(values: Sequence[float]) -> str:
    """How many queries reach which value; 0 and 1 have a column each, for they mean missed and perfect."""
    columns = [0] * 12
    for value in values:
        columns[0 if value <= 0 else 11 if value >= 1 else min(int(value * 10), 9) + 1] += 1
    labels = ["0", *(f"<.{tenth}" for tenth in range(1, 10)), "<1", "1"]
    highest = max(*columns, 1)
    parts = []
    for place, (many, label) in enumerate(zip(columns, labels, strict=True)):
        share = many / highest
        middle = percent((place + 0.5) / 12)
        top = 20 + 130 * (1 - share)
        parts.append(
            f'<rect class="final" x="{percent((place + 0.08) / 12)}" width="{percent(0.84 / 12)}" y="{top:.4g}" '
            f'height="{130 * share:.4g}" rx="2"/><text x="{middle}" y="{top - 5:.4g}" text-anchor="middle">{many or ""}'
            f'</text><text class="tick" x="{middle}" y="167" text-anchor="middle">{text(label)}</text>'
        )
    spoken = ", ".join(f"{label}: {many}" for label, many in zip(labels, columns, strict=True) if many)
    base = '<line class="zero" x1="0" x2="100%" y1="150.5" y2="150.5"/>'
    return image(f"Queries by value: {spoken}", "".join(parts) + base, look="histogram", height=174)


def percent(share: float) -> str:
    """A share of the width, kept between nothing and all of it."""
    return f"{100 * min(max(share, 0.0), 1.0):.4g}%"


def _inside(share: float) -> str:
    return percent(EDGE + min(max(share, 0.0), 1.0) * (1 - 2 * EDGE))
