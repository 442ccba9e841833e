"""Definitions that a list spells out, where definitions are announced: `X: …`, `X – …`, `a. X, les …`."""

from __future__ import annotations

import re

from pincite.kinds.documents.definitions.forms import Forms
from pincite.kinds.documents.definitions.terms import can_stand_before_colon, plain_term
from pincite.types import Span

_COLON = re.compile(r"(?P<term>[^:\n]{1,160}?)[ \u00a0\u202f*_]*:(?=[\s*_]|\Z)")
_DASH = re.compile(r"(?P<term>[^\n–—]{1,100}?)[ \u00a0]+[–—-][ \u00a0]+(?=\S)")
_COMMA = re.compile(r"(?P<term>[^,:;\n]{2,100}), (?=(?:les?|la|une?|des|toute?s?|tous|ce|celui|celle|ceux)\s|l['’])")
_STRESSED = re.compile(r"[*_]")
_QUOTE = re.compile('["“”„«»]')
MAX_PLAIN_WORDS = 6


def listed(text: str, span: Span, forms: Forms, *, announced: bool, is_item: bool) -> tuple[str, int] | None:
    """The term that the stretch begins with and goes on to define, and where it stands; None if it does not.

    `announced`: a sentence before has said that definitions follow. A paragraph without a mark is believed less.
    """
    for pattern in (_COLON, _DASH, _COMMA) if announced else (_COLON, _DASH):
        match = pattern.match(text, span.start, span.end)
        if match is None:
            continue
        term = plain_term(match["term"], forms)
        if _QUOTE.search(term) or not can_stand_before_colon(term, forms):
            continue
        if is_item or _STRESSED.match(match["term"]) or len(term.split()) <= MAX_PLAIN_WORDS:
            return term, match.start("term")
    return None
