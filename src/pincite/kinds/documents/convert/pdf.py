"""PDF: its text and tables through kreuzberg, the place and type of its lines through pdfium.

kreuzberg also tells headings from paragraphs, but on pages of two columns it gives a line the type of another one. So
only pdfium says what is large, bold or beside what; kreuzberg's text of the pages is kept, because a citation must
quote what the page says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.kinds.documents.convert.blocks import blocks
from pincite.kinds.documents.convert.checks import Unreadable
from pincite.kinds.documents.convert.columns import gutters, in_reading_order
from pincite.kinds.documents.convert.converters import Converted
from pincite.kinds.documents.convert.enumerators import enumerator
from pincite.kinds.documents.convert.pages import Page, fold, to_markdown
from pincite.kinds.documents.convert.printed import Sheet, sheets

_NO_TITLE = re.compile(r"untitled|microsoft |\.(?:docx?|pdf|indd|tex|dvi|rtf|pptx?|xlsx?)\b", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u00ad\ufffe\uffff]")
"""What PDF text carries besides text; a form feed is ours."""


def pdf(path: Path) -> Converted:
    """The pages of a PDF in order, a form feed between two."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        output_format="plain",
        pages=kreuzberg.PageConfig(extract_pages=True),
        concurrency=kreuzberg.ConcurrencyConfig(max_threads=1),
    )
    try:
        result = kreuzberg.extract_bytes_sync(path.read_bytes(), "application/pdf", config=config)
    except kreuzberg.KreuzbergError as error:
        raise Unreadable(_reason(str(error))) from error
    pages = [Page(_lines(page["content"]), _tables(page["tables"])) for page in result.pages or ()]
    if not pages:
        raise Unreadable("it has no pages")
    if not any(line for page in pages for line in page.lines):
        count = f"{len(pages)} pages" if len(pages) > 1 else "1 page"
        raise Unreadable(f"no text layer: {count} of images; run OCR first, for example: ocrmypdf in.pdf out.pdf")
    bare = [str(number) for number, page in enumerate(pages, 1) if not any(page.lines)]
    notes = (f"no text on page {', '.join(bare)}; if they are scans, run OCR first",) if bare else ()
    printed = sheets(path)
    if len(printed) != len(pages):
        printed = []
    places = gutters(printed)
    printed = [in_reading_order(sheet, place) for sheet, place in zip(printed, places, strict=True)]
    for number, place in enumerate(places):
        if place is not None:
            pages[number] = _in_order(pages[number], printed[number])
    title = _stated_title(result.metadata, pages)
    text = to_markdown(pages, blocks(printed), title)
    return Converted(text, title or _first_line_title(text), notes)


def _in_order(page: Page, sheet: Sheet) -> Page:
    """The page with its lines in the order in which columns are read, if they say the same as those of its text."""
    lines = _lines("\n".join(line.text for line in sheet.lines))
    said, ordered = (Counter(fold("".join(found))) for found in (page.lines, lines))
    return replace(page, lines=lines) if said == ordered else page


def _reason(said: str) -> str:
    if "password" in said:
        return "password-protected; save it without a password"
    if "No page boundaries" in said:
        return "it has no pages"
    if "FormatError" in said:
        return "truncated or damaged: no page of it can be read; fetch it again, or export it again"
    return f"its converter failed ({' '.join(said.split())[:200]})"


def _lines(text: str) -> tuple[str, ...]:
    found = (" ".join(_CONTROL.sub("", line).split()) for line in text.replace("\r\n", "\n").split("\n"))
    return tuple(line for line in found if line)


def _tables(tables: Iterable[Any]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The cells of the tables; kreuzberg gives objects or mappings."""
    cells = (table["cells"] if isinstance(table, Mapping) else table.cells for table in tables)
    return tuple(tuple(tuple(" ".join(str(c).split()) for c in row) for row in rows) for rows in cells)


def _first_line_title(text: str) -> str:
    """The heading with which the first page begins, unless it is the first of a numbered series."""
    first = re.match(r"#{1,6} ([^\n]+)\n", text)
    return first[1] if first and enumerator(first[1]) is None else ""


def _stated_title(metadata: Mapping[str, Any], pages: list[Page]) -> str:
    """The title that the file states, if its first page says the same: most are left over from another file."""
    title = " ".join(str(metadata.get("title") or "").split())
    if len(fold(title)) < 4 or _NO_TITLE.search(title):
        return ""
    return title if fold(title) in fold("".join(pages[0].lines)) else ""
