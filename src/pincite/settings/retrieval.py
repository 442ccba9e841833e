"""Settings of how the legs' rankings become one order."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pincite.search.rrf import Ranks
from pincite.search.weights import DEFAULT_WEIGHTS, Fusion, Need, RankingOptions, Trust, Weights
from pincite.settings.section import Name, SettingsSection, Share

WeightTable = dict[Literal["identifier", "quoted", "keywords", "question"], Weights]


class Retrieval(SettingsSection):
    """How the legs' rankings become one order."""

    fusion: Literal["signals", "rrf", "ranks"] = "signals"
    """`rrf`: ranks, weighed by class of query and trust; `ranks`: reciprocal ranks with exactly the weights stated."""
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long to wait for the dense leg; after that the answer goes without it and says so."""
    weights: WeightTable = Field(default_factory=dict)
    kinds: dict[Name, WeightTable] = Field(default_factory=dict)
    """Weights for queries about a single kind of source (`document`, `tool` …)."""
    trust: Trust = Trust()
    need: Need = Need()
    ranks: Ranks = Ranks()
    mentioned: Share = 0.5
    """How far passages move up that carry an identifier which a longer text mentions in passing."""
    graph: Share = 0.0
    """How much passages move up that the best hits refer to, or that refer to them."""

    def stated_ranks(self) -> Ranks | None:
        """The weights of `fusion: ranks`; None for any other fusion."""
        return self.ranks if self.fusion == "ranks" else None

    def options(self) -> RankingOptions:
        """The options of the ranking: `ranks` is a separate fusion, and classes without weights get the defaults."""
        kinds: dict[str, dict[str, Weights]] = {kind: dict(table.items()) for kind, table in self.kinds.items()}
        fusion: Fusion = "rrf" if self.fusion == "ranks" else self.fusion
        weights: dict[str, Weights] = {**DEFAULT_WEIGHTS, **dict(self.weights.items())}
        return RankingOptions(
            fusion,
            weights,
            kinds,
            self.trust,
            self.need,
            mentioned=self.mentioned,
            related_as_trusted=True,
            graph=self.graph,
        )
