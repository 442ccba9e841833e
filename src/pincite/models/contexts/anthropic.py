"""Anthropic's Messages API. The window is a separate block with an explicit cache mark; the passage follows it.

An automatic mark at the end of the prompt would cache the passage, which no other call shares. Thinking is billed as
output and is switched off. Newer models reject sampling parameters, so they are sent only if the settings state them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pincite.errors import ServiceFailed
from pincite.meaning import Tokens
from pincite.models.contexts.dialect import ModelReply, count
from pincite.models.contexts.options import WriterOptions
from pincite.models.contexts.prompt import INSTRUCTIONS

BASE_URL = "https://api.anthropic.com"
API_VERSION = "2023-06-01"


@dataclass(frozen=True, slots=True)
class Anthropic:
    options: WriterOptions

    caches = True

    @property
    def address(self) -> str:
        base = (self.options.base_url or BASE_URL).rstrip("/")
        return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"

    @property
    def identity(self) -> str:
        return f"effort={self.options.effort}" if self.options.effort else ""

    def headers(self, key: str) -> Mapping[str, str]:
        return {"anthropic-version": API_VERSION, **({"x-api-key": key} if key else {})}

    def body(self, document: str, question: str, *, shared: bool) -> dict[str, Any]:
        window: dict[str, Any] = {"type": "text", "text": document}
        if shared:
            window["cache_control"] = {"type": "ephemeral", "ttl": self.options.cache_ttl}
        body: dict[str, Any] = {
            "model": self.options.model,
            "max_tokens": self.options.max_tokens,
            "thinking": {"type": "disabled"},
            "system": [{"type": "text", "text": INSTRUCTIONS}],
            "messages": [{"role": "user", "content": [window, {"type": "text", "text": question}]}],
        }
        if self.options.effort:
            body["output_config"] = {"effort": self.options.effort}
        if self.options.temperature is not None:
            body["temperature"] = self.options.temperature
        return body

    def read(self, answer: Mapping[str, Any]) -> ModelReply:
        blocks = answer.get("content")
        if not isinstance(blocks, list):
            raise ServiceFailed("the answer has no list 'content'; is this an Anthropic Messages server?")
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        reason = answer.get("stop_reason")
        usage = answer.get("usage")
        tokens = Tokens(
            input=count(usage, "input_tokens"),
            cache_written=count(usage, "cache_creation_input_tokens"),
            cache_read=count(usage, "cache_read_input_tokens"),
            output=count(usage, "output_tokens"),
        )
        text = " ".join(text for text in texts if isinstance(text, str))
        refusal = "the model refused to write" if reason == "refusal" else ""
        return ModelReply(text, tokens, complete=reason != "max_tokens", refusal=refusal)
