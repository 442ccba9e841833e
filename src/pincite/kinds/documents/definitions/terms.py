"""What can be a term, and what it is called once quotes, emphasis and articles are gone."""

from __future__ import annotations

import html
import re

from pincite.kinds.documents.definitions.forms import Forms
from pincite.text.titles import plain_title

MAX_TERM_WORDS = 12
MAX_TERM = 120

_AROUND = " \t\r\n\u00a0\u202f\"“”„«»‹›'‘’,;:.–—-*_`"
_TAIL = re.compile(r"\s*\[\^[^\]\s]+\]\Z")
_SENTENCE_INSIDE = re.compile(r"[.!?;]\s|[|<>{}=]|https?:|\s[–—]\s")
_FINITE = re.compile(
    r"\b(?:is|are|was|has|have|does|means?|refers|shall|must|may|will|should|can"
    r"|we|gilt|gelten|bedeute[nt]|bezeichne[nt]|ist|sind|wird|werden|muss|kann"
    r"|entend|désigne|doit|doivent|peut|est réputée?|sont|intende|intendono|indica|deve|devono|sono|sarà)\b",
    re.IGNORECASE,
)
_POINTS_BACK = frozenset(
    (
        *("this", "that", "these", "those", "it", "its", "they", "he", "she", "which", "what", "who", "there", "here"),
        *(
            "such",
            "dies",
            "diese",
            "dieser",
            "dieses",
            "es",
            "er",
            "welche",
            "was",
            "wer",
            "ce",
            "cela",
            "ceci",
            "elle",
        ),
        *("ils", "ciò", "questo", "questa", "esso", "essa", "chi"),
    )
)
_WORD = re.compile(r"[^\W_]")


def plain_term(source: str, forms: Forms) -> str:
    """The term as it is looked up: without markup, quotes, footnote marks and article; "" if nothing is left."""
    text = _TAIL.sub("", source.strip())
    text = html.unescape(plain_title(text)).replace("**", "").replace("*", "")
    text = " ".join(text.strip(_AROUND).split())
    article = forms.articles.match(text)
    bare = text[article.end() :].lstrip() if article else text
    return bare.strip(_AROUND) or text


def can_be_term(term: str) -> bool:
    """Whether the words name something, rather than point back or say a sentence."""
    words = term.split()
    if not 0 < len(words) <= MAX_TERM_WORDS or len(term) > MAX_TERM or not _WORD.search(term):
        return False
    if words[0].lower() in _POINTS_BACK and not words[0].isupper():  # IT is a department
        return False
    return not term.isdigit() and not _SENTENCE_INSIDE.search(term)


def can_stand_before_colon(term: str, forms: Forms) -> bool:
    """Whether what stands before a colon or a dash is a term, rather than a label or the begin of a sentence."""
    if not can_be_term(term) or term[0].isdigit() or term.casefold() in forms.labels:
        return False
    return _FINITE.search(term) is None
