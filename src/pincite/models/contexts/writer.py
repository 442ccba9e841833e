"""A context writer over HTTP: it combines windows and prompt with a dialect and a service."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pincite import telemetry
from pincite.errors import ServiceFailed
from pincite.ids import text_hash
from pincite.meaning import ContextWindow, Tokens, Unsituated, WrittenContext
from pincite.models.contexts import prompt
from pincite.models.contexts import window as policy
from pincite.models.contexts.answer import usable
from pincite.models.contexts.anthropic import Anthropic
from pincite.models.contexts.dialect import Dialect
from pincite.models.contexts.openai import OpenAI
from pincite.models.contexts.options import WriterOptions
from pincite.models.contexts.prices import Prices, known_prices
from pincite.models.http import CallOptions, Client, Clock
from pincite.types import Chunk, Content

DIALECTS: dict[str, type[Anthropic] | type[OpenAI]] = {"anthropic": Anthropic, "openai": OpenAI}


class HttpContextWriter:
    """Writes contexts with the model named in the options. Nothing is sent before the first `write`."""

    def __init__(self, options: WriterOptions, key: str, *, missing_key: str = "", clock: Clock | None = None) -> None:
        """`missing_key`: the error to raise instead of calling, if the service needs a key and there is none."""
        self.provider: str = options.provider
        self.model = options.model
        self.concurrency = options.concurrency
        self.max_tokens = options.max_tokens
        self._options = options
        self._dialect: Dialect = DIALECTS[options.provider](options)
        self._prices: Prices | None = options.prices or known_prices(options.model, options.cache_ttl)
        self._missing_key = missing_key
        calls = CallOptions(timeout_seconds=options.timeout_seconds, concurrency=options.concurrency)
        self.client = Client(self._dialect.headers(key), calls, secret=key, clock=clock)

    @property
    def _identity(self) -> str:
        """Everything that influences the text written about a passage in a window."""
        o = self._options
        parts = [f"{o.provider}/{o.model}", f"prompt={prompt.VERSION}", f"max={o.max_tokens}", self._dialect.identity]
        if o.temperature is not None:
            parts.append(f"temperature={o.temperature:g}")
        return ",".join(part for part in parts if part)

    @property
    def fingerprint(self) -> str:
        return f"{self._identity},window={policy.VERSION}:{self._options.window_tokens}"

    def windows(self, content: Content, chunks: Sequence[Chunk]) -> tuple[ContextWindow, ...]:
        made = policy.windows(content, chunks, self._options.window_tokens)
        return tuple(self._window(content, window) for window in made)

    def _window(self, content: Content, window: policy.Window) -> ContextWindow:
        digest = text_hash(window.text)
        tokens = policy.billed_tokens(window.text)
        least = self._prices.min_cached_tokens if self._prices else 0
        passages = tuple(self._unsituated(content, chunk, digest) for chunk in window.chunks)
        return ContextWindow(window.text, passages, tokens, self._dialect.caches and tokens >= least)

    def _unsituated(self, content: Content, chunk: Chunk, window_hash: str) -> Unsituated:
        assert chunk.span is not None
        passage = content.text[chunk.span.start : chunk.span.end]
        headings = " > ".join(chunk.parent_chain)
        key = text_hash(json.dumps([self._identity, window_hash, headings, text_hash(passage)]))
        asked = policy.billed_tokens(f"{prompt.INSTRUCTIONS}{headings}{passage}")
        return Unsituated(chunk.number, headings, passage, key, asked)

    def write(self, window: ContextWindow, passage: Unsituated, *, shared: bool) -> WrittenContext:
        if self._missing_key:
            raise ServiceFailed(self._missing_key, hopeless=True)
        body = self._dialect.body(prompt.document(window), prompt.question(passage, self.max_tokens), shared=shared)
        about: telemetry.Attributes = {
            telemetry.OPERATION_NAME: "chat",
            telemetry.PROVIDER: self.provider,
            telemetry.MODEL: self.model,
            telemetry.MAX_TOKENS: self.max_tokens,
        }
        with telemetry.span(f"chat {self.model}", about, kind="client") as span:
            given = self.client.post(self._dialect.address, body)
            if not isinstance(given, dict):
                raise ServiceFailed("the answer is not a JSON object")
            answer = self._dialect.read(given)
            span.set(self._consumed(answer.tokens))
        text = "" if answer.refusal else usable(answer.text, self.max_tokens, complete=answer.complete)
        problem = "" if text else answer.refusal or "the model returned an empty answer"
        return WrittenContext(text, answer.tokens, problem)

    def _consumed(self, tokens: Tokens) -> telemetry.Attributes:
        """Span attributes of a call. By convention, cached tokens count as input too."""
        cost = self.cost_micros(tokens)
        return {
            telemetry.INPUT_TOKENS: tokens.input + tokens.cache_written + tokens.cache_read,
            telemetry.OUTPUT_TOKENS: tokens.output,
            telemetry.CACHE_READ_TOKENS: tokens.cache_read,
            telemetry.CACHE_WRITTEN_TOKENS: tokens.cache_written,
            **({} if cost is None else {telemetry.COST: cost / 1e6}),
        }

    def cost_micros(self, tokens: Tokens) -> int | None:
        return None if self._prices is None else self._prices.micros(tokens)

    def stop(self) -> None:
        self.client.stop()

    def close(self) -> None:
        self.client.close()
