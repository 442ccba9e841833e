"""What became of the contexts of an ingest, and what they would cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from pincite.meaning import Tokens


@dataclass(frozen=True, slots=True)
class ContextsReport:
    """What became of the contexts of one ingest."""

    passages: int = 0
    """That want one, of the documents that were read."""
    written: int = 0
    remembered: int = 0
    """Written by an earlier ingest."""
    missing: int = 0
    reasons: tuple[str, ...] = ()
    """Why contexts are missing, the most frequent reason first."""
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    """None where no prices are known."""
    budget_usd: float | None = None

    @property
    def note(self) -> str:
        """One line about what is missing; empty if nothing is."""
        if not self.missing:
            return ""
        return (
            f"{self.missing} of {self.passages} passages have no written context: {'; '.join(self.reasons)}; "
            "they are found by their own words and headings, and the next ingest tries again"
        )


@dataclass(frozen=True, slots=True)
class ContextsEstimate:
    """What an ingest would ask for; no call was made."""

    documents: int = 0
    """New or changed."""
    unchanged: int = 0
    passages: int = 0
    remembered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    """At most."""
    cost_usd: float | None = None
    """With the service's cache; None where no prices are known."""
    uncached_cost_usd: float | None = None
    budget_usd: float | None = None
    failed: int = 0
    """Files that could not be read."""

    def __add__(self, other: ContextsEstimate) -> ContextsEstimate:
        """Both together; the budget is for both."""
        return ContextsEstimate(
            self.documents + other.documents,
            self.unchanged + other.unchanged,
            self.passages + other.passages,
            self.remembered + other.remembered,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            _sum(self.cost_usd, other.cost_usd),
            _sum(self.uncached_cost_usd, other.uncached_cost_usd),
            self.budget_usd,
            self.failed + other.failed,
        )

    @property
    def needed(self) -> int:
        """How many contexts would be asked for."""
        return self.passages - self.remembered

    @property
    def within_budget(self) -> bool | None:
        """None where there is no budget or no price."""
        if self.budget_usd is None or self.cost_usd is None:
            return None
        return self.cost_usd <= self.budget_usd


def _sum(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one + two
