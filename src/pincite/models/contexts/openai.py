"""The chat completions of OpenAI and of compatible servers (Ollama, vLLM, llama.cpp, LM Studio).

These servers cache the beginning of a prompt automatically or not at all, so the window comes first and nothing is
marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pincite.errors import ServiceFailed
from pincite.meaning import Tokens
from pincite.models.contexts.dialect import ModelReply, count
from pincite.models.contexts.options import WriterOptions
from pincite.models.contexts.prompt import INSTRUCTIONS

BASE_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class OpenAI:
    options: WriterOptions

    caches = False

    @property
    def address(self) -> str:
        """The base URL includes the version, as is usual for this dialect; it is added to a bare host."""
        base = (self.options.base_url or BASE_URL).rstrip("/")
        return f"{base}/chat/completions" if urlsplit(base).path else f"{base}/v1/chat/completions"

    @property
    def identity(self) -> str:
        return ""

    def headers(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, document: str, question: str, *, shared: bool) -> dict[str, Any]:  # noqa: ARG002
        body: dict[str, Any] = {
            "model": self.options.model,
            self.options.max_tokens_field: self.options.max_tokens,
            "messages": [
                {"role": "system", "content": INSTRUCTIONS},
                {"role": "user", "content": f"{document}\n\n{question}"},
            ],
        }
        if self.options.temperature is not None:
            body["temperature"] = self.options.temperature
        return body

    def read(self, answer: Mapping[str, Any]) -> ModelReply:
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise ServiceFailed("the answer has no choices[0].message; is this an OpenAI-compatible server?")
        usage = answer.get("usage")
        cached = count(usage.get("prompt_tokens_details") if isinstance(usage, dict) else None, "cached_tokens")
        cached = min(cached, count(usage, "prompt_tokens"))
        tokens = Tokens(
            input=count(usage, "prompt_tokens") - cached, cache_read=cached, output=count(usage, "completion_tokens")
        )
        content = message.get("content")
        reason = choice.get("finish_reason")
        refused = bool(message.get("refusal")) or reason == "content_filter"
        return ModelReply(
            content if isinstance(content, str) else "",
            tokens,
            complete=reason != "length",
            refusal="the model refused to write" if refused else "",
        )
