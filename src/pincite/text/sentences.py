"""The sentences of a text, as spans.

`sentencex` finds the boundaries; two steps follow. Its segments are looked up in the text, because it sometimes drops
characters (observed: a newline every ten thousand characters). And boundaries after a legal abbreviation are removed:
"Art. 41 Abs. 1" is one place, not three sentences.
"""

from __future__ import annotations

import re

import sentencex  # type: ignore[import-untyped]

from pincite.types import Span

ABBREVIATIONS = {
    "de": """
        abs art bd bst bzw ca ders dgl dies e einschl erw etc evtl f ff fn ggf hrsg inkl lit n nr rz s seite st str
        u.u usw v z ziff zit b o.g a.a.o m.e z.t
    """,
    "en": """
        art arts ch cl ed eds et al etc fig id inc no nos op p para paras pp reg sch sec secs v vol u.s u.k ltd co
        corp subd subsec cit
    """,
    "es": "art arts apdo cap ej etc fig inc núm no p pág págs párr ss vol",
    "fr": "al art ch chap consid ed éd etc ex fig let lit n no nos op p par pp s ss v vol cit resp",
    "it": "all art artt cap consid cpv ecc ed es fig lett lit n nn no num pag pagg par p pp s seg segg sez ss v vol",
    "nl": "art blz e.d enz etc evt fig incl jl lid nr nrs p par resp",
    "pt": "al art arts cap ex etc fig inc n no núm p pág págs ss vol",
    "ro": "alin art cap ex etc fig lit nr p pag pct sec vol",
}
"""Abbreviations by language, in lower case, without their last full stop. An abbreviation followed by a number or a
lower-case word does not end a sentence. Texts mix languages, so all lists always apply."""

NEVER_LAST = """
    vgl insb gem sog prof dr z v z.b d.h i.d.r i.e i.s.v i.v.m m.a.w m.w.h s.a u.a v.a
    cf cfr e.g eg ie viz vs mr mrs ms jr mme mm c.-à-d dott sig sigg sr sra sres dra bijv bv dhr mevr i.p.v m.b.t o.a
    t.a.v t.o.v zgn dl dna
"""
"""Abbreviations that need a continuation: they never end a sentence, whatever comes next."""

_ABBREVIATIONS = frozenset(word for words in ABBREVIATIONS.values() for word in words.split())
_NEVER_LAST = frozenset(NEVER_LAST.split())
_LAST_WORD = re.compile(r"(?:^|[\s(\[«„\"'’])([^\s(\[«„\"'’]{1,12})\.\s*\Z")
_ONE_LETTER = re.compile(r"\b[^\W\d_]\Z")
_BOUNDARY = re.compile(r"(?<=[.!?…。！？])[\"'»“”’)\]]*\s+|\s*\n\s*\n\s*")
_NEVER_FIRST = frozenset(",;:)]")
_LOOK_BACK = 20
_BLANK_LINE = re.compile(r"\n[^\S\n]*\r?\n|\r\r")


def sentences(text: str, language: str = "") -> list[Span]:
    """The sentences of the text in order, without overlap and without white space at either end.

    Only white space lies between them. `language` is an ISO 639-1 code; unknown codes are treated as English. Never
    raises, whatever the text.
    """
    spans: list[Span] = []
    for start, end in _segments(text, language or "en"):
        start, end = _trimmed(text, start, end)
        if start == end:
            continue
        if spans and _continues(text, spans[-1], start):
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
    return spans


def _segments(text: str, language: str) -> list[tuple[int, int]]:
    """Segments that cover the text: sentencex's if all are found in it, otherwise those of a plain splitter."""
    try:
        found = sentencex.segment(language, text)
    except (ValueError, RuntimeError):  # it does not accept a lone surrogate
        return _plain_segments(text)
    starts: list[int] = []
    at = 0
    for segment in found:
        body = segment.strip()
        if not body:
            continue
        start = text.find(body, at)
        if start < 0 or text[at:start].strip():
            return _plain_segments(text)
        starts.append(start)
        at = start + len(body)
    if text[at:].strip():
        return _plain_segments(text)
    return list(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else []


def _plain_segments(text: str) -> list[tuple[int, int]]:
    """Segments that end after sentence-ending punctuation or at a blank line."""
    ends = [match.end() for match in _BOUNDARY.finditer(text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _continues(text: str, before: Span, start: int) -> bool:
    """Whether the boundary before `start` is false because the sentence before it ends in an abbreviation."""
    if _BLANK_LINE.search(text, before.end, start):
        return False
    following = text[start]
    if following in _NEVER_FIRST:
        return True
    match = _LAST_WORD.search(text[max(before.start, before.end - _LOOK_BACK) : before.end])
    if match is None:
        return False
    word = match.group(1).lower()
    if word in _NEVER_LAST or (before.end == start and len(word) == 1):  # the i. of "i.V.m."
        return True
    known = word in _ABBREVIATIONS or _ONE_LETTER.search(word) is not None
    return known and (following.islower() or following.isdigit())
