"""Lines of printed pages become Markdown: running headers go, headings and tables are marked, all else stays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

PAGE_BREAK = "\n\f\n"
_EDGE_LINES = 3
_BLANKS = re.compile(r"\n{3,}")
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|pagina|p\.|s\.)?\s*[-–—]?\s*\d{1,4}(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?\s*[-–—]?", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_NO_WORD = re.compile(r"[\W_]+")
_LOOKS_LIKE_MARKUP = re.compile(r"(?:#{1,6}(?:\s|$)|`{3}|~{3}|<!--|={2,}\s*$|-{2,}\s*$|\|)")


@dataclass(frozen=True, slots=True)
class Page:
    """The lines of a page in reading order, none empty, and the cells of tables that were seen on it."""

    lines: tuple[str, ...]
    tables: tuple[tuple[tuple[str, ...], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class PageBlock:
    """What a converter says of a stretch of a page."""

    page: int
    text: str
    level: int = 0
    """Of a heading; 0 for all else."""
    bold: bool = False
    room: float = 0.0
    """How many characters of its size fit into the column; 0: not known."""


def fold(text: str) -> str:
    """What two spellings of the same line share: letters and digits."""
    return _NO_WORD.sub("", text).casefold()


def to_markdown(pages: list[Page], blocks: list[PageBlock], title: str = "") -> str:
    """The text of the pages, a form feed on its own line between two, one for each page that is empty too."""
    from pincite.kinds.documents.convert.headings import find_headings

    pages = without_running_lines(pages, blocks)
    headings = find_headings([page.lines for page in pages], blocks, title)
    return PAGE_BREAK.join(
        _page(page, headings[number], [block.text for block in blocks if block.page == number + 1])
        for number, page in enumerate(pages)
    )


def without_running_lines(pages: list[Page], blocks: list[PageBlock]) -> list[Page]:
    """The pages without running headers, footers and page numbers.

    Those are what stands at the edge of most pages, and the first or last line of a page that the converter's
    structure leaves out and that is a page number or said elsewhere, too: the title, the chapter under way.
    """
    seen = Counter(key for page in pages for key in {_running(page.lines[at]) for at in _edges(page)})
    running = {key for key, count in seen.items() if count >= 3 and 2 * count > len(pages)}
    said = Counter(fold(line) for page in pages for line in page.lines)
    out = []
    for number, page in enumerate(pages, 1):
        mine = [block for block in blocks if block.page == number]
        dropped = {at for at in _edges(page) if _running(page.lines[at]) in running}
        dropped -= _title_below_running_head(page, dropped, mine)
        structure = fold("".join(block.text for block in mine))
        for at in {0, len(page.lines) - 1} if structure and page.lines else ():
            key = fold(page.lines[at])
            left_out = key and structure.count(key) < sum(fold(line) == key for line in page.lines)
            if left_out and (said[key] > 1 or _PAGE_NUMBER.fullmatch(page.lines[at])):
                dropped.add(at)
        out.append(Page(tuple(line for at, line in enumerate(page.lines) if at not in dropped), page.tables))
    return out


def _title_below_running_head(page: Page, dropped: set[int], blocks: list[PageBlock]) -> set[int]:
    """The lines of a heading that the running heads repeat: they stay where it stands."""
    titles = {fold(line) for block in blocks if block.level or block.bold for line in block.text.split("\n")}
    same = [at for at in sorted(dropped) if fold(page.lines[at]) in titles and fold(page.lines[at])]
    return {
        at
        for at in same
        if not any(_running(page.lines[at]) == _running(page.lines[later]) for later in same if later > at)
    }


def _edges(page: Page) -> set[int]:
    count = len(page.lines)
    return {*range(min(_EDGE_LINES, count)), *range(max(0, count - _EDGE_LINES), count)}


def _running(line: str) -> str:
    """A line without what changes from page to page."""
    return _DIGITS.sub("0", line).casefold()


def _page(page: Page, headings: dict[int, tuple[int, int]], blocks: list[str]) -> str:
    tables = dict(_placed_tables(page))
    starts = {fold(text.split("\n")[0])[:40] for text in blocks}
    out: list[str] = []
    at = 0
    while at < len(page.lines):
        if at in tables:
            end, written = tables[at]
            out.append(f"\n{written}")
        elif at in headings:
            level, count = headings[at]
            end = at + count
            out.append(f"\n{'#' * level} {' '.join(page.lines[at:end])}\n")
        else:
            end = at + 1
            line = page.lines[at]
            key = fold(line)
            begins = any(key.startswith(start) or start.startswith(key) for start in starts if start) if key else False
            mark = "\\" if _LOOKS_LIKE_MARKUP.match(line) else ""
            out.append(("\n" if begins and len(key) >= 12 else "") + mark + line)
        at = end
    return _BLANKS.sub("\n\n", "\n".join(out)).strip("\n") + "\n"


def _placed_tables(page: Page) -> Iterator[tuple[int, tuple[int, str]]]:
    """Tables whose rows stand in the page's lines one after the other: first line → (line after it, Markdown).

    What a converter takes for a table is sometimes prose in columns. Where the lines do not read like the rows, the
    lines stay: nothing is said that the page does not say.
    """
    for rows in page.tables:
        rows = tuple(row for row in rows if any(row))
        if len(rows) < 2 or max(map(len, rows)) < 2:
            continue
        wanted = "".join(fold("".join(row)) for row in rows)
        for at in range(len(page.lines)):
            end, said = at, ""
            while end < len(page.lines) and len(said) < len(wanted):
                said += fold(page.lines[end])
                end += 1
            if said == wanted and wanted:
                yield at, (end, _markdown(rows))
                break


def _markdown(rows: tuple[tuple[str, ...], ...]) -> str:
    width = max(map(len, rows))
    lines = [
        "| " + " | ".join(c.replace("|", "\\|") for c in (*row, *[""] * (width - len(row)))) + " |" for row in rows
    ]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines) + "\n"
