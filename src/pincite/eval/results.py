"""What an evaluation found, query by query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pincite.eval.cases import Case
from pincite.eval.metrics import Values
from pincite.types import JsonValue

LEGS = ("keyword", "dense", "related", "exact", "graph", "rrf", "unreranked", "final")
"""The order of legs in every list; legs that a library does not have are absent.

`unreranked` is the final order without the reranker, if one is used.
"""
STAGES = ("understand", "resolve", "legs", "fuse", "rerank", "cite")
"""Together they are the time of a search; the legs are also listed one by one."""
HEADLINE = "ndcg@10"
"""The metric by which queries, tags and runs are compared."""


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question, asked."""

    case: Case
    tags: tuple[str, ...]
    """The case's own tags, and the recognised class of query."""
    ranked: Mapping[str, tuple[str, ...]]
    """Judged names and element ids by leg, best first."""
    values: Mapping[str, Values]
    """Metrics by leg."""
    stages: Mapping[str, float]
    """Milliseconds by stage."""
    milliseconds: float
    missing: tuple[str, ...] = ()
    """Judged places that are not in the library: they count as not found."""


@dataclass(frozen=True, slots=True)
class Run:
    """All questions of a set, asked of one library in one state."""

    dataset: str
    kind: str
    outcomes: tuple[QuestionResult, ...]
    index: Mapping[str, JsonValue]
    cases: str
    """Fingerprint of the questions and judgements."""
    notes: tuple[str, ...] = ()
    qrels: str = ""
    description: str = ""

    @property
    def legs(self) -> tuple[str, ...]:
        present = {leg for outcome in self.outcomes for leg in outcome.values}
        return tuple(leg for leg in LEGS if leg in present)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(sorted({tag for outcome in self.outcomes for tag in outcome.tags}))
