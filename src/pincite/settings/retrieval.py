"""Settings of how the legs' rankings become one order."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pincite.search.rrf import K, Ranks
from pincite.search.weights import DEFAULT_WEIGHTS, Fusion, Need, RankingOptions, Trust, Weights
from pincite.settings.section import Name, Section, Share


class LegWeights(Section):
    """Shares of the legs for one class of query."""

    keyword: float = Field(default=Weights().keyword, ge=0, le=100)
    dense: float = Field(default=Weights().dense, ge=0, le=100)
    related: float = Field(default=Weights().related, ge=0, le=100)


WeightTable = dict[Literal["identifier", "quoted", "keywords", "question"], LegWeights]


class TrustRange(Section):
    """Standard deviations beyond chance by which the best passage must stand out for the dense leg to count."""

    none_below: float = Field(default=Trust().none_below, ge=-100, le=100)
    full_above: float = Field(default=Trust().full_above, ge=-100, le=100)

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.none_below >= self.full_above:
            raise PydanticCustomError("trust", "none_below must lie below full_above")
        return self


class NeedRange(Section):
    """Share of the query's words in the best passage at which meaning counts as its weight says, and from which not.

    Below it counts more, up to `most` times its weight where no word is found.
    """

    plain: float = Field(default=Need().plain, gt=0, le=1)
    none_above: float = Field(default=Need().none_above, gt=0, le=2)
    most: float = Field(default=Need().most, ge=1, le=100)

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.plain >= self.none_above:
            raise PydanticCustomError("need", "plain must lie below none_above")
        return self


class RankWeights(Section):
    """What each leg counts for under `fusion: ranks`."""

    semantic: float = Field(default=Ranks().semantic, ge=0, le=100)
    keyword: float = Field(default=Ranks().keyword, ge=0, le=100)
    exact: float = Field(default=Ranks().exact, ge=0, le=100)
    k: int = Field(default=K, ge=1, le=10_000)

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if not (self.semantic or self.keyword or self.exact):
            raise PydanticCustomError("ranks", "at least one weight must be above 0, or nothing is found")
        return self


class Retrieval(Section):
    """How the legs' rankings become one order."""

    fusion: Literal["signals", "rrf", "ranks"] = "signals"
    """`rrf`: ranks, weighed by class of query and trust; `ranks`: reciprocal ranks with exactly the weights stated."""
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long the dense leg may take before an answer goes without it and says so."""
    weights: WeightTable = Field(default_factory=dict)
    kinds: dict[Name, WeightTable] = Field(default_factory=dict)
    """Weights for queries that are asked of one kind of source (`document`, `tool` …)."""
    trust: TrustRange = TrustRange()
    need: NeedRange = NeedRange()
    ranks: RankWeights = RankWeights()
    graph: Share = 0.0
    """How far what the best hits refer to, and what refers to them, moves up."""

    def stated_ranks(self) -> Ranks | None:
        """The weights of `fusion: ranks`; None for any other."""
        return Ranks(**self.ranks.model_dump()) if self.fusion == "ranks" else None

    def options(self) -> RankingOptions:
        trust = Trust(self.trust.none_below, self.trust.full_above)
        need = Need(self.need.plain, self.need.none_above, self.need.most)
        kinds = {kind: _weights(table) for kind, table in self.kinds.items()}
        fusion: Fusion = "rrf" if self.fusion == "ranks" else self.fusion
        weights = {**DEFAULT_WEIGHTS, **_weights(self.weights)}
        return RankingOptions(fusion, weights, kinds, trust, need, graph=self.graph)


def _weights(table: WeightTable) -> dict[str, Weights]:
    return {name: Weights(shares.keyword, shares.dense, shares.related) for name, shares in table.items()}
