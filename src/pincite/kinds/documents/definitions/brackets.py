"""Names given in brackets, as contracts do: (the “Supplier”), (“Buyer”, together with the Supplier the “Parties”)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.kinds.documents.definitions.forms import MARKED, QUOTED
from pincite.types import Span

_JOIN = (
    r"(?:the|this|that|an?|each|collectively|together|individually|and|or|hereinafter"
    r"|hereafter|herein|referred|to|as|defined"
    r"|in the following|with|der|die|das|nachfolgend|nachstehend|im Folgenden|kurz|und|oder|je|gemeinsam|zusammen"
    r"|le|la|les|l['’]|ci-après|dénommée?s?|et|ou|ensemble|il|lo|gli|i|di seguito|denominat[oaie]|e|o|insieme)"
)
_OTHERS = r"(?:together with|zusammen mit|avec|con) (?:the |dem |der |le |la |il )?[^\W\d_][\w ]{1,40}"
_BETWEEN = rf"(?>(?:{_OTHERS}|{_JOIN})(?!\w)|[\s,:]+)*+"
_BRACKET = re.compile(rf"\((?P<inside>{_BETWEEN}(?:{QUOTED}{_BETWEEN})+)\)")
_TERM = re.compile(MARKED)
_ANNOUNCED = re.compile(rf"{_JOIN}\b")
_PRONOUNS = frozenset(
    ("you", "your", "we", "us", "our", "they", "wir", "uns", "sie", "ihr", "nous", "vous", "noi", "voi")
)
_NAMES_A_PLACE = re.compile(
    r"(?:\b(?:Sections?|Clauses?|Articles?|Art\.|Annex|Appendix|Schedule|Part|Paragraph"
    r"|Chapter|Exhibit|Ziff\.|Artikel|Ziffer"
    r"|Anhang|Abschnitt|Kapitel|chiffre|annexe|chapitre|articolo|allegato|capitolo)\s+[\w.()]{1,12}"
    r"|§\s*[\w.()]{1,12}|[\"”“»`])[*_]*\s*\Z"
)
"""Before a bracket that repeats a heading, or translates a quote."""
MAX_INSIDE = 200


def named_in_brackets(text: str, span: Span) -> Iterator[Span]:
    """Where the terms stand that brackets in the span give to what precedes them."""
    if "(" not in text[span.start : span.end]:
        return
    for bracket in _brackets(text, span):
        inside = text[bracket.start : bracket.end]
        announced = _ANNOUNCED.match(inside) is not None
        for term in _TERM.finditer(text, bracket.start, bracket.end):
            words = term.group().strip('*_"“”„«» \u00a0\u202f,.')
            if announced or words[:1].isupper() or words.casefold() in _PRONOUNS:
                yield Span(term.start(), term.end())


def _brackets(text: str, span: Span) -> Iterator[Span]:
    """Brackets that hold nothing but quoted terms and what joins them."""
    at = span.start
    while (opening := text.find("(", at, span.end)) >= 0:
        at = opening + 1
        closing = text.find(")", at, min(span.end, at + MAX_INSIDE))
        if closing < 0 or not any(mark in text[at:closing] for mark in '"“„«'):
            continue
        match = _BRACKET.fullmatch(text, opening, closing + 1)
        if match and not _NAMES_A_PLACE.search(text, max(span.start, opening - 60), opening):
            yield Span(match.start("inside"), match.end("inside"))
