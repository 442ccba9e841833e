"""A definition's own words ask for the term: "any day on which you would normally work" → where working day is defined.

Recognised are a quoted or bold term and, right behind it, a verb that defines ("means", "bezeichnet", "désigne", "si
intende"), where the term opens its sentence. "Note: …" and "Payment Terms" are not definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.eval.suggest.choose import SuggestedQuestion
from pincite.eval.suggest.wording import content_words, same
from pincite.text.sentences import sentences
from pincite.text.titles import plain_title
from pincite.text.words import folded_words, stem
from pincite.types import Definition

if TYPE_CHECKING:
    from pincite.eval.suggest.survey import Sketch

MAX_QUERY_WORDS = 25
MIN_CLAUSE_WORDS = 8
"""A long definition is cut at the last comma that leaves this many words, else at the word."""
MIN_CONTENT_WORDS = 4
MAX_TERM_WORDS = 6

_TERM = (
    r"(?:\*\*[\"“„«]?(?P<bold>[^*\n\"“”„«»]{2,60})[\"”“»]?:?\*\*"
    r"|\"\**(?P<straight>[^\"*\n]{2,60})\**\"|[“„]\**(?P<curly>[^“”„*\n]{2,60})\**[”“]"
    r"|«\s?\**(?P<angled>[^«»*\n]{2,60}?)\**\s?»)"
)
_VERB = (
    r"(?:(?:shall\s+)?means?|refers?\s+to|(?:is|are)\s+defined\s+as"
    r"|bedeutet|bedeuten|bezeichnet|bezeichnen|gilt\s+als|gelten\s+als"
    r"|désigne(?:nt)?|signifie(?:nt)?|s['’]entend(?:ent)?(?:\s+(?:de|comme))?|on\s+entend"
    r"|significa|significano|indica|indicano|si\s+intend(?:e|ono))"
)
_DEFINES = re.compile(rf"{_TERM}(?:\s*\([^()\n]{{1,60}}\))?,?\s+{_VERB}(?!\w)[,:]?\s+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;:]\s+|\n[ \t]*\r?\n|\n(?=[ \t]*(?:[-*+>|]|\d+[.)]|\([a-z0-9]{1,3}\))[ \t])|\A")
_ITEM = re.compile(r"(?:[-*+>|#]+|\(?[a-z0-9]{1,4}[.)]|\d+(?:\.\d+)*[a-z]?\.?|[A-Z]\.\d+|[–—])\s+", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?:the|a|an|term|word|expression|der|die|das|als|begriff|ausdruck|le|la|les|l['’]expression|terme|par|on|il|lo"
    r"|termine|per|con|espressione|un|une|una|ein|eine)\s+)*",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r"(?:\S+\s+){0,9}\S+,\s*")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\r?\n|\n(?=[ \t]*(?:[-*+>|#]|\d+[.)])[ \t])")
_ENUMERATION = re.compile(r"(?:,?\s+including)?\s*:?\s*\((?:a|i|1)\)\s", re.IGNORECASE)
_NO_MEANING = re.compile(
    r"(?:that|dass|daß|que|qu['’]|che)\b|.*(?:\b(?:following|folgende|suivant|seguent)|https?:)", re.I
)
"""A consequence ("means that …"), an announcement, an address: none says what the thing is."""
_MAX_DEFINIENS = 800
_LABELS = frozenset({"note", "notes", "hinweis", "remarque", "nota", "important", "warning", "example", "beispiel"})


@dataclass(frozen=True, slots=True)
class Defined:
    """A term, what it is said to mean without naming it, and the section that says so."""

    term: str
    meaning: str
    section_id: str
    language: str


def definitions(sketches: Sequence[Sketch]) -> Iterator[SuggestedQuestion]:
    """Meanings of terms that are defined in one place only: two definitions of a term answer the same question."""
    places: dict[str, set[tuple[str, str]]] = {}
    for sketch in sketches:
        for defined in sketch.defined:
            for key in (f"term {same(defined.term)}", f"meaning {same(defined.meaning)}"):
                places.setdefault(key, set()).add((sketch.element_id, defined.section_id))
    for sketch in sketches:
        seen: set[str] = set()
        for defined in sketch.defined:
            term = same(defined.term)
            alone = max(len(places[f"term {term}"]), len(places[f"meaning {same(defined.meaning)}"])) == 1
            if alone and term not in seen and _asks(defined):
                seen.add(term)
                yield SuggestedQuestion(
                    "definition", defined.meaning, sketch.element_id, defined.section_id, defined.language, defined.term
                )


def given_definition(given: Definition, section_id: str, language: str) -> Defined:
    """A definition that the kind of source has found itself."""
    match = _DEFINES.search(given.text)
    text = given.text[match.end() :] if match else given.text
    return Defined(given.term, _meaning(text, language), section_id, language)


def recognise(text: str, section_id: str, language: str) -> Iterator[Defined]:
    """The definitions that a passage spells out."""
    for match in _DEFINES.finditer(text):
        term = plain_title(next(filter(None, match.group("bold", "straight", "curly", "angled")))).strip(" :,")
        if not _opens_sentence(text, match.start()) or len(term.split()) > MAX_TERM_WORDS or term.lower() in _LABELS:
            continue
        yield Defined(term, _meaning(text[match.end() : match.end() + _MAX_DEFINIENS], language), section_id, language)


def _opens_sentence(text: str, at: int) -> bool:
    """Whether nothing but a number, an article or a short introduction ("In this policy, ") stands before the term."""
    before = text[max(0, at - 200) : at]
    start = max((match.end() for match in _SENTENCE_END.finditer(before)), default=0)
    lead = before[start:].lstrip()
    if item := _ITEM.match(lead):
        lead = lead[item.end() :]
    return _LEAD.fullmatch(lead) is not None or _INTRODUCTION.fullmatch(lead) is not None


def _meaning(text: str, language: str) -> str:
    """The first sentence, without markup, no longer than a question; "" if it says no meaning."""
    paragraph = _PARAGRAPH_END.split(text, maxsplit=1)[0]
    spans = sentences(paragraph, language)
    first = plain_title(paragraph[spans[0].start : spans[0].end]) if spans else ""
    if first.endswith(":") or _NO_MEANING.match(first):
        return ""
    words = _ENUMERATION.split(first, maxsplit=1)[0].rstrip(" .;,").split()
    if len(words) <= MAX_QUERY_WORDS:
        return " ".join(words)
    kept = words[:MAX_QUERY_WORDS]
    clauses = [n for n, word in enumerate(kept, start=1) if word[-1] in ",;" and n >= MIN_CLAUSE_WORDS]
    if clauses:
        return " ".join(kept[: clauses[-1]]).rstrip(" ,;")
    while kept and not content_words(kept[-1], language):
        kept.pop()
    return " ".join(kept)


def _asks(defined: Defined) -> bool:
    """Whether the meaning says enough to be asked, and does not name the term."""
    if len(content_words(defined.meaning, defined.language)) < MIN_CONTENT_WORDS:
        return False
    term = _stems(defined.term, defined.language)
    said = _stems(defined.meaning, defined.language)
    named = any(said[at : at + len(term)] == term for at in range(len(said) - len(term) + 1))
    compounded = len(term) == 1 and len(term[0]) > 4 and any(term[0] in word for word in said)
    return bool(term) and not named and not compounded


def _stems(text: str, language: str) -> list[str]:
    return [stem(word, language) for word in folded_words(text)]
