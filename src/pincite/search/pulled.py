"""Pulled in: what belongs to a passage — definitions of its terms, what it refers to, how its section goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pincite.protocols import Catalog
from pincite.search.blocks import Block, Key, Reason
from pincite.search.passages import Located
from pincite.text.words import folded_words, stem
from pincite.types import Chunk, Definition, Relation, Scope, Span, View

LATER = 1
"""Order of what is pulled in: after the direct hits, in the order in which it was found."""


@dataclass
class Shelf:
    """Elements as the views of an answer see them, each read once; and what the query itself gave to each chunk."""

    catalog: Catalog
    views: Mapping[Scope, View]
    scores: Mapping[tuple[Key, int], float]
    _read: dict[tuple[Scope, str], Located | None] = field(default_factory=dict)
    _count: int = 0

    def located(self, scope: Scope, element_id: str) -> Located | None:
        """The element, if the view may read it."""
        if (scope, element_id) not in self._read:
            live = self.catalog.elements.get(self.views[scope], element_id)
            self._read[scope, element_id] = Located(live.version, live.derivation, live.lifetime) if live else None
        return self._read[scope, element_id]

    def pull(self, located: Located, number: int, reason: Reason, span: Span | None = None) -> Block:
        """A chunk, or a stretch in it, for a reason that is not the query."""
        version = located.version
        self._count += 1
        score = self.scores.get(((version.scope, version.element_id, version.version_id), number), 0.0)
        where = span or located.derivation.chunks[number].span
        return Block(located, number, where, (LATER, self._count), score, (reason,))


def definitions_used(shelf: Shelf, block: Block) -> Iterator[Block]:
    """What the block's own document says its terms mean, in the order of the document."""
    located = block.located
    words = _stems(block.text, block)
    for definition in located.derivation.definitions:
        if f" {_stems(definition.term, block).strip()} " in words and _is_there(located, definition):
            reason = Reason(f"defines {definition.term!r}, used in", block.anchor)
            yield shelf.pull(located, definition.chunk, reason, definition.span)


def references(shelf: Shelf, block: Block) -> Iterator[Block]:
    """What the block refers to, as far as the view may read it."""
    scope, element_id, _ = block.key
    sections = {chunk.section_id for chunk in block.chunks}
    for relation in shelf.catalog.relations.of(shelf.views[scope], element_id, "out"):
        if relation.source_section and relation.source_section not in sections:
            continue
        target = shelf.located(scope, relation.target)
        number = _target(target, relation, element_id) if target else None
        if target is not None and number is not None:
            yield shelf.pull(target, number, Reason("referred to by", block.anchor))


def next_passage(shelf: Shelf, block: Block) -> Iterator[Block]:
    """The chunk after the block, if both lie in one section."""
    chunks = block.located.derivation.chunks
    shown = block.chunks
    if not shown or shown[-1].number + 1 >= len(chunks):
        return
    last, following = shown[-1], chunks[shown[-1].number + 1]
    complete = block.span is None or (last.span is not None and last.span.end <= block.span.end)
    if complete and following.section_id == last.section_id and following.parent_chain == last.parent_chain:
        yield shelf.pull(block.located, following.number, Reason("next passage of the same section"))


def _stems(text: str, block: Block) -> str:
    """The words in the form in which singular and plural meet, with a space around each."""
    language = block.chunks[0].language or block.located.version.content.language
    return f" {' '.join(stem(word, language) for word in folded_words(text))} "


def _is_there(located: Located, definition: Definition) -> bool:
    return bool(folded_words(definition.term)) and 0 <= definition.chunk < len(located.derivation.chunks)


def _target(target: Located, relation: Relation, source: str) -> int | None:
    """The chunk that a relation leads to: of the section that it names, else the first that says something."""
    chunks = target.derivation.chunks
    if relation.target_section:
        chunks = tuple(chunk for chunk in chunks if chunk.section_id == relation.target_section)
    elif relation.target == source:
        return None  # it refers to itself as a whole: nothing to add
    return next(map(_number, filter(_says_something, chunks)), chunks[0].number if chunks else None)


def _number(chunk: Chunk) -> int:
    return chunk.number


def _says_something(chunk: Chunk) -> bool:
    return chunk.chunk_type != "header"
