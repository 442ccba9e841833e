"""Every passage against the stretch of the source that it cites; nothing but white space may lie outside them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pincite.kinds.documents import CutOptions, cut, read_document
from pincite.kinds.documents.read import UnreadableFile


class Attribution(NamedTuple):
    files: int
    passages: int
    wrong: int
    """Passages whose span or page is not theirs."""
    lost: int
    """Characters that lie in no passage."""
    unread: tuple[str, ...]


def attribution(office: Path) -> Attribution:
    """The PDF and Word files and their references, cut into short and into usual passages."""
    passages = wrong = lost = files = 0
    unread: list[str] = []
    for path in sorted(office.iterdir()):
        if path.suffix not in (".pdf", ".docx", ".md"):
            continue
        try:
            content = read_document(path, path.name).content
        except UnreadableFile as error:
            unread.append(error.message)
            continue
        files += 1
        for limit in (100, 800):
            at = 0
            for chunk in cut(content, CutOptions(limit, 0)).chunks:
                assert chunk.span is not None
                passages += 1
                passage = content.text[chunk.span.start : chunk.span.end]
                page = content.text.count("\f", 0, chunk.span.start) + 1
                wrong += not passage or passage != passage.strip() or chunk.page not in (None, page)
                lost += len(content.text[at : chunk.span.start].strip())
                at = chunk.span.end
            lost += len(content.text[at:].strip())
    return Attribution(files, passages, wrong, lost, tuple(unread))
