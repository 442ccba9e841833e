"""BM25 in Lucene's form over combined fields, shared by every engine of ours.

    score(q, d) = Σ idf(t) · w / (w + k1 · (1 − b + b · |d| / avg))        idf(t) = ln(1 + (n − df + ½) / (df + ½))

w is the sum of a word's frequencies in the fields, each times its boost; |d| is the sum of the fields' lengths with the
same boosts (Lucene's CombinedFieldsQuery after Robertson, Zaragoza & Taylor, CIKM 2004). Without the factor k1 + 1 a
word adds at most its idf, so the sum of the idfs bounds the score. One field gives exactly BM25.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.fields import in_order
from pincite.queries import Scoring


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over exactly what the caller may read."""

    rows: int
    lengths: Mapping[str, int]
    """Summed lengths by field."""

    def average_length(self, scoring: Scoring) -> float:
        """Mean weighted length of a row; 1 for an empty library."""
        total = 0.0
        names = in_order(self.lengths)
        for name, boost in zip(names, boosts_of(scoring, names), strict=True):
            total += self.lengths.get(name, 0) * boost
        return total / self.rows if total else 1.0


def idf(rows: int, frequency: int) -> float:
    return math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))


def norm(length: Any, average: float, scoring: Scoring) -> Any:
    """What is added to a frequency in the denominator; works on a number or an array."""
    return scoring.k1 * (1 - scoring.b + scoring.b * (length / average))


def boosts_of(scoring: Scoring, fields: Sequence[str], only: str = "") -> tuple[float, ...]:
    """The boosts of these fields, in their order; with `only` that of one field, and 0 for the others."""
    return tuple(scoring.boost(name) if only in ("", name) else 0.0 for name in fields)
