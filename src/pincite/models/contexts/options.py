"""Options of a context writer: the section `context_model` of the settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field
from pydantic.dataclasses import dataclass

from pincite.errors import InvalidArgument
from pincite.models.contexts.prices import StatedPrices, known_prices
from pincite.options import CLOSED

DEFAULT_WINDOW_TOKENS = 8_000
MAX_WINDOW_TOKENS = 90_000
"""Services that price by length charge several times as much above 100,000 tokens."""

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_USUAL_VARIABLE = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


@dataclass(frozen=True, slots=True, config=CLOSED)
class WriterOptions:
    """Which language model writes the context of each passage: where it belongs in its document."""

    provider: Literal["anthropic", "openai"] = "anthropic"
    """`openai`: any server with OpenAI-compatible chat completions."""
    model: Annotated[str, Field(max_length=200)] = ""
    """Empty: no model; the headings are the only context of a passage."""
    base_url: Annotated[str, Field(max_length=2_000)] = ""
    """Empty: the provider's default address."""
    api_key_env: Annotated[str, Field(max_length=200)] = ""
    """Name of the environment variable that holds the key; by default the provider's usual one."""
    max_tokens: int = Field(default=100, ge=50, le=200)
    concurrency: int = Field(default=10, ge=1, le=50)
    window_tokens: int = Field(default=DEFAULT_WINDOW_TOKENS, ge=1_000, le=MAX_WINDOW_TOKENS)
    timeout_seconds: float = Field(default=60.0, gt=0, le=600)
    budget_usd: float | None = Field(default=None, ge=0, le=1_000_000)
    """The most that one ingest may spend; none: no limit."""
    prices: StatedPrices = None
    """None: the known prices of the model, if any."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sent only if set: newer models reject sampling parameters."""
    cache_ttl: Literal["5m", "1h"] = "5m"
    """Anthropic: how long the service keeps a window after its last use."""
    effort: Literal["", "low", "medium", "high"] = "low"
    """Anthropic: empty for models that do not support it."""
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """OpenAI dialect: the server's name for the limit."""

    def ready(self) -> WriterOptions:
        """The options with their effective prices. Checked here, not on loading, where errors repeat their input."""
        address = urlsplit(self.base_url)
        if self.base_url and (address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc):
            raise InvalidArgument(
                "context_model.base_url must have the form https://host/v1, without a user or password",
                field="context_model.base_url",
            )
        prices = self.prices or known_prices(self.model, self.cache_ttl)
        if self.budget_usd is not None and prices is None:
            raise InvalidArgument(
                f"the prices of {self.model!r} are unknown, so a budget cannot be enforced; set "
                "context_model.prices: {input: …, output: …} in dollars per million tokens, or remove budget_usd",
                field="context_model.prices",
            )
        return replace(self, prices=prices)

    def api_key(self, environ: Mapping[str, str] | None = None) -> tuple[str, str]:
        """The key, and the problem if a required key is missing. The key is never stored or shown."""
        name = self.api_key_env or _USUAL_VARIABLE[self.provider]
        if not _VARIABLE.fullmatch(name):
            raise InvalidArgument(
                "context_model.api_key_env must name an environment variable like ANTHROPIC_API_KEY; it is not the key",
                field="context_model.api_key_env",
            )
        key = (os.environ if environ is None else environ).get(name, "").strip()
        needed = not self.base_url or bool(self.api_key_env)
        return key, f"{name} is not set in the environment" if needed and not key else ""
