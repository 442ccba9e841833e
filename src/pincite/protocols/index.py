"""An index: a projection of a catalog that answers rankings of chunks. It has three roles.

`WordIndex` finds by words and names, `VectorIndex` by meaning, `Projection` follows the catalog. An engine may have all
of them (`Index`), or only words or only vectors: `index/paired.py` makes an `Index` of two such engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self

from pincite.queries import IdentifierQuery, IndexFeatures, IndexStatus, Ranking, VectorQuery, WordQuery
from pincite.types import Scope, View


class WordIndex(Protocol):
    """Chunks by their words and names, over exactly what the views may read; filters hold inside the scan."""

    features: IndexFeatures

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        """Chunks by BM25, filters never in the statistics. A query holds only what `features` declares."""

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        """Chunks that carry one of the identifiers; those that carry more of them first."""

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        """Filter keys with their values and how many visible chunks carry each."""


class VectorIndex(Protocol):
    """Chunks by meaning, over exactly what the views may read; filters hold inside the scan."""

    features: IndexFeatures

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        """Chunks by their best vectors. A query holds only what `features` declares.

        `partial` with the reason while some of what is visible has no vectors yet, `unavailable` while none has.
        `InvalidArgument` for a question of other dimensions than the vectors have.
        """

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        """Whether any repository of the views has vectors of the model; asked before a model is loaded."""

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        """Bring in vectors that the catalog has and the index has not; how many texts were added. Idempotent."""

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        """Let go of a model's vectors; those of other models stay, and the catalog's too. Idempotent."""


class Projection(Protocol):
    """What follows the catalog: it may lag, says how far it is, and can always be rebuilt."""

    def reached(self, scope: Scope) -> int:
        """The revision up to which entries are complete, vectors aside; 0 when nothing is indexed."""

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:
        """Roll forward to the catalog's head; idempotent; returns the revision reached.

        Where there is one writer at a time, `Locked` after the wait.
        """

    def merge(self, scope: Scope) -> bool:
        """Do one piece of upkeep that is due; whether there was any. Never changes an answer."""

    def rebuild(self, scope: Scope, *, accept: Callable[[Self], None] | None = None) -> int:
        """Build a new generation from the catalog and switch to it atomically; returns the revision reached.

        `accept` is given an index that reads the new generation; if it raises, that one is dropped and the old stays.
        """

    def status(self, scope: Scope) -> IndexStatus:
        """What is held, which revision it has reached, and what is wrong, in words."""

    def check(self, scope: Scope) -> tuple[str, ...]:
        """Verify what can be verified; what is damaged, in words; empty when sound."""

    def close(self) -> None:
        """Release files and connections; a later question opens them again."""


class ProjectedWords(WordIndex, Projection, Protocol):
    """An engine of words."""


class ProjectedVectors(VectorIndex, Projection, Protocol):
    """An engine of vectors."""


class Index(WordIndex, VectorIndex, Projection, Protocol):
    """An engine of both."""

    features: IndexFeatures
