"""Values of a report, formatted for the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

Pair: TypeAlias = tuple[float, float]
Direction: TypeAlias = Literal["better", "worse", "same"]

HEADLINE = "ndcg@10"
FEW_QUERIES = 10
"""Below this, a mean says little, and the page says so."""
LEGS = ("keyword", "dense", "related", "exact", "graph", "rrf", "unreranked", "final")
METRICS = {"ndcg": "nDCG", "recall": "Recall", "precision": "Precision", "mrr": "MRR", "hit": "Hit", "map": "MAP"}


def cut(value: object, max_chars: int) -> str:
    """The value as text, cut at a length."""
    plain = str(value)
    return plain if len(plain) <= max_chars else plain[: max_chars - 1] + "…"


def amount(value: Any) -> float | None:
    """The value as a finite number, or None."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def pair(value: Any) -> Pair | None:
    """The two ends of an interval, or None if the report has none."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    low, high = amount(value[0]), amount(value[1])
    return None if low is None or high is None else (low, high)


def number(value: Any, digits: int = 3) -> str:
    """The number with fixed digits; "–" if there is none."""
    given = amount(value)
    return "–" if given is None else f"{given:.{digits}f}"


def signed(value: Any) -> str:
    """A difference with its sign; minus is U+2212."""
    given = amount(value)
    return "–" if given is None else f"{given:+.3f}".replace("-", "−")


def span(interval: Pair | None, *, sign: bool = False) -> str:
    """ "0.661 to 0.742", or nothing."""
    show = signed if sign else number
    return f"{show(interval[0])} to {show(interval[1])}" if interval else ""


def count(many: int, noun: str) -> str:
    """ "1 query", "1,204 queries"."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{many:,} {noun if many == 1 else plural}"


def direction(difference: float | None) -> Direction:
    """Whether a difference is an improvement; one that rounds to 0 is "same"."""
    if difference is None or abs(difference) < 0.0005:
        return "same"
    return "better" if difference > 0 else "worse"


def significant(interval: Pair | None) -> Direction:
    """On which side of 0 the interval of a difference is; "same" if it includes 0 or is unknown."""
    if interval is None or interval[0] <= 0 <= interval[1]:
        return "same"
    return "better" if interval[0] > 0 else "worse"


def metric_title(name: str) -> str:
    """ "ndcg@10" as people write it: nDCG@10."""
    stem, at, depth = name.partition("@")
    return METRICS.get(stem, stem) + at + depth


def in_order(legs: Iterable[str]) -> list[str]:
    """The legs in the order in which a search runs them, unknown ones last."""
    return sorted(legs, key=lambda leg: (LEGS.index(leg) if leg in LEGS else len(LEGS), leg))


def headline_leg(metrics: Mapping[str, Any]) -> str:
    """The leg whose ranking the caller sees: final, or the last one there is."""
    return "final" if "final" in metrics or not metrics else in_order(metrics)[-1]
