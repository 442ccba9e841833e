"""A kind of many elements per file: each line of a `.jsonl` is a note, which may link to others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from pincite.kinds.documents.cut import CutOptions, cut
from pincite.kinds.documents.kind import DocumentsKind
from pincite.protocols.kind import Declaration, RelationType
from pincite.reading import Item, Neighbourhood, ReadElement, ReadState, Unread
from pincite.types import Chunk, Content, Derivation, Relation

DECLARATION = Declaration(
    content_kinds=("note",), suffixes={".jsonl": "notes"}, relations=(RelationType("links_to"),), max_bytes=10_000_000
)


class NotesKind(DocumentsKind):
    """`{"id": …, "text": …, "links": […]}` on each line; a line that is something else is not taken."""

    name = "notes"
    declares = DECLARATION

    def recipe(self, _item_name: str = "") -> str:
        return "notes;1"

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        with item.path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    row = json.loads(line)
                except ValueError:
                    yield Unread(f"line {number}", "it is not JSON")
                    continue
                element_id = f"{item.prefix}{row['id']}"
                links = tuple(
                    Relation(f"{element_id}->{other}", "links_to", element_id, f"{item.prefix}{other}")
                    for other in row.get("links", ())
                )
                content = Content("note", "note", element_id, row["text"], "en", {"file_type": "md"})
                yield ReadElement(element_id, (ReadState(content),), links)

    def derive(self, element_id: str, content: Content, _around: Neighbourhood) -> Derivation:
        return cut(content, CutOptions(), element_id)


class LinkedNotesKind(NotesKind):
    """Notes whose one passage shows what they link to, and how many link to them."""

    name = "linked"

    def __init__(self, neighbours: int = 1) -> None:
        super().__init__()
        self.declares = replace(DECLARATION, neighbours=neighbours)

    def derive(self, _element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        shown = [f"{near.element_id}: {near.content.text if near.content else 'unknown'}" for near in around.outgoing]
        text = "; ".join([content.text, *shown, f"linked from {len(around.incoming)}"])
        return Derivation(f"linked;{text}", (Chunk(0, rendered=text),))
