"""Lines as a PDF prints them: where each stands on its page, how large its type is, whether it is bold or italic."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600
_ITALIC_NAME = re.compile(rb"italic|oblique", re.IGNORECASE)
_ITALIC, _FORCE_BOLD = 1 << 6, 1 << 18
"""Flags of a font descriptor, ISO 32000-1, table 123."""
_SAMPLED_LETTERS = 5
_WIDE_GAP = 1.0
"""In sizes of the type: no space between two words is as wide, a gutter between two columns is."""
_MARGIN = 0.08
"""Of the height of the page."""
_LINE_BREAK = "\r\n"


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """Letters that stand side by side; coordinates in points, from the lower left corner of the page."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float
    bold: bool
    italic: bool
    row: int = 0
    """Which line of the file's own order it is (part of)."""

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    @property
    def width(self) -> float:
        return self.right - self.left

    def joined(self, other: PrintedLine) -> PrintedLine:
        """Both as the one line that they were before they were parted."""
        return replace(
            self,
            text=self.text + other.text,
            left=min(self.left, other.left),
            bottom=min(self.bottom, other.bottom),
            right=max(self.right, other.right),
            top=max(self.top, other.top),
            bold=self.bold and other.bold,
            italic=self.italic and other.italic,
        )


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page and its lines, at first in the order in which the file writes them."""

    height: float
    lines: tuple[PrintedLine, ...]

    def is_in_margin(self, line: PrintedLine) -> bool:
        """Whether it stands at the head or foot of the page, where running heads and page numbers are."""
        return not _MARGIN * self.height < line.middle < (1 - _MARGIN) * self.height


def sheets(path: Path) -> list[Sheet]:
    """The pages of the file; none if pdfium cannot read one of them: then only numbers say what is a heading."""
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(path) as document:
            return [_sheet(document, number) for number in range(len(document))]
    except pypdfium2.PdfiumError:
        return []


def _sheet(document: Any, number: int) -> Sheet:
    page = document[number]
    letters = page.get_textpage()
    lines: list[PrintedLine] = []
    start = 0
    for row, said in enumerate(_text(letters).split(_LINE_BREAK)):
        lines += (replace(line, row=row) for line in _lines(letters, said, start))
        start += len(said) + len(_LINE_BREAK)
    sheet = Sheet(page.get_height(), tuple(lines))
    letters.close()
    page.close()
    return sheet


def _text(letters: Any) -> str:
    """The text of the page, with as many letters as pdfium counts: its own text leaves out those it cannot name."""
    from pypdfium2 import raw

    text: str = letters.get_text_range()
    count: int = letters.count_chars()
    if len(text) == count:
        return text
    return "".join(chr(raw.FPDFText_GetUnicode(letters.raw, at)) for at in range(count))


def _lines(letters: Any, said: str, start: int) -> Iterator[PrintedLine]:
    """The line, or its parts where a gap as wide as a gutter divides it: the file may write two columns row by row."""
    if not said.strip():
        return
    boxes = _boxes(letters, start, len(said))
    if not boxes:
        return
    size, *style = _type(letters, said, start)
    if not any(_is_apart(before[2], after[0], size) for before, after in pairwise(boxes)):
        yield _line(said, boxes, size, *style)
        return
    for first, last in _parts(letters, said, start, size):
        part = said[first:last]
        if boxes := _boxes(letters, start + first, len(part)):
            yield _line(part, boxes, *_type(letters, part, start + first))


def _line(
    text: str, boxes: list[tuple[float, float, float, float]], size: float, bold: bool, italic: bool
) -> PrintedLine:
    left, bottom, right, top = zip(*boxes, strict=True)
    return PrintedLine(text, min(left), min(bottom), max(right), max(top), size, bold, italic)


def _boxes(letters: Any, start: int, count: int) -> list[tuple[float, float, float, float]]:
    """Left, bottom, right and top of the stretches of the line that are written in one go."""
    return [letters.get_rect(at) for at in range(letters.count_rects(start, count))]


def _parts(letters: Any, said: str, start: int, size: float) -> Iterator[tuple[int, int]]:
    first, end = 0, None
    for at, letter in enumerate(said):
        if letter.isspace():
            continue
        left, _, right, _ = letters.get_charbox(start + at)
        if end is not None and _is_apart(end, left, size):
            yield first, at
            first = at
        end = right
    yield first, len(said)


def _is_apart(end: float, start: float, size: float) -> bool:
    """Whether what starts there does not follow what ends here: it stands far off, or before it."""
    return not -2 * _WIDE_GAP * size < start - end < _WIDE_GAP * size


def _type(letters: Any, said: str, start: int) -> tuple[float, bool, bool]:
    """The usual size of some of the letters in points, to the half; whether all of them are bold; all italic."""
    from pypdfium2 import raw

    places = [at for at, letter in enumerate(said) if letter.isalnum()] or [
        at for at, letter in enumerate(said) if not letter.isspace()
    ]
    sizes: Counter[float] = Counter()
    bold = italic = True
    for at in places[:: max(1, len(places) // _SAMPLED_LETTERS)]:
        matrix, name, flags = raw.FS_MATRIX(), ctypes.create_string_buffer(128), ctypes.c_int()
        raw.FPDFText_GetMatrix(letters.raw, start + at, matrix)
        raw.FPDFText_GetFontInfo(letters.raw, start + at, name, len(name), flags)
        weight = raw.FPDFText_GetFontWeight(letters.raw, start + at)
        scale = math.hypot(matrix.c, matrix.d) or 1.0
        sizes[round(2 * scale * raw.FPDFText_GetFontSize(letters.raw, start + at)) / 2] += 1
        bold &= weight >= _BOLD_WEIGHT or bool(flags.value & _FORCE_BOLD) or bool(_BOLD_NAME.search(name.value))
        italic &= bool(flags.value & _ITALIC) or bool(_ITALIC_NAME.search(name.value))
    return max(sizes, key=lambda size: sizes[size]), bold, italic
