"""Where a passage stands besides its section: on which page, and in which table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pincite.kinds.documents.tables import find_tables, heads_at
from pincite.types import Chunk, Content, Span

TABLES = 1
"""Bump when tables are found, or split, in other ways than before."""
PAGED = frozenset({"pdf", "pptx"})
"""File types whose stored text has a form feed between two pages."""


def located(content: Content, chunks: Iterable[Chunk], fences: Sequence[Span]) -> tuple[Chunk, ...]:
    """The passages with their page, and with the head of the table whose rows they begin among."""
    is_plain = content.metadata.get("file_type") in ("txt", "plain")
    tables = [] if is_plain else find_tables(content.text, fences)
    paged = content.metadata.get("file_type") in PAGED
    page, at = 1, 0
    out = []
    for chunk in chunks:
        if chunk.span is None:
            out.append(chunk)
            continue
        if paged:
            # Passages are in order; one that overlaps the last begins before it ended, never before it began.
            page += content.text.count("\f", at, chunk.span.start)
            at = chunk.span.start
        head = heads_at(tables, chunk.span.start)
        context = "\n".join(filter(None, (chunk.context, head)))
        out.append(replace(chunk, page=page if paged else chunk.page, context=context))
    return tuple(out)
