"""A histogram of queries by value: the position of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.eval.html.charts import percent


@dataclass(frozen=True, slots=True)
class HistogramColumn:
    """A column of the histogram; `base` is the position of the number above it."""

    label: str
    many: int
    x: str
    middle: str
    top: str
    height: str
    base: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """Queries by value."""

    label: str
    width: str
    columns: tuple[HistogramColumn, ...]


def histogram(values: Sequence[float]) -> Histogram:
    """Twelve columns; 0 and 1 have one each, because they mean missed and perfect."""
    counts = [0] * 12
    for value in values:
        counts[0 if value <= 0 else 11 if value >= 1 else min(int(value * 10), 9) + 1] += 1
    labels = ["0", *(f"<.{tenth}" for tenth in range(1, 10)), "<1", "1"]
    highest = max(*counts, 1)
    columns = []
    for place, (many, label) in enumerate(zip(counts, labels, strict=True)):
        share = many / highest
        top = 20 + 130 * (1 - share)
        x, middle = percent((place + 0.08) / 12), percent((place + 0.5) / 12)
        columns.append(HistogramColumn(label, many, x, middle, f"{top:.4g}", f"{130 * share:.4g}", f"{top - 5:.4g}"))
    spoken = ", ".join(f"{label}: {many}" for label, many in zip(labels, counts, strict=True) if many)
    return Histogram(f"Queries by value: {spoken}", percent(0.84 / 12), tuple(columns))
