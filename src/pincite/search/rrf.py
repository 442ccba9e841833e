"""Reciprocal rank fusion: score(d) = Σ weight / (k + rank), ranks from 1.

k = 60 after Cormack, Clarke & Büttcher, SIGIR 2009. Ties break by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

from pincite.options import CLOSED

K = 60


@dataclass(frozen=True, slots=True, config=CLOSED)
class Ranks:
    """What each leg counts for, and the constant that flattens ranks; part of what a replay token pins."""

    semantic: float = Field(default=0.5, ge=0, le=100)
    keyword: float = Field(default=0.3, ge=0, le=100)
    exact: float = Field(default=0.2, ge=0, le=100)
    k: int = Field(default=K, ge=1, le=10_000)

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if not (self.semantic or self.keyword or self.exact):
            raise PydanticCustomError("ranks", "at least one weight must be above 0, or nothing is found")
        return self

    @property
    def weights(self) -> dict[str, float]:
        """By name of the leg; legs that count for nothing are left out."""
        stated = {"dense": self.semantic, "keyword": self.keyword, "exact": self.exact}
        return {leg: weight for leg, weight in stated.items() if weight > 0}


def rrf(
    rankings: Mapping[str, Sequence[str]], weights: Mapping[str, float] | None = None, k: int = K
) -> list[tuple[str, float]]:
    """Names with their fused scores, best first. A leg without a weight counts once."""
    scores: dict[str, float] = {}
    for leg in sorted(rankings):
        weight = (weights or {}).get(leg, 1.0)
        for rank, name in enumerate(rankings[leg], start=1):
            scores[name] = scores.get(name, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0].encode("utf-8")))
