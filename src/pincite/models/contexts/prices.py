"""Prices of models, in dollars per million tokens.

Services change their prices: these are from October 2026. Prices in the settings take precedence.
"""

from __future__ import annotations

from math import ceil
from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic.dataclasses import dataclass

from pincite.meaning import Tokens
from pincite.options import CLOSED

LONG_PROMPT = 100_000
"""Prompts with more tokens are billed at the prices for long prompts."""


Dollars = Annotated[float, Field(ge=0, le=100_000)]


@dataclass(frozen=True, slots=True, config=CLOSED)
class Prices:
    """Dollars per million tokens. Cache reads and writes cost as much as input unless stated."""

    input: Dollars
    output: Dollars
    cache_write: Dollars | None = None
    cache_read: Dollars | None = None
    long_prompt: Prices | None = None
    """Prices of the whole call if its prompt is longer than `LONG_PROMPT`."""
    min_cached_tokens: int = Field(default=1_024, ge=0)
    """A shorter prompt prefix is not cached."""

    def micros(self, tokens: Tokens) -> int:
        """Millionths of a dollar, rounded up."""
        prompt = tokens.input + tokens.cache_written + tokens.cache_read
        if self.long_prompt is not None and prompt > LONG_PROMPT:
            return self.long_prompt.micros(tokens)
        write = self.input if self.cache_write is None else self.cache_write
        read = self.input if self.cache_read is None else self.cache_read
        # Dollars per million tokens are micro-dollars per token.
        exact = (
            tokens.input * self.input
            + tokens.cache_written * write
            + tokens.cache_read * read
            + tokens.output * self.output
        )
        return ceil(round(exact, 6))


_HAIKU_5_5_LONG = {
    "5m": Prices(0.50, 2.50, cache_write=0.625, cache_read=0.05),
    "1h": Prices(0.50, 2.50, cache_write=1.00, cache_read=0.05),
}
KNOWN: dict[str, dict[str, Prices]] = {
    "claude-haiku-5-5": {
        "5m": Prices(0.10, 0.50, 0.125, 0.01, _HAIKU_5_5_LONG["5m"], min_cached_tokens=512),
        "1h": Prices(0.10, 0.50, 0.20, 0.01, _HAIKU_5_5_LONG["1h"], min_cached_tokens=512),
    },
    "claude-haiku-4-5": {
        "5m": Prices(1.00, 5.00, 1.25, 0.10, min_cached_tokens=4_096),
        "1h": Prices(1.00, 5.00, 2.00, 0.10, min_cached_tokens=4_096),
    },
    "gpt-6-luna": {"": Prices(0.10, 0.50)},
}
"""By model and cache lifetime."""


StatedPrices = Annotated[Prices | None, BeforeValidator(lambda given: given or None)]
"""As written in the settings; an empty mapping means none."""


def known_prices(model: str, ttl: str) -> Prices | None:
    """The prices of a model, if known."""
    by_ttl = KNOWN.get(model, {})
    return by_ttl.get(ttl) or by_ttl.get("")
