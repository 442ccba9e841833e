"""Two runs compared in one sentence: better, worse, or nothing that chance could not explain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pincite.eval.html.values import HEADLINE, Direction, Pair, amount, direction, headline_leg, pair, significant


@dataclass(frozen=True, slots=True)
class MainFigure:
    """The main figure before and after, and what it means in words."""

    found: Direction
    worded: str
    reason: str
    leg: str
    before: Any
    after: Any
    moved: float | None
    moved_to: Direction
    interval: Pair | None
    chance: str
    queries: int


def verdict(comparison: Mapping[str, Any] | None) -> MainFigure | None:
    """The verdict of the comparison; None if there is none."""
    metrics = (comparison or {}).get("metrics") or {}
    leg = headline_leg(metrics)
    change = (metrics.get(leg) or {}).get(HEADLINE)
    if not comparison or not change:
        return None
    moved, interval = amount(change.get("difference")), pair(change.get("interval"))
    found = significant(interval)
    return MainFigure(
        found,
        _in_words(moved, interval is not None, found),
        _reason(interval is not None, found),
        leg,
        change.get("before"),
        change.get("after"),
        moved,
        direction(moved),
        interval,
        _chance(change.get("p")),
        int(amount(comparison.get("queries")) or 0),
    )


def _in_words(moved: float | None, measured: bool, found: str) -> str:
    if found != "same":
        return f"Significantly {found} than before"
    if measured or moved is None:
        return "No significant difference"
    return f"{direction(moved).capitalize()} than before, significance unknown" if moved else "Unchanged"


def _reason(measured: bool, found: str) -> str:
    if not measured:
        return "The report has no interval of the difference."
    if found == "same":
        return "The interval of the difference includes 0: chance alone could explain it."
    return "The interval of the difference excludes 0: chance alone is unlikely to explain it."


def _chance(value: Any) -> str:
    p = amount(value)
    return "" if p is None else ", p < 0.001" if p < 0.001 else f", p = {p:.3f}"
