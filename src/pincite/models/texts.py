"""Text as models receive it: encodable, not empty and of limited length."""

from __future__ import annotations

from pincite.errors import EmbeddingFailed


def readable(text: str) -> str:
    """The text without characters that tokenizers reject (lone surrogates, NUL) and without white space at either end.

    `EmbeddingFailed` if nothing is left: the vector of an empty text would be close to some other text.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    text = text.replace("\x00", " ").strip()
    if not text:
        raise EmbeddingFailed("the text is empty; there is nothing to embed")
    return text


def cut(text: str, limit: int) -> str:
    """The text, truncated to `limit` characters, at white space if there is any in the last fifth."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    if text[limit].isspace():
        return head.rstrip()
    words = head.rsplit(maxsplit=1)
    return words[0] if len(words) == 2 and len(words[0]) >= limit * 4 // 5 else head.rstrip()
