"""Blocks of printed lines: what larger or bold type sets apart, and the paragraphs between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pincite.kinds.documents.convert.pages import PageBlock
from pincite.kinds.documents.convert.printed import PrintedLine, Sheet

_LARGER = 0.75
"""Points by which a heading is larger than the text; sizes are known to the half point."""
_LETTER = 0.5
"""Mean width of a letter, in its size."""
_TITLE_LEADING = 1.45
"""In sizes of the type: lines of one title are not further apart."""
_PARAGRAPH_LEADING = 1.25
"""In the usual distance of two lines: those of one paragraph are not further apart."""
_LEVELS = 6


def blocks(sheets: Sequence[Sheet]) -> list[PageBlock]:
    """The blocks of all pages, whose lines stand in reading order; running heads and page numbers belong to none."""
    body = _body_size(sheets)
    pages = [
        [line for line in sheet.lines if line.size >= body + _LARGER or not sheet.is_in_margin(line)]
        for sheet in sheets
    ]
    larger = sorted({line.size for page in pages for line in page if line.size >= body + _LARGER}, reverse=True)
    levels = {size: min(_LEVELS, place) for place, size in enumerate(larger, 1)}
    return [
        PageBlock(
            number,
            "\n".join(line.text for line in lines),
            levels.get(lines[0].size, 0),
            bold=(lines[0].bold or lines[0].italic) and lines[0].size > body - _LARGER,
            room=_room(lines, page),
        )
        for number, page in enumerate(pages, 1)
        for lines in _paragraphs(page)
    ]


def _body_size(sheets: Sequence[Sheet]) -> float:
    """The size in which most letters are set."""
    letters: Counter[float] = Counter()
    for sheet in sheets:
        for line in sheet.lines:
            letters[line.size] += len(line.text)
    return max(letters, key=lambda size: letters[size]) if letters else 0.0


def _paragraphs(lines: Sequence[PrintedLine]) -> Iterator[list[PrintedLine]]:
    """Lines of the same type that stand close below each other."""
    drops = sorted(line.middle - below.middle for line, below in pairwise(lines) if line.middle > below.top)
    usual = drops[len(drops) // 2] if drops else 0.0
    paragraph: list[PrintedLine] = []
    for line in lines:
        if paragraph and not _goes_on(paragraph[-1], line, usual):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _goes_on(line: PrintedLine, below: PrintedLine, usual: float) -> bool:
    same_type = (line.size, line.bold, line.italic) == (below.size, below.bold, below.italic)
    apart = max(_PARAGRAPH_LEADING * usual, _TITLE_LEADING * line.size)
    return same_type and -0.5 * line.size <= line.middle - below.middle <= apart


def _room(lines: Sequence[PrintedLine], page: Sequence[PrintedLine]) -> float:
    """How many letters of the block's size fill its column: the widest lines that begin where it does."""
    start, size = lines[0].left, lines[0].size
    widths = sorted(line.width for line in page if abs(line.left - start) <= size)
    return widths[len(widths) * 9 // 10] / (_LETTER * size) if size and widths else 0.0
