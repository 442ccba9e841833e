"""A context writer: what situates a passage in its document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pincite.meaning import ContextWindow, Tokens, Unsituated, WrittenContext
from pincite.types import Chunk, Content


class ContextWriter(Protocol):
    """Writes for a passage what situates it in its document, so that it is found by what it does not say itself."""

    provider: str
    model: str
    concurrency: int
    max_tokens: int
    """The most that one context may have."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides what is asked for: provider, model, prompt, length, windows."""

    def windows(self, content: Content, chunks: Sequence[Chunk]) -> tuple[ContextWindow, ...]:
        """Which part of the document is sent with which passage. Deterministic; nothing is sent yet."""

    def write(self, window: ContextWindow, passage: Unsituated, *, shared: bool) -> WrittenContext:
        """A context, or the problem with what was answered. `ServiceFailed` if there was no answer.

        `shared`: more calls with the same window follow, so that keeping it in the service's cache pays.
        """

    def cost_micros(self, tokens: Tokens) -> int | None:
        """Millionths of a dollar; None where no prices are known."""

    def stop(self) -> None:
        """Let calls that wait for their next attempt give up."""
