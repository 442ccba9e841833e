"""What of a lifetime goes into an index: the same for every engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from pincite.filters import filter_values, is_iso_date
from pincite.ids import embedded_hash
from pincite.text.identifiers import normalise_identifier, qualified, term_key
from pincite.types import BEFORE_WRITTEN, Alias, Birth, Chunk, Content, Derivation, EmbeddedText

MAX_WORK_WORDS = 8
"""A section is cited together with a name of its document that is no longer than this."""


def embedded_text(content: Content, chunk: Chunk) -> EmbeddedText:
    """What an embedder sees of a chunk: the passage, under its headings or the context that was written for it."""
    return EmbeddedText(passage(content, chunk), chunk.context, chunk.language or content.language)


def embedded_key(content: Content, chunk: Chunk) -> str:
    """The hash under which the vectors of a chunk are kept, in catalog and index."""
    return embedded_hash(chunk.context, passage(content, chunk))


@dataclass(frozen=True, slots=True)
class Entry:
    """One chunk, ready to be indexed."""

    number: int
    language: str
    fields: Mapping[str, str]
    """Texts by the name of their field; empty for a bare heading."""
    identifiers: tuple[str, ...]
    filters: tuple[tuple[str, str], ...]


def entries(birth: Birth) -> Iterator[Entry]:
    """The chunks of a lifetime. Each repeats what identifies its element, so that any of them can be found by it."""
    content, derivation = birth.content, birth.derivation
    terms: dict[int, list[str]] = {}
    for definition in derivation.definitions:
        terms.setdefault(definition.chunk, []).append(definition.term)
    aliases: dict[str, list[str]] = {}
    for alias in derivation.aliases:
        if alias.span is None:
            aliases.setdefault(alias.section_id, []).append(alias.identifier)
    places = _Places(derivation)
    works = [name for name in (content.name, *aliases.get("", ())) if 0 < len(name.split()) <= MAX_WORK_WORDS]
    shared = _element_filters(content)
    names = (birth.lifetime.element_id, content.name, *aliases.get("", ()))
    above: list[str] = []
    for chunk, following in zip_longest(derivation.chunks, derivation.chunks[1:]):
        defined = terms.get(chunk.number, [])
        bare = chunk.chunk_type == "header" and _is_below(following, chunk)
        section_id = places.section_of(chunk)
        identifiers = [*_section_identifiers(chunk, section_id, aliases), *places.inside(chunk)]
        if bare:
            # A bare heading answers nothing: its number leads to it, its words and its name to what stands below.
            above += [name for name in identifiers if not _has_digit(name)]
            identifiers = [name for name in identifiers if _has_digit(name)]
        else:
            identifiers, above = [*names, *map(term_key, defined), *identifiers, *above], []
        named = [qualified(work, section_id) for work in works] if _has_digit(section_id) else []
        yield Entry(
            number=chunk.number,
            language=chunk.language or content.language,
            fields={} if bare else _fields(content, chunk, defined),
            identifiers=tuple(dict.fromkeys(key for key in (*map(normalise_identifier, identifiers), *named) if key)),
            filters=tuple(dict.fromkeys((*shared, *_chunk_filters(content, chunk)))),
        )


def _is_below(following: Chunk | None, chunk: Chunk) -> bool:
    chain = chunk.parent_chain
    return (
        following is not None
        and len(following.parent_chain) > len(chain)
        and following.parent_chain[: len(chain)] == chain
    )


def passage(content: Content, chunk: Chunk) -> str:
    """The text of a chunk: cut out of the source, or as it was rendered."""
    if chunk.span is None:
        return chunk.rendered or ""
    return content.text[chunk.span.start : chunk.span.end]


def written_context(chunk: Chunk) -> str:
    """What of a chunk's context is more than the headings above it: usually what a model wrote."""
    headings = " > ".join(chunk.parent_chain)
    if chunk.context == headings:
        return ""
    return chunk.context.removeprefix(f"{headings}{BEFORE_WRITTEN}") if headings else chunk.context


def _fields(content: Content, chunk: Chunk, defined: list[str]) -> dict[str, str]:
    """The fields of a chunk. Structural context repeats the headings, which have their own field: it is left out."""
    chain = chunk.parent_chain or (content.name,)
    written = written_context(chunk)
    text = passage(content, chunk)
    return {
        "content": f"{written}\n{text}" if written else text,
        "headings": "\n".join(chain),
        "section": chunk.section_id,
        "terms": "\n".join(defined),
        **dict(chunk.fields),
    }


def _section_identifiers(chunk: Chunk, section_id: str, aliases: Mapping[str, list[str]]) -> list[str]:
    """The number or slug of a chunk's section, other ways to write it, and its heading."""
    if not section_id:
        return []
    return [section_id, *aliases.get(section_id, ()), *chunk.parent_chain[-1:]]


class _Places:
    """Places inside sections ("Art. 41 Abs. 1 lit. b"), which an alias with a span names."""

    def __init__(self, derivation: Derivation) -> None:
        self._sections = {alias.identifier: alias.section_id for alias in derivation.aliases if alias.span}
        self._by_section: dict[str, list[Alias]] = {}
        for alias in derivation.aliases:
            if alias.span:
                self._by_section.setdefault(alias.section_id, []).append(alias)

    def section_of(self, chunk: Chunk) -> str:
        """The section of a chunk, also of one that lies wholly in a part of it and is named after that."""
        return self._sections.get(chunk.section_id, chunk.section_id)

    def inside(self, chunk: Chunk) -> list[str]:
        """The places of which the chunk holds something."""
        span = chunk.span
        if span is None:
            return []
        return [
            alias.identifier
            for alias in self._by_section.get(self.section_of(chunk), ())
            if alias.span and alias.span.start < span.end and span.start < alias.span.end
        ]


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _element_filters(content: Content) -> tuple[tuple[str, str], ...]:
    pairs = [("kind", content.kind), ("element_type", content.element_type)]
    for key, value in content.metadata.items():
        pairs += [(key, text) for text in filter_values(value) if key != "date" or is_iso_date(text)]
    return tuple(pairs)


def _chunk_filters(content: Content, chunk: Chunk) -> tuple[tuple[str, str], ...]:
    language = chunk.language or content.language
    return (
        (("language", language), ("chunk_type", chunk.chunk_type)) if language else (("chunk_type", chunk.chunk_type),)
    )
