"""Every query at its value before and after: the position of each dot."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from pincite.eval.html.charts import percent
from pincite.eval.html.values import Direction, count, cut, direction, number

MAX_FINE_POINTS = 1000
"""With more queries than this, the scatter uses a coarser grid, so that the page stays small."""
EDGE = 0.04
"""Margin inside the scatter, as a share of its side, for dots at 0 or 1."""


@dataclass(frozen=True, slots=True)
class Dot:
    """Queries at the same place in the scatter; `many` is written on large dots."""

    found: Direction
    x: str
    y: str
    radius: str
    tooltip: str
    many: int | None


@dataclass(frozen=True, slots=True)
class Tick:
    """A horizontal and a vertical grid line."""

    label: str
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Every query at its value before (across) and after (up)."""

    label: str
    diagonal: tuple[str, str]
    ticks: tuple[Tick, ...]
    dots: tuple[Dot, ...]


def scatter(before: Mapping[str, float], after: Mapping[str, float], queries: Mapping[str, str]) -> Scatter:
    """Equal values share one larger dot; the largest come first, so that small ones are on top."""
    grid = 100 if len(before) <= MAX_FINE_POINTS else 40
    cells: dict[tuple[int, int], list[str]] = defaultdict(list)
    for query_id, value in before.items():
        cells[round(value * grid), round(after[query_id] * grid)].append(query_id)
    dots = []
    for (across, up), ids in sorted(cells.items(), key=lambda cell: (-len(cell[1]), cell[0])):
        shown = ids[: 3 if grid == 100 else 1]
        names = [f"\u2068{cut(queries.get(i, i), 60)}\u2069 {number(before[i])} → {number(after[i])}" for i in shown]
        names += [f"and {len(ids) - len(shown):,} more"] if len(ids) > len(shown) else []
        is_large = len(ids) >= max(5, len(before) // 250)
        dots.append(_dot(across / grid, up / grid, len(ids), "\n".join(names), is_large))
    label = f"Scatter of {count(len(before), 'query')}: value before across, value after up; diagonal: unchanged"
    ticks = tuple(Tick(f"{n / 4:g}", _inside(n / 4), _inside(1 - n / 4)) for n in range(5))
    return Scatter(label, (_inside(0), _inside(1)), ticks, tuple(dots))


def _dot(across: float, up: float, many: int, tooltip: str, is_large: bool) -> Dot:
    radius = min(4 + 2 * math.log2(many), 18)
    place = _inside(across), _inside(1 - up)
    return Dot(direction(up - across), *place, f"{radius:.3g}", tooltip, many if is_large else None)


def _inside(share: float) -> str:
    return percent(EDGE + min(max(share, 0.0), 1.0) * (1 - 2 * EDGE))
