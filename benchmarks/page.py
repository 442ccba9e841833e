"""Tables of figures: in the terminal, and between the markers of a page whose other words stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

Row = Sequence[str]


def put(path: Path, command: str, tables: Sequence[str]) -> None:
    """Replace what stands between `<!-- command -->` and `<!-- end of command -->`."""
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {command} -->", f"<!-- end of {command} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{path} has no place for the table: put {begin} and {end} where it belongs")
    path.write_text("\n\n".join((before + begin, *tables, end + after)), encoding="utf-8")
    print(f"table written to {path.name}")


def markdown(head: Row, rows: Sequence[Row]) -> str:
    """A table for a page."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def aligned(head: Row, rows: Sequence[Row]) -> str:
    """A table for the terminal: words to the left, all else to the right."""
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    lines = []
    for line in (head, *rows):
        first, *others = zip(line, widths, strict=True)
        lines.append("  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip())
    return "\n".join(lines)
