"""Definitions that a sentence spells out: “X” means …, Als X gilt …, par X, on entend …, (the “X”)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.kinds.documents.definitions.brackets import named_in_brackets
from pincite.kinds.documents.definitions.forms import MARKED, QUOTED, SERIES, Forms
from pincite.kinds.documents.definitions.terms import can_be_term, can_stand_before_colon, plain_term
from pincite.text.sentences import sentences
from pincite.text.words import folded_words, stem
from pincite.types import Span

_SERIES = re.compile(SERIES)
_MARKED = re.compile(MARKED)
_QUOTED = re.compile(QUOTED)
_REFERENCE = re.compile(r"\s+(?:(?:the|this) )?(?:section|clause|article|art\.|annex|schedule|paragraph|part)\b", re.I)
_JOINS = re.compile(
    r"(?:[,;:(—–]|\b(?:where|whereby|while|and|or|but|case|that|term|word|expression|dass|wobei|où|dove))\s*\Z", re.I
)
"""What may stand before a quoted term in the middle of a sentence that defines it: …, where "control" means …"""
_ORDINAL_DAY = re.compile(r"\b\d{1,2}\.\Z")
_NAMES_WHAT_PRECEDES = re.compile(r"[*_]*\((?:\w+ ){0,3}[\"“„«]")
_QUALIFIED = re.compile(
    r",?\s+(?:au sens|selon|ai sensi|secondo|im Sinne|within the meaning|en particulier"
    r"|in particolare|anche|également|auch)\b.*",
    re.DOTALL,
)
"""What stands between a term and its verb and does not belong to it: « place de travail, au sens de l’art. 15 »."""
_SAME = 5
"""Letters that an adjective and the noun made from it share: Selbstständigerwerbend, Selbstständigerwerbende."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A term, where it stands, the sentence that defines it, what the sentence says before it."""

    term: str
    at: int
    sentence: int
    before: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a statement's surroundings say about it."""

    expected: bool
    """Definitions are expected: the heading promises them."""
    title: str
    """The heading without its number, where that is the number of an article or section; "" elsewhere."""
    language: str


def spoken(text: str, span: Span, forms: Forms, place: Surroundings) -> tuple[list[Spoken], list[Span]]:
    """The definitions of a statement in order, and its sentences."""
    if not forms.triggers.search(text, span.start, span.end):
        return [], [span]
    parts = _sentences(text, span, place.language)
    found: dict[tuple[str, int], Spoken] = {}
    for number, sentence in enumerate(parts):
        for source, at, said in _terms(text, sentence, forms, place, is_first=number == 0):
            term = plain_term(_QUALIFIED.sub("", source), forms)
            if can_be_term(term):
                spoken_here = Spoken(term, at, number, text[sentence.start : said])
                found.setdefault((term.casefold(), number), spoken_here)
    return sorted(found.values(), key=lambda item: item.at), parts or [span]


def _sentences(text: str, span: Span, language: str) -> list[Span]:
    """The sentences of a statement: an ordinal ("zum 18. Altersjahr") ends none, a bracket with a name opens none."""
    out: list[Span] = []
    for part in sentences(text[span.start : span.end], language):
        sentence = Span(span.start + part.start, span.start + part.end)
        ordinal = language == "de" and out and _ORDINAL_DAY.search(text, out[-1].start, out[-1].end)
        if out and (ordinal or _NAMES_WHAT_PRECEDES.match(text, sentence.start, sentence.end)):
            out[-1] = Span(out[-1].start, sentence.end)
        else:
            out.append(sentence)
    return out


def _terms(
    text: str, sentence: Span, forms: Forms, place: Surroundings, *, is_first: bool
) -> Iterator[tuple[str, int, int]]:
    """Terms as written that the sentence defines, where they stand, and the end of what may say how far that holds."""
    for pattern in forms.openings:
        if match := pattern.match(text, sentence.start, sentence.end):
            yield match["term"], match.start("term"), match.end()
    for series in _SERIES.finditer(text, sentence.start, sentence.end):
        if verb := _defines(text, sentence, series, forms, place):
            for term in _MARKED.finditer(text, series.start(), series.end()):
                yield term.group(), term.start(), verb.end()
    for name in named_in_brackets(text, sentence):
        yield text[name.start : name.end], name.start, sentence.start
    if plain := _plain(text, sentence, forms, place):
        yield plain["term"], plain.start("term"), plain.end()
    if is_first and (titled := _titled(text, sentence, forms, place)):
        yield titled["term"], titled.start("term"), titled.end()


def _defines(
    text: str, sentence: Span, series: re.Match[str], forms: Forms, place: Surroundings
) -> re.Match[str] | None:
    """The verb that defines, behind marked terms. Emphasis alone is weak: then the term must come first."""
    before = text[sentence.start : series.start()]
    opens = forms.introduction.fullmatch(before.lstrip("( \n")) is not None
    quoted = _QUOTED.match(series.group()) is not None
    if not quoted and not can_stand_before_colon(plain_term(series.group(), forms), forms):
        return None  # "**Note:** means of transport …"
    at, end = series.end(), sentence.end
    if verb := forms.marked.match(text, at, end):
        return verb if opens or (quoted and _JOINS.search(before)) else None
    if opens and quoted and (verb := forms.marked_opening.match(text, at, end)):
        return verb
    return forms.marked_listed.match(text, at, end) if opens and place.expected else None


def _plain(text: str, sentence: Span, forms: Forms, place: Surroundings) -> re.Match[str] | None:
    """An unmarked term with a verb of everyday use: taken where it is used as a name, or definitions are expected."""
    if forms.plain is None:
        return None
    introduced = forms.introduction.match(text, sentence.start, sentence.end)
    starts = {sentence.start, introduced.end() if introduced else sentence.start}
    for start in sorted(starts):
        match = forms.plain.match(text, start, sentence.end)
        if match and _is_a_name(text, match, forms, place):
            return match
    return None


def _is_a_name(text: str, match: re.Match[str], forms: Forms, place: Surroundings) -> bool:
    term, verb = match["term"], match["verb"]
    if not can_stand_before_colon(term, forms) or _REFERENCE.match(text, match.end()):
        return False
    if place.expected:
        return True
    if verb.startswith(("refer", "is", "are", "denote", "stand")):
        return match["article"] is None or not match["article"].startswith("The")
    words = [word for word in term.split() if len(word) > 3 or word[0].isupper()]
    if len(words) > 1:
        return all(word[0].isupper() for word in words)
    # A single word is a name if it keeps its capital inside sentences.
    return bool(words) and re.search(rf"[a-z,;]\s+{re.escape(term)}\b", text) is not None and term[0].isupper()


def _titled(text: str, sentence: Span, forms: Forms, place: Surroundings) -> re.Match[str] | None:
    """A term with a copula, under the number of an article whose heading names the term or promises definitions."""
    if not place.title:
        return None
    if place.expected and (match := forms.copula.match(text, sentence.start, sentence.end)):
        return match
    match = forms.titled.match(text, sentence.start, sentence.end)
    return match if match and _same(match["term"], place) else None


def _same(term: str, place: Surroundings) -> bool:
    """Whether the heading names the term, in whatever number and case."""
    words = [stem(word, place.language) for word in folded_words(term)]
    title = [stem(word, place.language) for word in folded_words(place.title)]
    return 0 < len(words) == len(title) and all(
        one == other or (min(len(one), len(other)) > _SAME and (one.startswith(other) or other.startswith(one)))
        for one, other in zip(words, title, strict=True)
    )
