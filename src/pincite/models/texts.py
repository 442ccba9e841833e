"""What any model is given: text that can be encoded, has something in it, and ends somewhere."""

from __future__ import annotations

from pincite.errors import EmbeddingFailed


def readable(text: str) -> str:
    """The text without what no tokenizer takes (lone surrogates, NUL) and without white space at its ends.

    `EmbeddingFailed` if nothing is left: the vector of nothing would be near to something.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    text = text.replace("\x00", " ").strip()
    if not text:
        raise EmbeddingFailed("an empty text has no direction; nothing to embed")
    return text


def cut(text: str, limit: int) -> str:
    """The text, or what of it fits into `limit` characters, cut at white space if there is some in the last fifth."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    if text[limit].isspace():
        return head.rstrip()
    words = head.rsplit(maxsplit=1)
    return words[0] if len(words) == 2 and len(words[0]) >= limit * 4 // 5 else head.rstrip()
