"""Tables from workbooks and comma-separated values: a sheet is a section, its first row the header.

Workbooks are read with openpyxl, which markitdown's extra brings, not with markitdown itself: that goes through a data
frame, which writes "NaN" and "Unnamed: 2" into empty cells and turns TRUE into 1.0. A citation must not quote
what the file does not say.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from pathlib import Path

from pincite.kinds.documents.convert.checks import Unreadable
from pincite.kinds.documents.convert.converters import Converted
from pincite.kinds.documents.decode import decode

MAX_CELLS = 2_000_000
_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50


def workbook(path: Path) -> Converted:
    """The visible sheets of a workbook, each a section with a table; values, not formulas."""
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    parts: list[str] = []
    hidden: list[str] = []
    cells = 0
    try:
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                hidden.append(sheet.title)
                continue
            sheet.reset_dimensions()  # what a file states is often wrong
            rows = []
            for row in sheet.iter_rows(values_only=True):
                cells += len(row)
                if cells > MAX_CELLS:
                    raise Unreadable(f"more than {MAX_CELLS:,} cells; split the file")
                rows.append([cell(value) for value in row])
            if written := table(rows):
                parts.append(f"## {' '.join(sheet.title.split())}\n\n{written}")
    finally:
        book.close()
    notes = (f"hidden sheets were left out: {', '.join(hidden)}",) if hidden else ()
    return Converted("\n\n".join(parts), notes=notes)


def values(path: Path) -> Converted:
    """A file of comma-, semicolon- or tab-separated values as one table."""
    try:
        text = decode(path.read_bytes())
    except ValueError as error:
        raise Unreadable(str(error)) from error
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, path.suffix.lower())))
    except csv.Error as error:
        raise Unreadable(f"not a table of separated values: {error}") from error
    return Converted(table([[cell(value) for value in row] for row in rows]))


def _delimiter(text: str, suffix: str) -> str:
    """The sign that splits the first lines into the most columns, the same number in most lines and in the first.

    A comma may stand in every amount of money; the names of columns above them rarely have one.
    """
    if suffix == ".tsv":
        return "\t"
    sample = "\n".join(text.splitlines()[:_SAMPLE_LINES])

    def columns(sign: str) -> tuple[bool, int]:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sign) if row]
        usual = max(set(widths), key=widths.count) if widths else 0
        columns = usual if widths.count(usual) * 2 > len(widths) else 0
        return columns > 1 and widths[0] == columns, columns

    return max(_DELIMITERS, key=columns)


def cell(value: object) -> str:
    """A value as it reads in a table cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return " ".join(str(value).split()).replace("|", "\\|")


def table(rows: Iterable[Sequence[str]]) -> str:
    """The rows as a Markdown table, the first one its header; empty rows and empty columns at the edge go."""
    kept = [list(row) for row in rows if any(row)]
    width = max((at + 1 for row in kept for at, value in enumerate(row) if value), default=0)
    first = min((at for row in kept for at, value in enumerate(row) if value), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join((row + [""] * width)[first:width]) + " |" for row in kept]
    lines.insert(1, "|" + " --- |" * (width - first))
    return "\n".join(lines) + "\n"
