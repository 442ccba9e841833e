"""Subsections: the enumerations inside a section become places with an id of their own.

    Art. 41   1 Wer …           art.41(1)        Sec. 203  (a) In general.—       203(a)
              2 Wer … , wenn:   art.41(2)                  (1) The Board …        203(a)(1)
              a. …              art.41(2)(a)     4 Delivery  4.2 Supplier shall   4.2
                                                           (a) deliver …          4.2(a)

A mark opens a level if it is the first of its kind (1, a, A, i), and otherwise continues the innermost level of its
kind that it can follow. Marks that do neither are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from pincite.kinds.options import Domain
from pincite.text.section_references import LETTER_WORDS, NUMERAL_WORDS, PARAGRAPH_WORDS, join_levels
from pincite.types import Span

MAX_DEPTH = 5

_LATIN = r"(?:bis|ter|quater|quinquies|sexies|septies|octies|novies|decies)"
_LEAD = r"^[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+)?(?:\*\*)?"
_NOTE = r"(?:\*\*)?(?:\[\^[^\]\s]{1,20}\])?"
_BRACKETS = rf"{_LEAD}(?P<brackets>(?:\((?:[A-Za-z]{{1,2}}|\d{{1,3}}[A-Za-z]{{0,2}}|[ivxIVX]{{1,5}})\))+){_NOTE}(?=\s)"
_RAISED = rf"{_LEAD}<sup>\(?(?P<raised>\d{{1,3}}(?:[a-z]|{_LATIN})?)\)?</sup>"
_PLAIN = rf"^(?P<plain>\d{{1,3}}(?:[a-z]|{_LATIN})?)[ \u00a0]+(?=[^\W\d_a-zäöüéèà]|[«„\"(])"
_DOTTED = rf"{_LEAD}(?P<dotted>[a-z](?:<sup>)?{_LATIN}?(?:</sup>)?|\d{{1,2}}|[ivx]{{1,5}})\\?[.)]{_NOTE}(?=[ \t\u00a0])"
_DECIMAL = rf"{_LEAD}(?P<decimal>\d{{1,3}}(?:\.\d{{1,3}})+)\.?{_NOTE}(?=[ \t\u00a0])"
_INLINE = r"(?<=[\s:;,—–])(?P<inline>\((?:[a-z]|[ivx]{1,5}|\d{1,2})\))(?=\s+[^\s(])"

_STYLES: dict[Domain, tuple[str, ...]] = {
    "us_legislative": (_BRACKETS, _INLINE),
    "au_legislative": (_BRACKETS, _INLINE),
    "swiss_legislative": (_RAISED, _PLAIN, _BRACKETS, _DOTTED),
    "legal_contract": (_DECIMAL, _RAISED, _BRACKETS, _DOTTED, _INLINE),
    "none": (_BRACKETS,),
    "technical": (),
    "academic": (),
}
_PATTERNS = {domain: re.compile("|".join(styles), re.MULTILINE) for domain, styles in _STYLES.items() if styles}
_POINTING = re.compile(
    rf"(?:§§?|\b(?:{PARAGRAPH_WORDS}|{LETTER_WORDS}|{NUMERAL_WORDS}|sections?|sec\.|clauses?|articles?|art\.|of|in|under))"
    r"\s*(?:\([^()\s]{1,5}\)(?:\s*(?:,|and|or|und|oder|to|bis|et|ou))*\s*)*$",
    re.IGNORECASE,
)
"""What stands before a bracket that names a place elsewhere: "paragraphs (a) and (b)"."""


@dataclass(frozen=True, slots=True)
class Subsection:
    """A place inside a section: its id, and from where to where it goes."""

    identifier: str
    span: Span
    depth: int


@dataclass(frozen=True, slots=True)
class _Mark:
    """One mark of an enumeration: how it is written, what it says."""

    style: str
    value: str
    start: int
    line: int
    """Where what stands before it ends: its line, with a bullet that may lead it."""


@dataclass(frozen=True, slots=True)
class _Level:
    style: str
    kind: str
    value: str
    id: str


def subsections(text: str, number: str, body: Span, domain: Domain, depth: int = MAX_DEPTH) -> list[Subsection]:
    """The places inside the body of a section with this number, in order of their beginning, none deeper than asked."""
    if domain not in _PATTERNS or depth <= 0:
        return []
    open_levels: list[_Level] = []
    open_places: list[Subsection] = []
    found: list[Subsection] = []
    for mark in _marks(text, body, domain):
        at = _take(open_levels, mark, number)
        if at is None:
            continue
        while len(open_places) > at:
            found.append(_ended(text, open_places.pop(), mark.line))
        open_places.append(Subsection(open_levels[-1].id, Span(mark.start, body.end), at + 1))
    found += [_ended(text, place, body.end) for place in open_places]
    kept = [place for place in found if place.depth <= depth]
    return sorted(kept, key=lambda place: (place.span.start, place.depth))


def _ended(text: str, place: Subsection, end: int) -> Subsection:
    while end > place.span.start and text[end - 1].isspace():
        end -= 1
    return replace(place, span=Span(place.span.start, end))


def _take(levels: list[_Level], mark: _Mark, number: str) -> int | None:
    """Put the mark on the stack of open levels; its depth from 0, None if it belongs to no enumeration."""
    if mark.style == "decimal":
        if not mark.value.startswith(f"{number}."):
            return None
        levels.clear()
        levels.append(_Level("decimal", "decimal", mark.value, mark.value))
        return 0
    for position in range(len(levels) - 1, -1, -1):
        level = levels[position]
        if level.style == mark.style and _follows(level, mark.value):
            del levels[position:]
            return _push(levels, mark, level.kind, number)
    kind = _first_of(mark.value)
    if kind and not any((level.style, level.kind) == (mark.style, kind) for level in levels):
        return _push(levels, mark, kind, number)
    for position in range(len(levels) - 1, -1, -1):  # a gap: something was repealed
        level = levels[position]
        if level.style == mark.style and _is_later(level, mark.value):
            del levels[position:]
            return _push(levels, mark, level.kind, number)
    return None


def _push(levels: list[_Level], mark: _Mark, kind: str, number: str) -> int:
    above = levels[-1].id if levels else number
    levels.append(_Level(mark.style, kind, mark.value, join_levels(above, (mark.value.lower(),))))
    return len(levels) - 1


# --- marks ----------------------------------------------------------------------------------------------------


def _marks(text: str, body: Span, domain: Domain) -> Iterator[_Mark]:
    found = list(_PATTERNS[domain].finditer(text, body.start, body.end))
    inline = _enumerated(text, [match for match in found if match.lastgroup == "inline"])
    for match in found:
        style = match.lastgroup or ""
        raw, start = match[style], match.start(style)
        if style == "brackets":
            for part in re.finditer(r"\(([^()]+)\)", raw):
                first = part.start() == 0
                yield _Mark("brackets", part[1], start + part.start(), match.start() if first else start + part.start())
        elif style == "inline":
            if match.start() in inline:
                yield _Mark("brackets", raw.strip("()"), start, start)
        else:
            value = raw.replace("<sup>", "").replace("</sup>", "")
            yield _Mark(style, value, _line_start(text, start, style), match.start())


def _line_start(text: str, start: int, style: str) -> int:
    """Where the place begins: a raised number with the tag around it."""
    return start - len("<sup>") - (text[start - 1] == "(") if style == "raised" else start


def _enumerated(text: str, matches: list[re.Match[str]]) -> set[int]:
    """Where brackets inside a line begin that enumerate: one of them follows the other, and none is pointed at."""
    kept: set[int] = set()
    free = [m for m in matches if not _POINTING.search(text[max(0, m.start() - 40) : m.start()].rstrip(" "))]
    for one, other in pairwise(free):
        between = text[one.end() : other.start()]
        kind = _kind_of(one["inline"].strip("()"))
        follows = _follows(_Level("", kind, one["inline"].strip("()"), ""), other["inline"].strip("()"))
        if "\n\n" not in between and follows and (one.start() in kept or _first_of(one["inline"].strip("()"))):
            kept |= {one.start(), other.start()}
    return kept


# --- sequences ------------------------------------------------------------------------------------------------

_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii",
          "xviii", "xix", "xx")  # fmt: skip
_SPLIT = re.compile(rf"(\d+|[A-Za-z])([A-Za-z]|{_LATIN})?\Z")


def _first_of(value: str) -> str:
    """The kind of enumeration that begins with this; "" if none does."""
    return {"1": "number", "a": "letter", "A": "capital", "i": "roman", "I": "ROMAN"}.get(value, "")


def _kind_of(value: str) -> str:
    if value.isdigit():
        return "number"
    return "roman" if value in _ROMAN and value != "c" else "letter"


def _rank(kind: str, value: str) -> tuple[int, str] | None:
    """Where a value stands in its enumeration, with what was inserted behind it (1bis, hbis, 2a)."""
    if kind.lower() == "roman":
        folded = value.lower()
        fits = folded in _ROMAN and (value.isupper() == (kind == "ROMAN"))
        return (_ROMAN.index(folded) + 1, "") if fits else None
    split = _SPLIT.match(value)
    if split is None:
        return None
    stem, behind = split[1], split[2] or ""
    if kind == "number":
        return (int(stem), behind) if stem.isdigit() else None
    if not stem.isalpha() or stem.isupper() != (kind == "capital"):
        return None
    if len(value) == 2 and value[0] == value[1]:  # aa behind z
        return (26 + ord(stem.lower()) - ord("a") + 1, "")
    return (ord(stem.lower()) - ord("a") + 1, behind)


def _follows(level: _Level, value: str) -> bool:
    last, new = _rank(level.kind, level.value), _rank(level.kind, value)
    if last is None or new is None:
        return False
    return (new[0] == last[0] + 1 and not new[1]) or (new[0] == last[0] and bool(new[1]) and new[1] != last[1])


def _is_later(level: _Level, value: str) -> bool:
    last, new = _rank(level.kind, level.value), _rank(level.kind, value)
    return last is not None and new is not None and last[0] < new[0] <= last[0] + 10
