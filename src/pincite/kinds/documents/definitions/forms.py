"""The forms in which one language defines. Each language file fills one `Forms`; `known` picks those of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTED = r"[*_]{0,3}[\"“„«][ \u00a0\u202f]?[*_]{0,3}[^\"“”„«»\n*]{1,100}?[*_]{0,3}[ \u00a0\u202f]?[\"”“»][*_]{0,3}"
_STRESSED = r"\*\*[^*\n]{1,100}?\*\*|(?<![\w*])\*[^*\s][^*\n]{0,100}?\*(?![*\w])|(?<!\w)_[^_\n]{1,100}?_(?!\w)"
MARKED = rf"(?:{_QUOTED}|{_STRESSED})"
"""A term that quotes or emphasis set apart."""
QUOTED = rf"(?:{_QUOTED})"
_JOINED = r"(?:\s*,)?(?:\s*(?:and|or|und|oder|et|ou|e|ed|o))?(?:\s+(?:the|an?|der|die|das|le|la|les|il|lo|i|gli))?\s*"
SERIES = rf"{MARKED}(?:{_JOINED}{MARKED}){{0,5}}"
"""Several terms that one verb defines: “We”, “us” and “our” refer to …"""


def pattern(text: str) -> re.Pattern[str]:
    """A pattern that is written with single blanks and meets white space; bounded, so that no text takes long."""
    return re.compile(text.replace(" ", r"\s{1,20}").replace(r"\s*", r"\s{0,20}"))


@dataclass(frozen=True, slots=True)
class Forms:
    """How one language defines. Patterns with a group `term` name it; the others stand right behind a marked term."""

    marked: re.Pattern[str]
    """Verbs that define a quoted term wherever it stands, and an emphasised one that opens its sentence."""
    marked_opening: re.Pattern[str]
    """Weaker verbs, enough where a quoted term opens its sentence: “X” is any …"""
    marked_listed: re.Pattern[str]
    """Verbs that define only where definitions are expected: “X” includes …"""
    openings: tuple[re.Pattern[str], ...]
    """Whole forms without marks, from the start of a sentence: Als X gilt …"""
    plain: re.Pattern[str] | None
    """An unmarked term that opens its sentence, with a verb that also has everyday uses: X means …"""
    titled: re.Pattern[str]
    """An unmarked term with a copula, where the number of an article stands above and its heading names the term."""
    copula: re.Pattern[str]
    """The same where numbered paragraphs stand under a heading that promises definitions: less is asked of the rest."""
    introduction: re.Pattern[str]
    """What may stand between the start of a sentence and its term: articles, "the term", "in this policy,"."""
    lead_in: re.Pattern[str]
    """The end of a statement that announces a list of definitions."""
    exception: re.Pattern[str]
    """A sentence that goes on with what the definition before it takes in or leaves out."""
    glossary: re.Pattern[str]
    """A heading that promises definitions and little else."""
    among: re.Pattern[str]
    """A heading that promises definitions among other things."""
    part: re.Pattern[str]
    section: re.Pattern[str]
    """Where a definition says that it holds for a part, or for its section, only."""
    articles: re.Pattern[str]
    labels: frozenset[str]
    """Words before a colon that announce a remark, not a meaning."""
    triggers: re.Pattern[str]
    """At least one of these stands in every sentence that defines; all others need no closer look."""


def known(*languages: str) -> tuple[Forms, ...]:
    """The forms of the languages, or of all that are known where none of them is."""
    from pincite.kinds.documents.definitions import english, french, german, italian

    forms = {"en": english.FORMS, "de": german.FORMS, "fr": french.FORMS, "it": italian.FORMS}
    chosen = {language: forms[language] for language in languages if language in forms}
    return tuple((chosen or forms).values())
