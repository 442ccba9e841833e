"""Settings of the models: the embedder and the reranker."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from pincite.settings.section import Name, SettingsSection

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


class Embedding(SettingsSection):
    """The model that computes the vectors of the dense leg."""

    model: Name = "usem3"
    threads: int = Field(default=1, ge=1, le=64)


class RerankerSettings(SettingsSection):
    """The model that reads the best passages again, and how much its judgement counts."""

    model: Annotated[str, Field(max_length=4_000)] = ""
    """`onnx:FOLDER`, relative to the configuration; empty: none."""
    weight: float = Field(default=0.3, gt=0, le=1)
    depth: int = Field(default=30, ge=1, le=200)
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long to wait for it; after that the answer goes without it and says so."""
    threads: int = Field(default=1, ge=1, le=64)
