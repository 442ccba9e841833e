"""An index: a projection of a catalog that answers rankings of chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pincite.queries import IdentifierQuery, IndexFeatures, IndexStatus, Ranking, VectorQuery, WordQuery
from pincite.types import Scope, View


class Index(Protocol):
    """A projection of a catalog that answers rankings of chunks."""

    features: IndexFeatures

    def reached(self, scope: Scope) -> int:
        """The revision up to which keyword and exact entries are complete; 0 when nothing is indexed."""

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:
        """Roll forward to the catalog's head; idempotent; returns the revision reached. `Locked` after the wait."""

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        """Chunks by BM25 over exactly what the views may read; filters hold inside the scan, never in statistics."""

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        """Chunks that carry one of the identifiers."""

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        """Chunks by meaning: each by its best vectors, over exactly what the views may read; filters inside the scan.

        `partial` with the reason while some of what is visible has no vectors yet.
        """

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        """Whether any repository of the views has vectors of the model; asked before a model is loaded."""

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        """Bring in vectors that the catalog has and the index has not; how many texts were added. Idempotent."""

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        """Let go of a model's vectors; those of other models stay, and the catalog's too. Idempotent."""

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        """Filter keys with their values and how many visible chunks carry each."""

    def merge(self, scope: Scope) -> bool:
        """Do one piece of upkeep that is due; whether there was any. Never changes an answer."""

    def rebuild(self, scope: Scope, *, accept: Callable[[Index], None] | None = None) -> int:
        """Build a new generation from the catalog and switch to it atomically.

        `accept` is given an index that reads the new generation; if it raises, that one is dropped and the old stays.
        """

    def status(self, scope: Scope) -> IndexStatus: ...

    def check(self, scope: Scope) -> tuple[str, ...]:
        """Verify checksums; what is damaged, in words; empty when sound."""

    def close(self) -> None:
        """Release files and connections; a later question opens them again."""
