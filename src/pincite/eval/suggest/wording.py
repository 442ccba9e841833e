"""Whether words say enough to be a question, and when two wordings are the same."""

from __future__ import annotations

import re

from pincite.text.fold import clean, fold
from pincite.text.stopwords import STOPWORDS
from pincite.text.words import folded_words, is_unspaced, stem

LONG_WORD = 8
"""A single word this long ("Fristerstreckung") says as much as two short ones."""
UNSPACED_CHARS = 4
MAX_WORDS = 20
"""Longer headings are sentences; nobody types them."""

_GENERIC = """
    about additional allgemein allgemeine allgemeiner allgemeines annex annexe anhang anlage appendix application
    background before begin begriffe bemerkung bemerkungen bestimmungen beispiel beispiele cleaning cleanup conclusion
    conclusioni conclusions contents definition definitionen definitions definizioni description
    beschreibung descrizione dispositions disposizioni documentation einführung einleitung example examples exemple
    exemples esempi esempio fazit finali finales further general generale generali generalità generalities généralités
    geltungsbereich gegenstand grundsatz grundsätze hintergrund hinweis hinweise informationen information
    inhalt inhaltsverzeichnis introduction introduzione links miscellaneous next nota notes notice overview objectives
    panoramica préambule preamble premessa premesse principes principles prerequisites prérequis provisions purpose
    reading references referenzen remarques requirements résumé riassunto riferimenti schluss schlussbestimmungen
    know see also scope section sommaire sommario sonstiges steps summary terms troubleshooting übersicht überblick
    verschiedenes things vorbemerkung vorbemerkungen voraussetzungen weiterführende what's whats zusammenfassung zweck
"""
_GENERIC_WORDS = frozenset(map(fold, _GENERIC.split()))
"""Words that head a section in every second document. A title of nothing else asks for no place in particular."""

_POINTING = frozenset(
    """
    click here|read more|learn more|see here|see below|more info|more information|further information|this page
    this document|this section|this guide|next page|previous page|next section|previous section|back to top
    table of contents|following section|these instructions|official documentation|source code|release notes
    hier klicken|mehr erfahren|weitere informationen|siehe unten|siehe oben|diese seite|nächste seite|nach oben
    cliquez ici|en savoir plus|voir plus|lire la suite|plus d'informations|cette page|voir ci-dessous
    clicca qui|per saperne di più|maggiori informazioni|questa pagina|vedi sotto
    """.strip().replace("\n", "|").split("|")
)  # fmt: skip

_WORD = re.compile(r"[^\W\d_]+")
_SYNTAX = re.compile(r"\{\{|\}\}|\{%|%\}|<[a-z/]|https?:|www\.", re.IGNORECASE)
"""Templates, tags and addresses that no reader sees or types."""


_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "le", "la", "les", "l", "il", "lo", "gli", "i"})


def same(text: str) -> str:
    """The form in which wordings are compared: folded words, no punctuation, no article, roughly stemmed.

    By the same rules for all languages: a title that a translation left in English must meet the original.
    """
    words = folded_words(text)
    said = words[1:] if words[:1] and words[0] in _ARTICLES else words
    return " ".join(stem(word, "en") for word in said)


_POINTERS = frozenset(same(phrase.strip()) for phrase in _POINTING)


def says_something(text: str, language: str) -> bool:
    """Whether a title could be a question: two content words or a long one, not all of them commonplace."""
    words = content_words(text, language)
    if _SYNTAX.search(text) or len(text.split()) > MAX_WORDS or all(fold(word) in _GENERIC_WORDS for word in words):
        return False
    if any(is_unspaced(word) for word in words):
        return sum(map(len, words)) >= UNSPACED_CHARS
    return len(words) >= 2 or any(len(word) >= LONG_WORD for word in words)


def points_only(text: str) -> bool:
    """Whether the words of a link say no more than that there is something behind it."""
    return same(text) in _POINTERS


def content_words(text: str, language: str) -> list[str]:
    """The words of a text that are not function words of its language, of any language when that is unknown."""
    known = STOPWORDS.get(language)
    words = [word.lower() for word in _WORD.findall(clean(text)) if len(word) > 1 or is_unspaced(word)]
    if known is not None:
        return [word for word in words if word not in known]
    return [word for word in words if not any(word in listed for listed in STOPWORDS.values())]
