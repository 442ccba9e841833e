"""A document is cut along its headings; a section too long for one passage, at paragraphs, sentences, at last words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pincite.errors import InvalidArgument
from pincite.kinds.documents.numbering import heading_number
from pincite.kinds.documents.outline import Section, outline
from pincite.kinds.documents.units import Unit, pack, units
from pincite.text.language import identify
from pincite.text.tokens import count_tokens
from pincite.types import Alias, Chunk, Content, Derivation, Span

RECIPE = 1
"""Bump when the same text and options give other chunks than before."""

_LANGUAGE_CHARS = 100
"""Shorter passages take the document's language: too little to tell one from."""
_LANGUAGE_SAMPLE = 1_000


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How long a passage may be, and how much neighbouring ones share in a text without headings."""

    max_chunk_tokens: int = 800
    overlap_tokens: int = 50

    def __post_init__(self) -> None:
        if not 100 <= self.max_chunk_tokens <= 2000:
            raise InvalidArgument(
                f"max_chunk_tokens is {self.max_chunk_tokens}; choose 100 to 2000", field="max_chunk_tokens"
            )
        if not 0 <= self.overlap_tokens <= self.max_chunk_tokens // 2:
            raise InvalidArgument(
                f"overlap_tokens is {self.overlap_tokens}; choose 0 to {self.max_chunk_tokens // 2}, "
                "half of max_chunk_tokens",
                field="overlap_tokens",
            )

    @property
    def recipe(self) -> str:
        """What fingerprints the passages cut with these options."""
        return f"documents/{RECIPE};max={self.max_chunk_tokens};overlap={self.overlap_tokens}"


def cut(content: Content, options: CutOptions | None = None) -> Derivation:
    """The passages of a document in order, with the section ids and spellings by which its sections are found.

    Every character of the text but white space and front matter lies in a passage. Passages overlap only in a text
    without headings, and then by whole sentences of at most `overlap_tokens` together.
    """
    options = options or CutOptions()
    sections = outline(content.text, str(content.metadata.get("file_type", "md")))
    overlap = options.overlap_tokens if not any(section.heading for section in sections) else 0
    chunks: list[Chunk] = []
    for section in sections:
        chain = _chain(content.name, section)
        kind = (
            "header"
            if section.heading and not content.text[section.body.start : section.body.end].strip()
            else "content"
        )
        for span in _spans(content, section, options.max_chunk_tokens, overlap):
            chunks.append(
                Chunk(
                    number=len(chunks),
                    span=span,
                    section_id=section.section_id,
                    parent_chain=chain,
                    chunk_type=kind,
                    language=_language(content, span),
                    context=" > ".join(chain),
                )
            )
    return Derivation(
        recipe=options.recipe,
        chunks=tuple(chunks),
        aliases=tuple(_aliases(sections)),
    )


def _spans(content: Content, section: Section, limit: int, overlap: int) -> list[Span]:
    """The passages of one section, its heading in the first."""
    text = content.text
    start = section.heading.start if section.heading else section.body.start
    whole = _trimmed(text, Span(start, section.body.end))
    if whole.start == whole.end:
        return []
    # A token has at least one character: most sections need no counting.
    if whole.end - whole.start <= limit or count_tokens(text[whole.start : whole.end]) <= limit:
        return [whole]
    heading: list[Unit] = []
    if section.heading:
        tokens = count_tokens(text[section.heading.start : section.heading.end])
        if tokens <= limit // 2:
            heading = [Unit(section.heading, tokens)]
    # A heading is kept with what follows it: room for it is left in every unit.
    room = limit - sum(unit.tokens for unit in heading)
    body = Span(heading[0].span.end, whole.end) if heading else whole
    parts = units(text, body, room, content.language, by_sentence=overlap > 0)
    return pack([*heading, *parts], limit, overlap)


def _trimmed(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _chain(name: str, section: Section) -> tuple[str, ...]:
    """The document's name and the headings, the name not twice when the first heading repeats it."""
    return section.chain if section.chain[:1] == (name,) else (name, *section.chain)


def _language(content: Content, span: Span) -> str:
    if span.end - span.start < _LANGUAGE_CHARS:
        return content.language
    return identify(content.text[span.start : min(span.end, span.start + _LANGUAGE_SAMPLE)], default=content.language)


def _aliases(sections: list[Section]) -> Iterator[Alias]:
    """Other spellings of a section's number, and its heading without the number."""
    for section in sections:
        for spelling in section.spellings:
            yield Alias(spelling, section.section_id)
        number = heading_number(section.title)
        title = section.title[number.end :].strip(" \t.:–—-") if number else ""
        if title:
            yield Alias(title, section.section_id)
