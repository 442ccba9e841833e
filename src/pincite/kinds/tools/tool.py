"""A tool as an agent sees it, whatever list it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a tool can be given."""

    name: str
    description: str = ""
    values: tuple[str, ...] = ()
    """The ones it is limited to."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A name with what it does and what it takes; `definition` is what was given, word for word."""

    name: str
    title: str = ""
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    hints: Mapping[str, bool] = field(default_factory=dict)
    """MCP's annotations: `readOnlyHint`, `destructiveHint` and the like."""
    server: str = ""
    """Where it came from, when several lists are ranked together."""
    definition: Mapping[str, Any] = field(default_factory=dict)
