"""Documents as a kind: one file is one document, cut along its headings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pincite.errors import MissingExtra
from pincite.ids import normalise_id
from pincite.kinds.documents.convert import SAVE_AS, converter_recipe, fingerprint
from pincite.kinds.documents.cut import CutOptions, cut
from pincite.kinds.documents.read import MAX_BYTES, SUFFIXES, EmptyFile, read_document
from pincite.protocols.kind import Declaration, Described, RelationType
from pincite.reading import Item, Neighbourhood, ReadElement, ReadState, Recognised, Record, Unread
from pincite.text.language import identify
from pincite.types import REFERS_TO, Chunk, Content, Derivation

MEDIA_TYPES = {
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/plain": ".txt",
}
DECLARATION = Declaration(
    content_kinds=("document",),
    suffixes=SUFFIXES,
    media_types=MEDIA_TYPES,
    save_as=SAVE_AS,
    max_bytes=MAX_BYTES,
    fields={"content": 1.0, "headings": 2.0, "section": 2.0, "terms": 3.0},
    relations=(RelationType(REFERS_TO),),
    facets=("language", "file_type", "date", "chunk_type"),
)


class DocumentsKind:
    """Files that people write, read whole and cut along their headings."""

    name = "documents"
    declares = DECLARATION

    def __init__(self, options: CutOptions | None = None) -> None:
        self._options = options or CutOptions()

    def recipe(self, item_name: str = "") -> str:
        """The options, and what converts such a file: its newer version reads the file again."""
        return self._options.recipe + converter_recipe(fingerprint(Path(item_name).suffix.lower()))

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        """The one document in a file."""
        element_id = normalise_id(item.prefix + item.name)
        try:
            document = read_document(item.path, element_id)
        except (EmptyFile, MissingExtra) as problem:
            # A file that never had text, or never could be read here, is not a failure; one that lost it may be.
            yield Unread("", problem.message.removeprefix(f"{element_id}: "), harmless=True)
            return
        state = ReadState(document.content, document.roles, document.valid_from, document.valid_to)
        yield ReadElement(element_id, (state,), notes=document.notes)

    def derive(self, element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        return cut(content, self._options, element_id)

    def recognise(self, query: str) -> Recognised:
        """Nothing beyond what every text may name: section numbers and identifiers are the engine's own."""
        return Recognised()

    def interpret(self, record: Record) -> ReadElement | None:
        """A row as Markdown under its title."""
        title = " ".join(record.title.split())
        text = "\n\n".join(filter(str.strip, (f"# {title}" if title else "", record.text)))
        if not text.strip():
            return None
        stated = str(record.metadata.get("lang") or record.metadata.get("language") or "")
        language = stated if len(stated) == 2 else identify(text)
        content = Content("document", "document", title, text, language, {**record.metadata, "file_type": "md"})
        return ReadElement(record.record_id, (ReadState(content),))

    def describe(self, content: Content, chunk: Chunk | None, language: str) -> Described:
        """The title, and the number of the section where it has one."""
        section = chunk.section_id if chunk else ""
        place = f"{content.name} § {section}" if section and section[0].isdigit() else content.name
        return Described(place)
