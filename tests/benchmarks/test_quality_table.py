"""The table of `make eval` says where the final order falls behind a leg that could answer alone."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.quality.table import to_better_leg


def body(**legs: list[float]) -> dict[str, Any]:
    numbers = range(len(next(iter(legs.values()))))
    return {
        "metrics": {leg: {} for leg in legs},
        "per_query": {str(n): {leg: {"ndcg@10": values[n]} for leg, values in legs.items()} for n in numbers},
    }


@pytest.mark.parametrize(
    ("keyword", "dense", "final", "said"),
    [
        ([0.5] * 20, [0.2] * 20, [0.6] * 20, "+0.100 (+0.100 … +0.100) ▲"),
        ([0.5] * 20, [0.9] * 20, [0.6] * 20, "−0.300 (−0.300 … −0.300) ▼"),
        ([0.5] * 20, [0.2] * 20, [0.5] * 20, "+0.000 (+0.000 … +0.000)"),
    ],
)
def test_the_better_leg_is_the_measure(keyword: list[float], dense: list[float], final: list[float], said: str) -> None:
    assert to_better_leg(body(keyword=keyword, dense=dense, final=final)) == said


def test_words_alone_are_measured_against_words() -> None:
    assert to_better_leg(body(keyword=[0.5] * 20, final=[0.6] * 20)) == "+0.100 (+0.100 … +0.100) ▲"
