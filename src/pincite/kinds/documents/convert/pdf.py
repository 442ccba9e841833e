"""PDF through kreuzberg: the text of its pages as they stand, and what it says of their structure.

kreuzberg's own Markdown drops the numbers of lists and rewrites quotation marks. A citation must quote what the page
says, so the text of the pages is kept, and the structure only decides which of its lines are headings and tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pincite.kinds.documents.convert.checks import Unreadable
from pincite.kinds.documents.convert.converters import Converted
from pincite.kinds.documents.convert.enumerators import enumerator
from pincite.kinds.documents.convert.pages import Block, Page, fold, to_markdown

_NO_TITLE = re.compile(r"untitled|microsoft |\.(?:docx?|pdf|indd|tex|dvi|rtf|pptx?|xlsx?)\b", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u00ad\ufffe\uffff]")
"""What PDF text carries besides text; a form feed is ours."""


def pdf(path: Path) -> Converted:
    """The pages of a PDF in order, a form feed between two."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        output_format="markdown",
        include_document_structure=True,
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
    structure: Mapping[str, Any] = result.document or {"nodes": ()}
    title = _stated_title(result.metadata, pages)
    text = to_markdown(pages, list(_blocks(structure["nodes"])), title)
    return Converted(text, title or _first_line_title(text), notes)


def _reason(said: str) -> str:
    if "password" in said:
        return "password-protected; save it without a password"
    if "No page boundaries" in said:
        return "it has no pages"
    if "FormatError" in said:
        return "truncated or damaged: no page of it can be read; fetch it again, or print it anew"
    return f"its converter gave up ({' '.join(said.split())[:200]})"


def _lines(text: str) -> tuple[str, ...]:
    found = (" ".join(_CONTROL.sub("", line).split()) for line in text.replace("\r\n", "\n").split("\n"))
    return tuple(line for line in found if line)


def _tables(tables: Iterable[Any]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The cells of the tables; kreuzberg gives objects or mappings."""
    cells = (table["cells"] if isinstance(table, Mapping) else table.cells for table in tables)
    return tuple(tuple(tuple(" ".join(str(c).split()) for c in row) for row in rows) for rows in cells)


def _blocks(nodes: Iterable[Mapping[str, Any]]) -> Iterable[Block]:
    columns: dict[int, float] = {}
    kept = [node for node in nodes if node.get("page") and node["content"].get("text")]
    for node in kept:
        columns[node["page"]] = max(columns.get(node["page"], 0.0), _box(node)[0])
    for node in kept:
        content, page = node["content"], node["page"]
        if content["node_type"] == "heading":
            room = _room(node, columns[page])
            yield Block(page, content["text"], int(content.get("level") or 1), room=room)
        elif content["node_type"] in ("paragraph", "list_item"):
            bold = _is_bold(content["text"], node.get("annotations") or ())
            yield Block(page, content["text"], bold=bold, room=_room(node, columns[page]))


def _box(node: Mapping[str, Any]) -> tuple[float, float]:
    """Width and height of a block on its page."""
    box = node.get("bbox")
    return (abs(box["x1"] - box["x0"]), abs(box["y1"] - box["y0"])) if box else (0.0, 0.0)


def _room(node: Mapping[str, Any], column: float) -> float:
    """How many letters of the block's size fill the widest column of its page; a letter is half as wide as high."""
    lines = node["content"]["text"].count("\n") + 1
    size = _box(node)[1] / (1 + 1.25 * (lines - 1))
    return column / (0.5 * size) if size else 0.0


def _is_bold(text: str, annotations: Iterable[Mapping[str, Any]]) -> bool:
    return any(
        mark["kind"].get("annotation_type") == "bold" and mark["start"] == 0 and mark["end"] >= len(text)
        for mark in annotations
    )


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
