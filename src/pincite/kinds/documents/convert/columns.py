"""Pages in two columns: where the gutter between them runs, and the order in which their lines are read.

In doubt a page has one column, and its lines stay in the order of the file: that order is right for tables, whose cells
stand side by side, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from pincite.kinds.documents.convert.printed import PrintedLine, Sheet

_MIN_LINES = 8
"""In each column, beside lines of the other: fewer may be a form, a signature, an address."""
_MAX_LINES = 2_000
"""On a page: what has more is a drawing or a plan, and each of its lines would be held against all others."""
_MIN_COLUMN = 0.25
"""Of the width of the text: what is narrower is a margin with notes or numbers."""
_MAX_ACROSS = 0.4
"""Share of the lines that may run across the gutter: a title, a summary, a table."""
_FULL_LINE = 0.6
"""Of the width of its column: in prose three lines of eight or more are as long, in a table few are."""
_MIN_LETTERS = 25
"""On a full line: columns of prose are no narrower, cells of a table often are."""
_STEP = 2.0
"""Points between two places that are tried."""


def gutters(sheets: Sequence[Sheet]) -> list[float | None]:
    """For each page the place between its columns; `None` for pages of one column.

    A page with few lines in one of its columns follows the other pages of its file, if nothing crosses their gutter.
    """
    own = [_gutter(sheet) for sheet in sheets]
    known = Counter(place for place in own if place is not None)
    out = []
    for sheet, place in zip(sheets, own, strict=True):
        usual = [other for other, _ in known.most_common() if place is None and _is_free(sheet, other)]
        out.append(usual[0] if usual else place)
    return out


def _gutter(sheet: Sheet) -> float | None:
    lines = _body(sheet)
    if not 2 * _MIN_LINES <= len(lines) <= _MAX_LINES:
        return None
    start, end = min(line.left for line in lines), max(line.right for line in lines)
    edge = _MIN_COLUMN * (end - start)
    places = [start + edge + _STEP * step for step in range(int((end - start - 2 * edge) / _STEP) + 1)]
    across = {place: sum(line.left < place < line.right for line in lines) for place in places}
    fewest = min(across.values())
    if fewest > _MAX_ACROSS * len(lines):
        return None
    free = [place for place in places if across[place] == fewest]
    # The longest stretch that as few lines cross; its end is where the right column begins.
    runs = [[place for _, place in run] for _, run in groupby(enumerate(free), lambda item: item[1] - item[0] * _STEP)]
    widest = max(runs, key=len)
    place = widest[-1]
    return place if _are_columns(lines, place) else None


def _are_columns(lines: Sequence[PrintedLine], place: float) -> bool:
    """Whether lines of prose stand side by side, left and right of the place."""
    left = [line for line in lines if line.right <= place]
    right = [line for line in lines if line.left >= place]
    sides = (left, right), (right, left)
    beside = [[line for line in side if any(_side_by_side(line, far) for far in other)] for side, other in sides]
    return all(len(side) >= _MIN_LINES and _is_prose(side) for side in beside)


def _side_by_side(line: PrintedLine, other: PrintedLine) -> bool:
    return line.bottom < other.top and other.bottom < line.top


def _is_prose(lines: Sequence[PrintedLine]) -> bool:
    """Whether many lines fill their column; the widest ones may jut out of it."""
    widths = sorted(line.width for line in lines)
    full = widths[len(widths) * 9 // 10]
    return widths[len(widths) * 5 // 8] >= _FULL_LINE * full and full >= _MIN_LETTERS * lines[0].size * 0.5


def _is_free(sheet: Sheet, place: float) -> bool:
    lines = _body(sheet)
    across = sum(line.left < place < line.right for line in lines)
    return len(lines) <= _MAX_LINES and any(line.left >= place for line in lines) and across <= 1


def _body(sheet: Sheet) -> list[PrintedLine]:
    """The lines between head and foot of the page."""
    return [line for line in sheet.lines if not sheet.is_in_margin(line)]


# --- reading order --------------------------------------------------------------------------------------------


def in_reading_order(sheet: Sheet, gutter: float | None) -> Sheet:
    """The page with its lines down the left column, then down the right; what runs across parts it in two."""
    if gutter is None:
        return replace(sheet, lines=tuple(_rejoined(sheet.lines)))
    sides = groupby(sheet.lines, lambda line: (line.row, line.left >= gutter))
    lines = [line for _, side in sides for line in _rejoined(list(side))]
    across = [line for line in lines if _is_across(sheet, line, lines, gutter)]
    if _is_table([line for line in lines if line not in across], gutter):
        return replace(sheet, lines=tuple(_rejoined(sheet.lines)))

    def place(line: PrintedLine) -> tuple[int, bool]:
        above = sum(border.middle > line.middle for border in across)
        return (2 * above + 1, False) if line in across else (2 * above, line.left >= gutter)

    parts = groupby(sorted(lines, key=place), place)
    return replace(sheet, lines=tuple(line for _, part in parts for line in _downwards(list(part))))


def _is_across(sheet: Sheet, line: PrintedLine, lines: Sequence[PrintedLine], gutter: float) -> bool:
    """Whether a line parts the page: what only juts out of its column, like an address, has the other one beside it."""
    if sheet.is_in_margin(line):
        return True
    if not line.left < gutter < line.right:
        return False
    return not any(_side_by_side(line, other) for other in lines if other.left >= gutter)


def _rejoined(lines: Sequence[PrintedLine]) -> list[PrintedLine]:
    """Parts of one line that no gutter divides are one line."""
    out: list[PrintedLine] = []
    for line in lines:
        if out and out[-1].row == line.row:
            out[-1] = out[-1].joined(line)
        else:
            out.append(line)
    return out


def _downwards(lines: list[PrintedLine]) -> list[PrintedLine]:
    """From top to bottom, and from left to right what stands on one line."""
    rows: list[list[PrintedLine]] = []
    for line in sorted(lines, key=lambda line: -line.middle):
        if rows and rows[-1][0].bottom < line.middle < rows[-1][0].top:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]


def _is_table(lines: Sequence[PrintedLine], gutter: float) -> bool:
    """Whether the file writes cells of several lines in turn, left and right: then it knows the order better.

    A text in columns changes sides once or twice on a page. One that is written row by row does so after a line or two.
    """
    sides = [sum(1 for _ in run) for _, run in groupby(lines, lambda line: line.left >= gutter)]
    changes = len(sides) - 1
    return changes > 6 and sum(length <= 2 for length in sides) < 0.8 * len(sides)
