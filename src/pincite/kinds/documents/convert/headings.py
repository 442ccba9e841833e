"""Which lines of printed pages are headings, and how deep: from structure, then numbering, then bold type.

In doubt a line is not a heading: a missed one costs a coarser passage, a false one names a place that does not exist.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from pincite.kinds.documents.convert.enumerators import Enumerator, enumerator
from pincite.kinds.documents.convert.pages import PageBlock, fold

MAX_WORDS = 15
_TYPED_WORDS = 24
_PLAIN_WORDS = _ENDED_WORDS = 8
_MAX_LINES = 4
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
_LABEL = re.compile(r"[^\W\d]+:\s")
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


def find_headings(
    pages: list[tuple[str, ...]], blocks: list[PageBlock], title: str = ""
) -> list[dict[int, tuple[int, int]]]:
    """For each page: first line of a heading → (level 1 to 6, how many lines it takes).

    With the title that the file states, the lines of the first page that say it are a heading, too.
    """
    placed = list(_placed(pages, blocks))
    trusted = _structure_is_trusted(pages, blocks, placed)
    found: dict[tuple[int, int], _Found] = {}
    for block, (line, count) in placed:
        page = block.page - 1
        number = enumerator(pages[page][line])
        if block.level == 0 and _is_label(pages[page], line, count, number):
            continue
        if block.level and not trusted and (number is None or not reads_like_title(pages[page][line])):
            continue
        found.setdefault((page, line), _Found(page, line, count, block.level if trusted else 0, number))
    if place := _stated(pages, title):
        found.setdefault((0, place[0]), _Found(0, *place, 1 if trusted else 0, None))
    _add_numbered(pages, found)
    return _levels(len(pages), [found[key] for key in sorted(found)])


def _structure_is_trusted(
    pages: list[tuple[str, ...]], blocks: list[PageBlock], placed: list[tuple[PageBlock, tuple[int, int]]]
) -> bool:
    """Not where every other block is called a heading and they begin amid paragraphs: then sizes said nothing."""
    headings = sum(block.level > 0 for block in blocks)
    if headings < 8 or 2 * headings <= len(blocks) - headings:
        return True
    levels = {(block.page, line + count): block.level for block, (line, count) in placed}
    amid = sum(
        not _begins_paragraph(pages[block.page - 1], line) and levels.get((block.page, line), 9) >= block.level
        for block, (line, _) in placed
        if block.level
    )
    lost = headings - sum(block.level > 0 for block, _ in placed)
    return 4 * (amid + lost) <= headings


def _stated(pages: list[tuple[str, ...]], title: str) -> tuple[int, int] | None:
    """The lines of the first page that say the title and nothing else; the last such ones, below a running head."""
    wanted, found = fold(title), None
    for at in range(len(pages[0]) if pages and wanted else 0):
        said = ""
        for count, line in enumerate(pages[0][at : at + _MAX_LINES], 1):
            said += fold(line)
            if said == wanted:
                found = at, count
    return found


# --- structure and type ---------------------------------------------------------------------------------------


def _placed(pages: list[tuple[str, ...]], blocks: list[PageBlock]) -> Iterator[tuple[PageBlock, tuple[int, int]]]:
    """The headings that the converter sees, each with its first line on the page and the number of its lines."""
    after = (0, 0)
    for block in blocks:
        if not (block.level or block.bold) or block.page > len(pages):
            continue
        lines = pages[block.page - 1]
        for piece in _pieces(block):
            start = after[1] if after[0] == block.page else 0
            place = _place(lines, piece, start) or (_place(lines, piece, 0) if start else None)
            if place is not None:
                after = (block.page, sum(place))
                yield piece, place


def _pieces(block: PageBlock) -> Iterator[PageBlock]:
    """The block, or its parts where a number amid it begins another heading."""
    pieces: list[str] = []
    for line in block.text.split("\n"):
        number = enumerator(line)
        if pieces and (number is None or number.form in ("bare", "small")):
            pieces[-1] += f"\n{line}"
        else:
            pieces.append(line)
    if len(pieces) > _MAX_LINES or not all(reads_like_title(piece, typed=True) for piece in pieces):
        pieces = [block.text]
    return (replace(block, text=piece) for piece in pieces)


def _place(lines: tuple[str, ...], block: PageBlock, start: int) -> tuple[int, int] | None:
    """First line and number of lines of the block on its page, if they read like a title."""
    wanted = fold(block.text)
    if not wanted:
        return None
    for at in range(start, len(lines)):
        line = lines[at]
        number = enumerator(line)
        for skipped in {0, number.end if number else 0}:
            said = fold(line[skipped:])
            if not said or not wanted.startswith(said):
                continue
            if found := _first_lines(lines, at, skipped, wanted, block):
                return _below_running_head(lines, *found)
            if said != wanted and block.level and reads_like_title(line) and _is_prose(block.text, line):
                return at, 1
    return None


def _first_lines(
    lines: tuple[str, ...], at: int, skipped: int, wanted: str, block: PageBlock
) -> tuple[int, int] | None:
    """The lines from here on that say what is wanted, if together they are a title."""
    said = fold(lines[at][skipped:])
    for count in range(1, _MAX_LINES + 1):
        if said == wanted:
            title = lines[at : at + count]
            reads = reads_like_title(" ".join(title), typed=True, sized=block.level > 0)
            wraps = _wraps(title, block.room or _usual_length(lines))
            return (at, count) if reads and wraps and not _goes_on(lines, at + count) else None
        if at + count >= len(lines):
            return None
        said += fold(lines[at + count])
    return None


def _wraps(title: tuple[str, ...], room: float) -> bool:
    """Whether each line but the last is full: the next word would not have fitted."""
    return all(len(line) + len(below.split()[0]) >= 0.85 * room for line, below in pairwise(title))


def _below_running_head(lines: tuple[str, ...], at: int, count: int) -> tuple[int, int]:
    """The same words in the next lines are the heading, and these the running head that repeats it."""
    repeated = fold("".join(lines[at : at + count])) == fold("".join(lines[at + count : at + 2 * count]))
    return (at + count, count) if at == 0 and repeated else (at, count)


def _usual_length(lines: tuple[str, ...]) -> int:
    return sorted(map(len, lines))[len(lines) // 2] if lines else 0


def _full_length(lines: tuple[str, ...]) -> int:
    """How long a line is that fills its column: most are shorter where headings and lists are many."""
    return sorted(map(len, lines))[len(lines) * 9 // 10] if lines else 0


def _is_prose(text: str, title: str) -> bool:
    """Whether a sentence follows the title in the same block: the converter ran them together."""
    words = text.split()[len(title.split()) :]
    return len(words) >= 8 and sum(word[0].islower() for word in words) >= 0.7 * len(words)


def _goes_on(lines: tuple[str, ...], at: int) -> bool:
    """Whether a line continues the sentence of the one above: it begins small, and that one fills its column."""
    if at >= len(lines) or _CONTINUES.match(lines[at]) is None or enumerator(lines[at]) is not None:
        return False
    return len(lines[at - 1]) >= 0.7 * _full_length(lines)


def _begins_paragraph(lines: tuple[str, ...], at: int) -> bool:
    """Whether the line above ends a paragraph: by its last sign, or because it is short."""
    if at == 0 or lines[at - 1].endswith(_ENDS_PARAGRAPH):
        return True
    return len(lines[at - 1]) < 0.75 * _usual_length(lines)


def _is_label(lines: tuple[str, ...], at: int, count: int, number: Enumerator | None) -> bool:
    """Whether a bold line is a label or emphasis rather than a heading."""
    title = " ".join(lines[at : at + count])
    if number is not None:
        return False
    return _LABEL.match(title) is not None or "@" in title or title[:1] in "[(" or at + count >= len(lines)


def reads_like_title(line: str, *, typed: bool = False, sized: bool = False) -> bool:
    """Whether a line can be a title: short, no end of a sentence, no bullet, no caption.

    What type sets apart may be longer, hold a semicolon and, behind a number, end in a full stop ("3. Updates."). What
    its size sets apart may also begin with a small letter or end in a colon.
    """
    number = enumerator(line)
    title = line[number.end :].strip(" \t.:–—-") if number else line.strip()
    if not title:
        return number is not None and number.is_keyword and not line[0].islower()
    if number and number.is_keyword and _REFERENCE.match(title):
        return False
    words = len(title.split())
    if title[0].islower() and not (sized and words <= _ENDED_WORDS):
        return False
    if _BULLET.match(line) or _CAPTION.match(line):
        return False
    if sum(sign.isalpha() for sign in title) < 2 or words > (_TYPED_WORDS if typed else MAX_WORDS):
        return False
    if ";" in _BRACKETS.sub("", title) and not typed:
        return False
    ended = line.rstrip()
    if typed and ended.endswith((".", "...", "…")) and (ended.endswith(("...", "…")) or number):
        return words <= _ENDED_WORDS and ". " not in title
    return not ended.endswith(_ENDS_SENTENCE) or (sized and ended.endswith(":"))


# --- numbering ------------------------------------------------------------------------------------------------


def _add_numbered(pages: list[tuple[str, ...]], found: dict[tuple[int, int], _Found]) -> None:
    """Numbered lines that are headings by their number: announced by a word, decimal, or next of a known series."""
    typed = {heading.number.form for heading in found.values() if heading.number}
    series = typed | _plain_series(pages) | (set() if typed else {"decimal"})
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
                if not _stands_alone(lines, at, number, (page, at - 1) in found) or not _is_expected(
                    number, series, last
                ):
                    continue
                found[page, at] = _Found(page, at, 1, 0, number)
            forms = list(last)
            kept = forms[: forms.index(number.form)] if number.form in last else forms
            last = {form: last[form] for form in kept} | {number.form: number.value}


def _plain_series(pages: list[tuple[str, ...]]) -> set[str]:
    """Forms of numbers that count short lines of their own from 1 to 3 or more: headings that no type sets apart."""
    counted: Counter[str] = Counter()
    for lines in pages:
        for at, line in enumerate(lines):
            number = enumerator(line)
            if number is None or number.form not in ("integer", "roman", "letter"):
                continue
            short = len(line) <= 0.75 * _full_length(lines) and len(line.split()) <= _PLAIN_WORDS
            if number.value == counted[number.form] + 1 and short and _stands_alone(lines, at, number, False):
                counted[number.form] += 1
    return {form for form, count in counted.items() if count >= 3}


def _is_expected(number: Enumerator, series: set[str], last: dict[str, int]) -> bool:
    if number.is_keyword:
        return True
    return number.form in series and (number.form == "decimal" or number.value == last.get(number.form, 0) + 1)


def _stands_alone(lines: tuple[str, ...], at: int, number: Enumerator, below_heading: bool) -> bool:
    """Whether a line is a title between two paragraphs rather than a wrapped line or one of a list."""
    line = lines[at]
    if not reads_like_title(line) or _goes_on(lines, at + 1) or at + 1 >= len(lines):
        return False
    following = enumerator(lines[at + 1])
    if following and following.form == number.form and not number.is_keyword:
        return False
    if below_heading:
        return True
    if not number.is_keyword and not following and len(line) >= 0.85 * _full_length(lines):
        return False  # a numbered paragraph that goes on in the next line
    if _begins_paragraph(lines, at):
        # A paragraph that ends without a sign ends in a short line, and a title under it is short, too.
        ended = at == 0 or lines[at - 1].endswith(_ENDS_PARAGRAPH)
        return ended or number.is_keyword or len(line) <= max(20, 0.9 * _usual_length(lines))
    return False


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
    if heading.number and last.number and heading.number.is_keyword and last.number.is_keyword:
        if heading.number.form == last.number.form:
            return True
        if heading.number.rank != last.number.rank:
            return last.number.rank > heading.number.rank
    if heading.number and last.number and heading.number.depth and last.number.depth:
        return last.number.depth >= heading.number.depth
    if heading.level and last.level:
        return last.level >= heading.level
    return any(_same_kind(heading, other) for other in above)


def _same_kind(one: _Found, other: _Found) -> bool:
    if one.number and other.number and one.number.form == other.number.form:
        return True
    return one.number is None and other.number is None and one.level == other.level
