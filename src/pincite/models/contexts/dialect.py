"""What differs between services: address, headers, the shape of question and answer. One file per dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pincite.meaning import Tokens


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered, in no dialect."""

    text: str
    tokens: Tokens
    complete: bool
    """Whether the model came to an end, rather than to its limit."""
    refusal: str = ""
    """Why there is no text to use; empty: there is."""


class Dialect(Protocol):
    @property
    def address(self) -> str:
        """Where questions are sent."""

    @property
    def caches(self) -> bool:
        """Whether a window that several calls share can be marked for the service's cache."""

    @property
    def identity(self) -> str:
        """Options of this dialect that decide what is written."""

    def headers(self, key: str) -> Mapping[str, str]:
        """The key, if there is one, and what else every call carries."""

    def body(self, document: str, question: str, *, shared: bool) -> dict[str, Any]: ...

    def read(self, answer: Mapping[str, Any]) -> Answer:
        """`ServiceFailed` for an answer of another shape."""


def count(usage: object, name: str) -> int:
    """A counter of a usage report; 0 where the service does not say."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value > 0 else 0
