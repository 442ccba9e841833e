"""Which lines of printed pages are headings, and how deep: from structure, then numbering, then bold type.

In doubt a line is no heading: a missed one costs a coarser passage, a false one names a place that does not exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.kinds.documents.convert.enumerators import Enumerator, enumerator
from pincite.kinds.documents.convert.pages import Block, fold

MAX_WORDS = 15
_MAX_LINES = 3
_CAPTION = re.compile(
    r"(?:table|tabelle|tab\.|tableau|tabella|figure|fig\.|abbildung|abb\.|figura|grafik|image|box)\s*[\dIVX]",
    re.IGNORECASE,
)
_ENDS_SENTENCE = (".", ",", ";", ":", "!")
_ENDS_PARAGRAPH = (".", "!", "?", ":", ";", ")", "”", '"')
_BULLET = re.compile(r"[•◦▪‣●○■□–—\-*※①-⑳]")
_REFERENCE = re.compile(
    r"(?:abs\.|absatz|lit\.|al\.|cpv\.|ziff\.|para|of\b|and\b|und\b|et\b|or\b|oder\b)", re.IGNORECASE
)
_BRACKETS = re.compile(r"\([^()]*\)")
_CONTINUES = re.compile(r"[a-zà-öø-ÿ]")


@dataclass(frozen=True, slots=True)
class _Found:
    page: int
    line: int
    count: int
    level: int
    """As structure says it; 0 where numbering or type must say it."""
    number: Enumerator | None


def find_headings(pages: list[tuple[str, ...]], blocks: list[Block]) -> list[dict[int, tuple[int, int]]]:
    """For each page: first line of a heading → (level 1 to 6, how many lines it takes)."""
    found: dict[tuple[int, int], _Found] = {}
    trusted = _structure_is_trusted(blocks)
    for block in blocks:
        if not (block.level or block.bold) or block.page > len(pages):
            continue
        place = _place(pages[block.page - 1], block)
        if place is None or (block.page - 1, place[0]) in found:
            continue
        line, count = place
        number = enumerator(pages[block.page - 1][line])
        if not block.level and _is_label(pages[block.page - 1], line, count, number):
            continue
        if block.level and not trusted and number is None:
            continue
        level = block.level if trusted else 0
        found[block.page - 1, line] = _Found(block.page - 1, line, count, level, number)
    _add_numbered(pages, found)
    return _levels(len(pages), [found[key] for key in sorted(found)])


def _structure_is_trusted(blocks: list[Block]) -> bool:
    """Not where every other block is called a heading: then type sizes said nothing."""
    headings = sum(block.level > 0 for block in blocks)
    return headings < 8 or 2 * headings <= len(blocks) - headings


# --- structure and type ---------------------------------------------------------------------------------------


def _place(lines: tuple[str, ...], block: Block) -> tuple[int, int] | None:
    """First line and number of lines of the block on its page, if they read like a title."""
    wanted = fold(block.text)
    if not wanted:
        return None
    for at, line in enumerate(lines):
        number = enumerator(line)
        for start in {0, number.end if number else 0}:
            said = fold(line[start:])
            if not said or not wanted.startswith(said):
                continue
            if found := _first_lines(lines, at, start, wanted):
                return found
            if said != wanted and block.level and reads_like_title(line) and _is_prose(block.text, line):
                return at, 1
    return None


def _first_lines(lines: tuple[str, ...], at: int, start: int, wanted: str) -> tuple[int, int] | None:
    """The lines from here on that say what is wanted, if together they are a title."""
    said = fold(lines[at][start:])
    for count in range(1, _MAX_LINES + 1):
        if said == wanted:
            title = " ".join(lines[at : at + count])
            wraps = count == 1 or len(lines[at]) >= 0.85 * _usual_length(lines)
            return (at, count) if wraps and reads_like_title(title) and not _goes_on(lines, at + count) else None
        if at + count >= len(lines):
            return None
        said += fold(lines[at + count])
    return None


def _usual_length(lines: tuple[str, ...]) -> int:
    return sorted(map(len, lines))[len(lines) // 2]


def _is_prose(text: str, title: str) -> bool:
    """Whether a sentence follows the title in the same block: the converter ran them together."""
    words = text.split()[len(title.split()) :]
    return len(words) >= 8 and sum(word[0].islower() for word in words) >= 0.7 * len(words)


def _goes_on(lines: tuple[str, ...], at: int) -> bool:
    """Whether the next line continues a sentence."""
    return at < len(lines) and _CONTINUES.match(lines[at]) is not None and enumerator(lines[at]) is None


def _is_label(lines: tuple[str, ...], at: int, count: int, number: Enumerator | None) -> bool:
    """Whether a bold line is a label or emphasis rather than a heading."""
    title = " ".join(lines[at : at + count])
    if number is not None:
        return False
    return ": " in title or "@" in title or title[:1] in "[(" or at + count >= len(lines)


def reads_like_title(line: str) -> bool:
    """Whether a line can be a title: short, no end of a sentence, no bullet, no caption."""
    number = enumerator(line)
    title = line[number.end :].strip(" \t.:–—-") if number else line.strip()
    if not title:
        return number is not None and number.is_keyword
    if number and number.is_keyword and _REFERENCE.match(title):
        return False
    if title[0].islower() or _BULLET.match(line) or _CAPTION.match(line):
        return False
    if ";" in _BRACKETS.sub("", title):
        return False
    letters = sum(sign.isalpha() for sign in title)
    return letters >= 2 and len(title.split()) <= MAX_WORDS and not line.rstrip().endswith(_ENDS_SENTENCE)


# --- numbering ------------------------------------------------------------------------------------------------


def _add_numbered(pages: list[tuple[str, ...]], found: dict[tuple[int, int], _Found]) -> None:
    """Numbered lines that are headings by their number: announced by a word, decimal, or next of a known series."""
    series = {heading.number.form for heading in found.values() if heading.number}
    last: dict[str, int] = {}
    """The newest number of each form, outermost first: a heading ends the series that began below it."""
    for page, lines in enumerate(pages):
        for at, line in enumerate(lines):
            known = found.get((page, at))
            number = known.number if known else enumerator(line)
            if number is None:
                last = {} if known else last
                continue
            if known is None:
                if not _stands_alone(lines, at, number) or not _is_expected(number, series, last):
                    continue
                found[page, at] = _Found(page, at, 1, 0, number)
            forms = list(last)
            kept = forms[: forms.index(number.form)] if number.form in last else forms
            last = {form: last[form] for form in kept} | {number.form: number.value}


def _is_expected(number: Enumerator, series: set[str], last: dict[str, int]) -> bool:
    if number.is_keyword:
        return True
    if number.form == "decimal":
        return number.form in series or number.value == last.get(number.form, 0) + 1
    return number.form in series and number.value == last.get(number.form, 0) + 1


def _stands_alone(lines: tuple[str, ...], at: int, number: Enumerator) -> bool:
    """Whether a line is a title between two paragraphs rather than a wrapped line or one of a list."""
    line = lines[at]
    if not reads_like_title(line) or _goes_on(lines, at + 1) or at + 1 >= len(lines):
        return False
    following = enumerator(lines[at + 1])
    if following and following.form == number.form and not number.is_keyword:
        return False
    before = lines[at - 1] if at else ""
    if not before or before.endswith(_ENDS_PARAGRAPH) or (enumerator(before) and reads_like_title(before)):
        return True
    # A paragraph that ends without a sign ends in a short line, and a title under it is short, too.
    usual = _usual_length(lines)
    return len(before) < 0.75 * usual and (number.is_keyword or len(line) <= max(20, 0.9 * usual))


# --- levels ---------------------------------------------------------------------------------------------------


def _levels(pages: int, headings: list[_Found]) -> list[dict[int, tuple[int, int]]]:
    """Levels without gaps: a heading is as deep as the headings above it that it does not end."""
    out: list[dict[int, tuple[int, int]]] = [{} for _ in range(pages)]
    above: list[_Found] = []
    for heading in headings:
        while above and _ends(heading, above):
            above.pop()
        above.append(heading)
        out[heading.page][heading.line] = (min(6, len(above)), heading.count)
    return out


def _ends(heading: _Found, above: list[_Found]) -> bool:
    """Whether the heading ends the section of the last one above it."""
    last = above[-1]
    if heading.number and last.number and heading.number.depth and last.number.depth:
        return last.number.depth >= heading.number.depth
    if heading.level and last.level:
        return last.level >= heading.level
    return any(_same_kind(heading, other) for other in above)


def _same_kind(one: _Found, other: _Found) -> bool:
    if one.number and other.number and one.number.form == other.number.form:
        return True
    return one.number is None and other.number is None and one.level == other.level
