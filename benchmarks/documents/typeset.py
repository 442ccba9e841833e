"""Markdown set in type: the same text printed as PDFs of several designs, so that its headings are known.

The designs stand for what printed rules look like: sizes that fall with the level, bold type of the text's own size,
two columns (also below a title of the whole width, or written row by row), a narrow page on which headings wrap,
running heads that repeat the chapter. Only the standard fonts of PDF are used, so that nothing but this file is needed.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.kinds.documents.outline import outline
from pincite.text.titles import plain_title

HEIGHT = 842
_LEADING = 1.3
_GLYPH = 0.5
"""Mean width of a letter of Helvetica, in its size."""
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_CODE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)[^\n]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Design:
    """How a page looks."""

    name: str
    sizes: tuple[int, ...]
    """Of headings of level 1, 2 …; deeper ones have the last."""
    body: int = 10
    bold: bool = True
    columns: int = 1
    width: int = 595
    running: str = ""
    """What stands at the head of each page: nothing, the `title`, or the `chapter` under way."""
    title_across: bool = False
    """Whether the first heading is as wide as the page, above all columns."""
    by_rows: bool = False
    """Whether the file writes what stands side by side one after the other, not column after column."""


DESIGNS = (
    Design("sizes fall with the level", (20, 15, 12, 11), running="title"),
    Design("bold type of the text's size", (11, 11, 11), body=11),
    Design("large type, not bold", (18, 14, 12), bold=False),
    Design("two columns", (14, 11, 9), body=9, columns=2),
    Design("two columns below a title", (18, 12, 10), body=9, columns=2, running="title", title_across=True),
    Design("two columns written row by row", (13, 11, 10), body=9, columns=2, by_rows=True),
    Design("headings that wrap", (22, 17, 14, 12), body=10, width=330),
    Design("running heads repeat the chapter", (16, 13, 11), running="chapter"),
)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: int
    bold: bool = False
    space: float = 0.0
    """Above it."""
    keep: int = 1
    """Lines that must fit below each other: a heading does not stand alone at the foot of a column."""
    chapter: str = ""
    across: bool = False


def headings(markdown: str) -> list[tuple[int, str]]:
    """Level and title of the headings that are printed."""
    found = outline(markdown, "md")
    return [(section.level, _printable(section.title)) for section in found if section.heading]


def printed(markdown: str, design: Design) -> bytes:
    """The text as a PDF."""
    lines = list(_lines(markdown, design))
    title = next((line.text for line in lines if line.bold or line.size > design.body), "")
    return _assembled(design, list(_pages(lines, design)), title)


def _lines(markdown: str, design: Design) -> Iterator[_Line]:
    room = int(_column(design) / (_GLYPH * design.body))
    for place, section in enumerate(outline(markdown, "md")):
        if section.heading:
            size = design.sizes[min(len(design.sizes), max(1, section.level)) - 1]
            title = _printable(section.title)
            across = design.title_across and place == 0
            width = _column(replace(design, columns=1) if across else design)
            wrapped = _wrapped(title, max(10, int(width / (1.1 * _GLYPH * size)))) or [title]
            for number, line in enumerate(wrapped):
                keep = len(wrapped) - number + 2
                yield _Line(line, size, design.bold, 0 if number else size * 0.9, keep, title, across)
        body = _CODE.sub("", markdown[section.body.start : section.body.end])
        for paragraph in re.split(r"\n\s*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)])[ \t])", body):
            text = _printable(plain_title(paragraph))
            mark = _ITEM.match(paragraph)
            for number, line in enumerate(_wrapped(text, room)):
                yield _Line(line, design.body, space=0 if number or mark else design.body * 0.5)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)


def _printable(text: str) -> str:
    """What the standard fonts can print."""
    return text.encode("cp1252", "ignore").decode("cp1252").strip()


def _column(design: Design) -> float:
    return (design.width - 120 - 20 * (design.columns - 1)) / design.columns


def _pages(lines: Sequence[_Line], design: Design) -> Iterator[list[tuple[float, float, _Line]]]:
    """The lines of each page with their places, column by column."""
    page: list[tuple[float, float, _Line]] = []
    top, foot = HEIGHT - 80, 70.0
    column, y = 0, float(top)
    for line in lines:
        step = line.size * _LEADING
        space = line.space if y < top else 0.0
        if y - space - step * line.keep < foot:
            column, y, space = column + 1, float(top), 0.0
            if column == design.columns:
                yield page
                page, column, top = [], 0, HEIGHT - 80
                y = float(top)
        y -= space + step
        page.append((60 + column * (_column(design) + 20), y, line))
        if line.across:
            top = int(y)
    if page:
        yield page


def _assembled(design: Design, pages: Sequence[Sequence[tuple[float, float, _Line]]], title: str) -> bytes:
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    font = "<</Type/Font/Subtype/Type1/BaseFont/{}/Encoding/WinAnsiEncoding>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
    ]
    chapter = title
    for number, page in enumerate(pages):
        head = {"title": title, "chapter": chapter}.get(design.running, "")
        written = sorted(page, key=lambda item: (-item[1], item[0])) if design.by_rows else page
        content = _content(written, head, f"{number + 1} / {len(pages)}" if design.running else "")
        chapter = next((line.chapter for _, _, line in reversed(page) if line.chapter), chapter)
        objects += [
            (
                f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {design.width} {HEIGHT}]"
                f"/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>/Contents {6 + 2 * number} 0 R>>"
            ).encode(),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    return _file(objects)


def _content(page: Sequence[tuple[float, float, _Line]], head: str, foot: str) -> bytes:
    out = ["BT"]
    if head:
        out.append(_shown(60, HEIGHT - 50, _Line(head, 8)))
    out += [_shown(x, y, line) for x, y, line in page]
    if foot:
        out.append(_shown(280, 40, _Line(foot, 8)))
    return "\n".join([*out, "ET"]).encode("cp1252")


def _shown(x: float, y: float, line: _Line) -> str:
    text = line.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"/F{2 if line.bold else 1} {line.size} Tf 1 0 0 1 {x:.1f} {y:.1f} Tm ({text}) Tj"


def _file(objects: Sequence[bytes]) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()
