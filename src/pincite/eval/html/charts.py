"""Positions in a chart. Lengths are percentages, so that a chart fills any width while its text keeps its size;
`templates/charts.html.j2` draws them as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pincite.eval.html.values import Direction, Pair, direction

Anchor: TypeAlias = Literal["start", "middle", "end"]

QUARTERS = ("0", "0.25", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, as shares of the full width."""

    value: float | None
    interval: Pair | None = None
    look: str = "other"
    height: int = 16


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval drawn over a bar."""

    low: str
    high: str
    middle: str
    above: str
    below: str


@dataclass(frozen=True, slots=True)
class PlacedBar:
    """A bar on its track; without a width there is only its whisker."""

    look: str
    top: int
    height: int
    width: str | None
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class Track:
    """Stacked bars."""

    label: str
    """What it shows, in words."""
    height: int
    bars: tuple[PlacedBar, ...]


def track(stack: Sequence[Bar], label: str) -> Track:
    """Stacked bars on one track, each with its whisker."""
    placed, top = [], 2
    for bar in stack:
        width = None if bar.value is None else percent(bar.value)
        placed.append(PlacedBar(bar.look, top, bar.height, width, _whisker(bar.interval, top + bar.height / 2)))
        top += bar.height + 3
    return Track(label, top - 1, tuple(placed))


def _whisker(interval: Pair | None, middle: float) -> Whisker | None:
    if interval is None:
        return None
    return Whisker(percent(interval[0]), percent(interval[1]), f"{middle:g}", f"{middle - 4:g}", f"{middle + 4:g}")


@dataclass(frozen=True, slots=True)
class Mark:
    """A label of a scale."""

    x: str
    anchor: Anchor
    label: str


def scale(labels: Sequence[str] = QUARTERS) -> tuple[Mark, ...]:
    """Labels spread evenly below a column of tracks; decorative, because every value is also written out."""
    last = len(labels) - 1
    anchors: dict[int, Anchor] = {0: "start", last: "end"}
    return tuple(Mark(percent(n / last), anchors.get(n, "middle"), label) for n, label in enumerate(labels))


@dataclass(frozen=True, slots=True)
class DifferenceDot:
    """A dot with its interval, to the left or right of a line at 0; hollow if the interval includes 0."""

    label: str
    found: Direction
    at: str | None
    interval: tuple[str, str] | None


def difference(value: float | None, interval: Pair | None, reach: float, found: Direction, label: str) -> DifferenceDot:
    """Positions of the dot and the ends of its interval; `reach`: the value at the ends of the scale."""

    def at(given: float) -> str:
        return percent(0.5 + given / reach / 2)

    ends = None if interval is None else (at(interval[0]), at(interval[1]))
    return DifferenceDot(label, found, None if value is None else at(value), ends)


@dataclass(frozen=True, slots=True)
class Movement:
    """A line from a hollow dot to a filled one."""

    label: str
    found: Direction
    start: str
    end: str


def movement(before: float, after: float, label: str) -> Movement:
    return Movement(label, direction(after - before), percent(before), percent(after))


def percent(share: float) -> str:
    """A share of the width, limited to 0 to 100 %."""
    return f"{100 * min(max(share, 0.0), 1.0):.4g}%"
