"""A model's answer is untrusted text: it is reduced to one line of limited length without control characters."""

from __future__ import annotations

import unicodedata

from pincite.models.texts import cut
from pincite.text.sentences import sentences

CHARS_PER_TOKEN = 8
"""More than a token has in any language; a longer answer exceeded its limit."""


def usable(text: str, max_tokens: int, *, complete: bool) -> str:
    """The context in an answer, empty if there is none. A truncated answer ends with its last complete sentence."""
    line = " ".join("".join(char if _is_text(char) else " " for char in text).split())
    capped = cut(line, max_tokens * CHARS_PER_TOKEN)
    return capped if complete and capped == line else _whole_sentences(capped)


def _is_text(char: str) -> bool:
    """False for control characters, characters that reorder or hide text, and lone surrogates."""
    return not unicodedata.category(char).startswith("C")


def _whole_sentences(line: str) -> str:
    """The line up to its last complete sentence; without one, up to its last complete word."""
    spans = sentences(line)
    if spans and line[spans[-1].start : spans[-1].end].rstrip("\"'»”’)").endswith((".", "!", "?", "。", "！", "？")):
        return line
    if len(spans) > 1:
        return line[: spans[-2].end]
    words = line.rsplit(" ", 1)
    return words[0] if len(words) == 2 else line
