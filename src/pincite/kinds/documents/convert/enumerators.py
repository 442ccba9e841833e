"""Numbers at the head of a line ("IV.", "2.1", "(3)", "a)"): which kind they are and which one comes next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_uppercase

from pincite.kinds.documents.numbering import heading_number

_FORMS = (
    ("decimal", re.compile(r"\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Z]?)+\.?(?=\s)")),
    ("roman", re.compile(r"[IVX]{1,6}[.)](?=\s)")),
    ("letter", re.compile(r"[A-Z][.)](?=\s)")),
    ("integer", re.compile(r"\d{1,3}[A-Z]?[.)](?=\s)")),
    ("bare", re.compile(r"\d{1,2}(?=\s+[^\W\d_a-z])")),
    ("bracket", re.compile(r"\(\d{1,3}\)(?=\s)")),
    ("small", re.compile(r"\(?[a-z]\)(?=\s)")),
)
_ROMAN = {"I": 1, "V": 5, "X": 10}


@dataclass(frozen=True, slots=True)
class Enumerator:
    """What a line begins with."""

    form: str
    end: int
    value: int = 0
    """The last number of it; 0 where an order means nothing."""
    depth: int = 0
    """How many numbers it has, for plain and decimal ones; 0 for all other forms."""
    rank: int = 0
    """How deep the word that announces it lies by custom: parts above sections, sections above articles."""
    is_keyword: bool = False
    """Whether a word or sign announces it (Art., §, Section)."""


def enumerator(line: str) -> Enumerator | None:
    """The number at the head of the line, if there is one."""
    announced = heading_number(line)
    if announced and announced.keyword:
        word = re.match(r"[^\W\d]+|§+", line)
        return Enumerator(
            word.group().casefold() if word else "keyword", announced.end, rank=announced.depth, is_keyword=True
        )
    for form, pattern in _FORMS:
        if match := pattern.match(line):
            number = match.group().strip(".()")
            return Enumerator(form, match.end(), _value(form, number), _depth(form, number))
    return None


def _depth(form: str, number: str) -> int:
    return number.count(".") + 1 if form in ("decimal", "integer", "bare") else 0


def _value(form: str, number: str) -> int:
    if form == "roman":
        digits = [_ROMAN[sign] for sign in number]
        return sum(-d if d < max(digits[at:]) else d for at, d in enumerate(digits))
    if form in ("letter", "small"):
        return ord(number.lower()) - ord("a") + 1
    return int(number.rpartition(".")[2].rstrip(ascii_uppercase))
