"""Reranking: the model that reads the best passages again, and what of it decides an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.protocols import Reranker

MODES = ("hybrid", "semantic")
"""Of a query: words or names alone are meant to be ordered by themselves."""


@dataclass(frozen=True, slots=True)
class RerankPin:
    """Everything of a reranker that decides an order; part of what a replay token pins."""

    fingerprint: str
    weight: float
    """Share of the reranker in a score."""
    depth: int
    """How many of the best passages it reads; constant, so that pages do not depend on how many were asked for."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """The reranker of a library. Without a pin it takes no part in an answer."""

    reranker: Reranker | None = None
    pin: RerankPin | None = None
    deadline_seconds: float = 5.0
    off: str = ""
    """Why one that is configured takes no part; empty where none is configured."""
    status: Literal["off", "unavailable"] = "off"
    """Of one that takes no part: kept out on purpose, or not there."""
    note: str = ""
    """What a reader of its report should know although it takes part."""

    @property
    def fingerprint(self) -> str:
        return self.reranker.fingerprint if self.reranker else ""
