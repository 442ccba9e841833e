"""Identifiers: one normal form for the many ways people write a docket, a section, a component."""

from __future__ import annotations

import re

from pincite.text.fold import clean, fold
from pincite.text.words import camel_parts, tokens

# What stands before a number. Articles keep their marker (a law has Art. 4 and may have § 4); for the rest the
# number alone is the section's name, however people call it.
_ARTICLE = frozenset({"art", "article", "articles", "artikel", "articolo", "articoli", "arts"})
_SECTION = frozenset(
    {"section", "sections", "sec", "secs", "ss", "paragraph", "para", "paragraf", "chapter", "clause", "ziffer", "ziff",
     "abschnitt", "kapitel", "chapitre", "capitolo", "sezione", "cl", "nr", "no", "rule", "regel", "part"}
)  # fmt: skip

_NUMBER = r"\d+[a-z]{0,2}(?:bis|ter|quater|quinquies|sexies|septies|octies)?"
_SECTION_NUMBER = rf"{_NUMBER}(?:\.\d+[a-z]?)*(?:\([0-9a-z]{{1,4}}\))*"
_MARKERS = "|".join(sorted(_ARTICLE | _SECTION, key=len, reverse=True))
_MARKED = re.compile(
    rf"(?P<marker>§§?|\b(?:{_MARKERS})\b\.?)\s*(?P<number>{_SECTION_NUMBER})",
    re.IGNORECASE,
)
_DOTTED_NUMBER = re.compile(r"(?<![\w./-])\d+(?:\.\d+[a-z]?)+(?:\([0-9a-z]{1,4}\))*(?![\w/-])")
_PARTS = re.compile(r"[^\W_]+")


def normalise_identifier(raw: str) -> str:
    """`4A_123/2020`, `4A 123-2020` → "4a.123.2020"; `Artikel 41` → "art.41"; `§ 4.2` → "4.2".

    `OrderService` and `order_service` → "order.service".
    """
    text = clean(raw).strip().strip("\"'«»„“”")
    marked = _MARKED.fullmatch(text)
    if marked:
        return _marked(marked)
    parts: list[str] = []
    for piece in _PARTS.findall(text):
        parts.extend(camel_parts(piece) or (fold(piece),))
    return ".".join(parts)


def _marked(match: re.Match[str]) -> str:
    number = ".".join(fold(piece) for piece in _PARTS.findall(match["number"]))
    marker = fold(match["marker"].rstrip("."))
    return f"art.{number}" if marker in _ARTICLE else number


def identifiers_in(query: str) -> tuple[str, ...]:
    """Normal forms of everything in a query that can only be meant as an identifier, in order of appearance.

    Marked or dotted section numbers; tokens that mix letters, digits and connectors; CamelCase and snake_case. A plain
    word or number is none: "41 days" names no article.
    """
    text = clean(query)
    found: dict[str, None] = {}
    for match in _MARKED.finditer(text):
        found.setdefault(_marked(match))
    for match in _DOTTED_NUMBER.finditer(text):
        found.setdefault(normalise_identifier(match.group()))
    for token in tokens(text):
        if _looks_like_identifier(token):
            found.setdefault(normalise_identifier(token))
    return tuple(found)


def _looks_like_identifier(token: str) -> bool:
    parts = _PARTS.findall(token)
    if len(parts) > 1:
        has_digit = any(c.isdigit() for c in token)
        has_letter = any(c.isalpha() for c in token)
        return "_" in token or (has_digit and has_letter)
    return bool(camel_parts(token))
