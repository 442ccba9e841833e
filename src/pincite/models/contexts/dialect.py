"""What differs between services: address, headers, and the shape of question and answer. One file per dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pincite.meaning import Tokens


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A service's answer, independent of the dialect."""

    text: str
    tokens: Tokens
    complete: bool
    """Whether the model finished, rather than reaching its limit."""
    refusal: str = ""
    """Why there is no usable text; empty if there is."""


class Dialect(Protocol):
    @property
    def address(self) -> str:
        """Where questions are sent."""

    @property
    def caches(self) -> bool:
        """Whether a window shared by several calls can be marked for the service's cache."""

    @property
    def identity(self) -> str:
        """Options of this dialect that influence what is written."""

    def headers(self, key: str) -> Mapping[str, str]:
        """The key, if there is one, and the other headers of every call."""

    def body(self, document: str, question: str, *, shared: bool) -> dict[str, Any]: ...

    def read(self, answer: Mapping[str, Any]) -> ModelReply:
        """The answer in a response; `ServiceFailed` if it has another shape."""


def count(usage: object, name: str) -> int:
    """A counter of a usage report; 0 if the service does not report it."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value > 0 else 0
