"""What steers a context writer; `config.py` fills it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.models.contexts.prices import Prices

DEFAULT_WINDOW_TOKENS = 8_000
MAX_WINDOW_TOKENS = 90_000
"""Services that price by length charge several times as much above 100,000 tokens."""


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """Which model writes, how much, and what of a document it is shown."""

    provider: Literal["anthropic", "openai"]
    model: str
    base_url: str = ""
    """Empty: the provider's own address."""
    max_tokens: int = 100
    concurrency: int = 10
    window_tokens: int = DEFAULT_WINDOW_TOKENS
    timeout_seconds: float = 60.0
    prices: Prices | None = None
    """None: those known for the model, if any."""
    temperature: float | None = None
    """Sent only if it is set: newer models refuse sampling parameters."""
    cache_ttl: Literal["5m", "1h"] = "5m"
    """Anthropic: how long the service keeps a window after its last use."""
    effort: str = "low"
    """Anthropic: empty for models that do not know it."""
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """OpenAI dialect: what the server calls the limit."""
