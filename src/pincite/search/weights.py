"""Weights: how much each leg's evidence counts, by class of query; one table; `pincite tune` learns others.

The defaults were chosen on the corpora of docs/laboratory.md, where the ablation is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

from pincite.meaning import Calibration
from pincite.options import CLOSED
from pincite.queries import Background
from pincite.search.reranking import RerankPin

Fusion = Literal["signals", "rrf"]
Share = Annotated[float, Field(ge=0, le=100)]


@dataclass(frozen=True, slots=True, config=CLOSED)
class Weights:
    """Shares of the legs in a hit's score."""

    keyword: Share = 0.7
    dense: Share = 0.3
    related: Share = 0.3
    """Of words that mean nearly what the query says, where its own are not found."""


@dataclass(frozen=True, slots=True, config=CLOSED)
class Trust:
    """How far the dense leg is believed, from how its best passage stands out of the background of all passages.

    Among n passages that have nothing to do with a question the nearest one lies some standard deviations above the
    mean by chance alone (2.5 of 100, 3.7 of 5,000). In a corpus whose texts are all alike to the model (clauses of
    contracts) the best is not nearer than that, and the order is noise; where the model can tell texts apart it is.
    """

    none_below: float = Field(default=-0.5, ge=-100, le=100)
    full_above: float = Field(default=1.0, ge=-100, le=100)
    """Standard deviations beyond what chance alone would give."""
    prior: int = Field(default=50, ge=1, le=1_000_000)
    """Passages that the model's own background counts for: a handful of texts says little about themselves."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.none_below >= self.full_above:
            raise PydanticCustomError("trust", "none_below must be below full_above")
        return self

    def of(self, best: float, around: Background, calibration: Calibration) -> float:
        """0 to 1."""
        count = around.count + self.prior
        mean = (around.count * around.mean + self.prior * calibration.mean) / count
        squares = around.count * (around.deviation**2 + (around.mean - mean) ** 2) + self.prior * (
            calibration.deviation**2 + (calibration.mean - mean) ** 2
        )
        excess = (best - mean) / math.sqrt(squares / count) - by_chance(around.among)
        return min(1.0, max(0.0, (excess - self.none_below) / (self.full_above - self.none_below)))


def by_chance(among: int) -> float:
    """The largest of so many normal values, in standard deviations, to be expected (Cramér, 1946)."""
    if among < MIN_AMONG:
        return by_chance(MIN_AMONG)
    spread = math.sqrt(2 * math.log(among))
    return spread - (math.log(math.log(among)) + math.log(4 * math.pi)) / (2 * spread)


MIN_AMONG = 10


@dataclass(frozen=True, slots=True, config=CLOSED)
class Need:
    """How much meaning is needed: the more of the query the best passage holds, the less it has to add.

    Never less than `least`, and in a short query never less than its weight: many passages hold all of two words, and
    which of them is meant the words do not say (k8s-docs, section titles: nDCG@10 0.686 → 0.704).
    """

    plain: float = Field(default=0.2, gt=0, le=1)
    """The best bounded score of the keyword leg at which meaning counts as its weight says …"""
    none_above: float = Field(default=0.9, gt=0, le=2)
    """… and from which it counts `least`."""
    most: float = Field(default=4.0, ge=1, le=100)
    """How many times its weight it counts where no word is found at all."""
    least: float = Field(default=0.3, ge=0, le=1)
    """How many times its weight it counts where every word of a long query is found …"""
    short: int = Field(default=4, ge=0, le=100)
    """… which is no less than 1 up to so many words, and no less than `short` / words beyond them."""

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.plain >= self.none_above:
            raise PydanticCustomError("need", "plain must be below none_above")
        return self

    def of(self, best: float, words: int) -> float:
        """The factor for the best bounded score of the keyword leg in a query of so many words."""
        if best < self.plain:
            return self.most - (self.most - 1) * best / self.plain
        least = max(self.least, min(1.0, self.short / max(1, words)))
        return max(least, (self.none_above - best) / (self.none_above - self.plain))

    def of_others(self, best: float) -> float:
        """The factor for related words: `most` where no word of the query is found, nothing where enough are."""
        return max(0.0, self.most * (1 - best / self.plain))


PLAIN_WORDS = 12
"""Up to so many words a passage may be expected to hold them all."""


def share_found(best: float, words: int) -> float:
    """How much of a query is found, on the scale of a short one: no passage holds all words of a long text.

    Measured on eleven sets (average nDCG@10 0.629 → 0.634; descriptions of architecture models 0.530 → 0.549).
    """
    return min(1.0, best * max(1.0, words / PLAIN_WORDS))


DEFAULT_WEIGHTS: Mapping[str, Weights] = {
    "identifier": Weights(0.99, 0.01),  # a vector does not know one number from another
    "quoted": Weights(),
    "keywords": Weights(),
    "question": Weights(),
}


@plain_dataclass(frozen=True, slots=True)
class RankingOptions:
    """How rankings become one order; part of what a replay token pins."""

    fusion: Fusion = "signals"
    weights: Mapping[str, Weights] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    """By class of query."""
    kinds: Mapping[str, Mapping[str, Weights]] = field(default_factory=dict)
    """By kind of source and class, for queries that are asked of one kind; `weights` for all others."""
    trust: Trust = field(default_factory=Trust)
    need: Need = field(default_factory=Need)
    reranker: RerankPin | None = None
    """The second look, where a reranker takes part."""
    mentioned: float = 0.0
    """How far what carries an identifier moves up that a longer text mentions in passing."""
    related_as_trusted: bool = False
    """Whether related words are believed only as far as the dense leg: a word that means nothing has neighbours too."""
    graph: float = 0.0
    """How far what the best hits refer to, and what refers to them, moves up; 0: references are not followed."""

    def weights_for(self, query_class: str, kind: str = "") -> Weights:
        own = self.kinds.get(kind, {}).get(query_class)
        return own or self.weights.get(query_class) or DEFAULT_WEIGHTS[query_class]


def load_ranking(given: Mapping[str, Any]) -> RankingOptions:
    """Options out of what `asdict` made of them; what a token does not name was not there when it was given out."""
    pin = given.get("reranker")
    return RankingOptions(
        given["fusion"],
        _load_weights(given["weights"]),
        {kind: _load_weights(table) for kind, table in given.get("kinds", {}).items()},
        Trust(**given["trust"]),
        Need(**{"least": 0.0, "short": 0, **given["need"]}),
        RerankPin(**pin) if pin else None,
        float(given.get("mentioned", 0.0)),
        bool(given.get("related_as_trusted", False)),
        float(given.get("graph", 0.0)),
    )


def _load_weights(table: Mapping[str, Mapping[str, float]]) -> dict[str, Weights]:
    return {name: Weights(**{"related": 0.0, **shares}) for name, shares in table.items()}
