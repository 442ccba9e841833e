"""Identifiers: one normal form for the many ways to write a docket number, a section or a component."""

from __future__ import annotations

import re

from pincite.text.fold import clean, fold
from pincite.text.section_references import SectionReference, section_references, whole_reference
from pincite.text.words import camel_parts, tokens

_DOTTED_NUMBER = re.compile(r"(?<![\w./-])\d+(?:\.\d+[a-z]?)+(?![\w/-])(?!\s?\([0-9a-z]{1,4}\))", re.IGNORECASE)
_BARE_NESTED = re.compile(r"(?<![\w./-])\d+[a-z]?(?:\.\d+[a-z]?)*(?:\([0-9a-z]{1,4}\)){1,8}(?![\w/-])", re.IGNORECASE)
_CONNECTOR = (
    r"(?:ff?\.|et\s+seq\.|et\s+suiv\.|ss?\.|segg?\.|of|the|in|from|der|des|dem|vom|von|zum|im|die|das|du|de|la|le|les|del"
    r"|della|dello|dei|delle|il|lo|di|dans)\b\.?\s*|(?:de\s+)?l['’]|dell['’]|[-,;:–—()]\s*"
)
_CONNECTORS_BEFORE = re.compile(rf"\A\s*(?:{_CONNECTOR})*", re.IGNORECASE)
_CONNECTORS_AFTER = re.compile(r"[\s,;:–—(-]+\Z")
_NAMED_NUMBER = re.compile(r"(?P<name>[^\W\d_][\w.&-]{0,20})\s+(?P<number>\d{1,4}[a-z]{0,2})", re.IGNORECASE)
_MAX_NAME_WORDS = 8
_PARTS = re.compile(r"[^\W_]+")


def normalise_identifier(raw: str) -> str:
    """`4A_123/2020`, `4A 123-2020` → "4a.123.2020"; `Artikel 41 Abs. 1` → "art.41(1)"; `§ 4.2` → "4.2".

    `OrderService` and `order_service` → "order.service".
    """
    text = clean(raw).strip().strip("\"'«»„“”")
    reference = whole_reference(text)
    if reference:
        return reference.normal
    parts: list[str] = []
    for piece in _PARTS.findall(text):
        parts.extend(camel_parts(piece) or (fold(piece),))
    return ".".join(parts)


def term_key(term: str) -> str:
    """The identifier a passage gets for a term it defines: `Good Faith` → "defines.good.faith"."""
    parts = normalise_identifier(term)
    return f"defines.{parts}" if parts else ""


def qualified(name: str, section: str) -> str:
    """A section of a named work, in normal form: `OR` and `art.41` → "or.art.41"."""
    return ".".join(map(fold, _PARTS.findall(clean(f"{name} {section}"))))


def fold_name(name: str) -> str:
    """The form in which names of works are compared: no case, accents or white space, like aliases in the catalog."""
    return "".join(fold(name).split())


def references_in(query: str) -> tuple[SectionReference, ...]:
    """The sections named in a query, in order of appearance."""
    return tuple(section_references(clean(query)))


def qualified_in(query: str) -> tuple[str, ...]:
    """Sections together with possible names of their work: `Art. 41 OR`, `§ 4.2 of the Leave Policy`, `OR 41`.

    Generous on purpose: only a section of a work that really has this name matches.
    """
    text = clean(query)
    found: dict[str, None] = {}
    for reference in section_references(text):
        for name in (*_names_after(text[reference.end :]), *_names_before(text[: reference.start])):
            found.setdefault(qualified(name, reference.section))
    if number := _NAMED_NUMBER.fullmatch(text.strip()):
        for section in (f"art.{number['number']}", number["number"]):
            found.setdefault(qualified(number["name"], section.lower()))
    return tuple(name for name in found if name)


def _names_after(text: str) -> list[str]:
    words = _CONNECTORS_BEFORE.sub("", text).split()[:_MAX_NAME_WORDS]
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)]


def _names_before(text: str) -> list[str]:
    words = _CONNECTORS_AFTER.sub("", text).split()[-_MAX_NAME_WORDS:]
    return [" ".join(words[-count:]) for count in range(1, len(words) + 1)]


def identifiers_in(query: str) -> tuple[str, ...]:
    """Normal forms of everything in a query that can only be an identifier, in order of appearance.

    These are marked or dotted section numbers, tokens that mix letters, digits and connectors, CamelCase and
    snake_case. A plain word or number does not count: "41 days" does not refer to an article.
    """
    text = clean(query)
    found: dict[str, None] = {}
    masked = list(text)
    for reference in section_references(text):
        found.setdefault(reference.normal)
        masked[reference.start : reference.end] = " " * (reference.end - reference.start)
    rest = "".join(masked)
    for pattern in (_BARE_NESTED, _DOTTED_NUMBER):
        for match in pattern.finditer(rest):
            found.setdefault(normalise_identifier(match.group()))
    for token in tokens(rest):
        if _looks_like_identifier(token):
            found.setdefault(normalise_identifier(token))
    return tuple(name for name in found if name)


def _looks_like_identifier(token: str) -> bool:
    parts = _PARTS.findall(token)
    if len(parts) > 1:
        has_digit = any(c.isdigit() for c in token)
        has_letter = any(c.isalpha() for c in token)
        return "_" in token or (has_digit and has_letter)
    return bool(camel_parts(token))
