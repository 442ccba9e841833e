"""Text as models receive it: encodable, not empty and of limited length."""

from __future__ import annotations

import re

from pincite.errors import EmbeddingFailed

SHOUTED_WORDS = 3
"""A text of at least so many words in capitals is a sentence; fewer may be names (NATO, EU GDPR)."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)\W*\w")


def readable(text: str) -> str:
    """The text without characters that tokenizers reject (lone surrogates, NUL) and without white space at either end.

    `EmbeddingFailed` if nothing is left: the vector of an empty text would be close to some other text.
    """
    text = encodable(text).strip()
    if not text:
        raise EmbeddingFailed("the text is empty; there is nothing to embed")
    return text


def encodable(text: str) -> str:
    """The text without characters that tokenizers reject; it may be empty."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text.replace("\x00", " ")


def cut(text: str, limit: int) -> str:
    """The text, truncated to `limit` characters, at white space if there is any in the last fifth."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    if text[limit].isspace():
        return head.rstrip()
    words = head.rsplit(maxsplit=1)
    return words[0] if len(words) == 2 and len(words[0]) >= limit * 4 // 5 else head.rstrip()


def sentence_case(text: str) -> str:
    """The text; if it is all in capitals, in small letters with a capital at the start of each sentence.

    To a model that tells capitals apart, a sentence in capitals is a row of unknown names: its vector means nothing.
    """
    if not text.isupper() or len(_WORD.findall(text)) < SHOUTED_WORDS:
        return text
    return _SENTENCE_START.sub(lambda start: start[0].upper(), text.lower())
