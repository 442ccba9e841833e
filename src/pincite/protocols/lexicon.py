"""A lexicon: the words of each repository with their vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from pincite.meaning import Floats, Learned, NearWord
from pincite.protocols.embedder import Embedder
from pincite.types import Scope, View


class Lexicon(Protocol):
    """The words of each repository with their vectors, learned from the catalog and learned again when lost."""

    def learn(
        self,
        scope: Scope,
        embedder: Embedder,
        *,
        progress: Callable[[str, int, int], None] | None = None,
        stop: threading.Event | None = None,
    ) -> int:
        """Take in words of passages born since the last time; how many were new. Only what everybody may read."""

    def learned(self, views: Sequence[View], fingerprint: str) -> Learned: ...

    def near(
        self, views: Sequence[View], fingerprint: str, vectors: Sequence[Floats], *, above: float, most: int
    ) -> list[NearWord]:
        """Words nearer than `above` to one of the vectors, at most `most` for each; the nearest first.

        Of each repository the words that it had at the view's revision, whatever was learned since.
        """

    def forget(self, scope: Scope, fingerprint: str = "") -> None:
        """Remove the words of a repository, because something in it was erased; or only those of one model."""

    def check(self, scope: Scope) -> tuple[str, ...]:
        """What is damaged, in words; empty when sound."""
