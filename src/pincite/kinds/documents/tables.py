"""Tables in Markdown: where they are, what heads their columns, what names them.

A table that fits a passage stays whole with its caption. One that does not is split between rows; then every part but
the first gets caption and header row as its context. Contexts feed search and never enter a span, so a citation of a
row is still exactly what the source says there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.kinds.documents.markdown import between, read_blocks
from pincite.types import Span

MAX_HEAD_CHARS = 1_000
"""A longer caption or header row is cut: it situates, it is not read."""

ROW = re.compile(r"[ \t]*\|")
_DASHES = r"[ \t]*:?-+:?[ \t]*"
DELIMITER = re.compile(rf"[ \t]*\|{_DASHES}(?:\|{_DASHES})*\|?[ \t]*\r?(?:\n|\Z)")
CAPTION = re.compile(
    r"[ \t]*[*_\[]{0,3}(?i:table|tabelle|tab\.|tableau|tabella|tabla|tabela|tabel|表|표)"
    r"[ \u00a0]*(?:\d+|[IVX]+|[A-Z])(?:[.\-]\d+)*(?!\w)"
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_BLANK_LINE = re.compile(r"\n[ \t\r\f]*\n")
_CAPTION_CHARS = 500
"""A longer paragraph that begins with "Table 2" talks about the table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, header row and delimiter row first."""

    start: int
    rows: int
    """Where the rows below the header begin."""
    end: int
    head: str
    """Its caption, if it has one, and its header row."""


def is_caption(paragraph: str) -> bool:
    """Whether a paragraph names a table ("Table 2: Fees")."""
    return len(paragraph) <= _CAPTION_CHARS and CAPTION.match(paragraph) is not None


def begins_table(text: str, at: int) -> bool:
    """Whether the line at this offset is the header row of a table."""
    line = _LINE.match(text, at)
    return line is not None and ROW.match(line.group()) is not None and DELIMITER.match(text, line.end()) is not None


def find_tables(text: str, fences: Sequence[Span] | None = None) -> list[Table]:
    """The tables of a Markdown text in order; none in fenced code, which is read unless it is given."""
    if "|" not in text:
        return []
    return list(_tables(text, read_blocks(text).fences if fences is None else fences))


def heads_at(tables: list[Table], start: int) -> str:
    """Caption and header row for a passage that begins at this offset among the rows of a table, else ""."""
    at = bisect_right(tables, start, key=lambda table: table.start) - 1
    if at < 0 or not tables[at].rows <= start < tables[at].end:
        return ""
    return tables[at].head


def _tables(text: str, fences: Sequence[Span]) -> Iterator[Table]:
    skip_to = 0
    for stretch in between(fences, Span(0, len(text))):
        for line in _LINE.finditer(text, stretch.start, stretch.end):
            body = line.group()
            if line.start() < skip_to or not ROW.match(body) or not (delimiter := DELIMITER.match(text, line.end())):
                continue
            end = _end(text, delimiter.end())
            caption = _paragraph_before(text, line.start()) or _paragraph_after(text, end)
            header = body.strip()[:MAX_HEAD_CHARS]
            yield Table(line.start(), delimiter.end(), end, f"{caption}\n{header}" if caption else header)
            skip_to = end


def _end(text: str, at: int) -> int:
    """Where the rows end: at the first line that is none."""
    while at < len(text) and (line := _LINE.match(text, at)) and ROW.match(line.group()):
        at = line.end()
    return at


def _paragraph_before(text: str, at: int) -> str:
    first = max(0, at - 2 * _CAPTION_CHARS)
    found = _BLANK_LINE.split(text[first:at].rstrip())[-1].strip()
    return " ".join(found.split()) if is_caption(found) else ""


def _paragraph_after(text: str, at: int) -> str:
    stretch = text[at : at + 2 * _CAPTION_CHARS].lstrip()
    found = _BLANK_LINE.split(stretch, maxsplit=1)[0].strip()
    # The name of a table that follows is not this one's.
    after = stretch[len(found) :].lstrip()
    return " ".join(found.split()) if is_caption(found) and not begins_table(after, 0) else ""
