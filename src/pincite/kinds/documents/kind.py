"""Documents as a kind: one file is one document, cut along its headings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pincite.errors import MissingExtra
from pincite.filters import filterable, stated_language
from pincite.ids import normalise_id
from pincite.kinds.documents.convert import SAVE_AS, converter_recipe, fingerprint
from pincite.kinds.documents.cut import cut, recipe_of
from pincite.kinds.documents.read import MAX_BYTES, SUFFIXES, EmptyFile, read_document
from pincite.kinds.options import CutOptions
from pincite.protocols.kind import Declaration, Described, LinkForms, RelationType
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
    relations=(RelationType(REFERS_TO),),
    facets=("language", "file_type", "date", "chunk_type"),
    links=LinkForms(
        suffixes=(".md", ".markdown", ".txt", ".html", ".pdf", ".docx"),
        folder_pages=("_index.md", "index.md", "README.md", "readme.md", "_index.html", "index.html"),
        served_as=".html",
    ),
)


WIRE = ("layer", "source_path", "file_type")
"""What of a document's metadata stands beside it on the wire, as far as it is there."""


class DocumentsKind:
    """Files that people write, read whole and cut along their headings."""

    name = "documents"
    declares = DECLARATION

    def __init__(self, options: CutOptions | None = None) -> None:
        self._options = options or CutOptions()

    def recipe(self, item_name: str = "") -> str:
        """The options, and what converts such a file: its newer version reads the file again."""
        return recipe_of(self._options) + converter_recipe(fingerprint(Path(item_name).suffix.lower()))

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
        language = stated_language(record.metadata) or identify(text)
        content = Content(
            "document", "document", title, text, language, {**filterable(record.metadata), "file_type": "md"}
        )
        return ReadElement(record.record_id, (ReadState(content),))

    def describe(self, content: Content, chunk: Chunk | None, language: str) -> Described:
        """The title with the number of the section, or its heading where it has none; and which file it came from."""
        return Described(
            " ".join(filter(None, (content.name or "(untitled)", _place(content, chunk) if chunk else ""))),
            {name: content.metadata.get(name) for name in WIRE},
            moved=("source_path", "file_type"),
        )


def _place(content: Content, chunk: Chunk) -> str:
    section = chunk.section_id
    if section[:1].isdigit():
        return f"§ {section}"
    heading = chunk.parent_chain[-1] if chunk.parent_chain else ""
    return f"– {heading}" if heading and heading != content.name else ""
