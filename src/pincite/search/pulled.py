"""Pulled in: what belongs to a passage — definitions of its terms, what it refers to, how its section goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pincite.protocols import Session
from pincite.protocols.kind import LinkForms
from pincite.search.blocks import Block, Key, Reason
from pincite.search.defined import Terms
from pincite.search.passages import Located, home_section, place_inside, section_chunks
from pincite.search.references import Follower, span_of
from pincite.types import Chunk, Relation, Scope, Span, View

LATER = 1
"""Order of what is pulled in: after the direct hits, in the order in which it was found."""


@dataclass
class Shelf:
    """Elements as the views of an answer see them, each read once; and what the query itself gave to each chunk."""

    catalog: Session
    views: Mapping[Scope, View]
    scores: Mapping[tuple[Key, int], float]
    links: LinkForms
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
    language = block.chunks[0].language or located.version.content.language
    used = Terms(located).used_in(block.text, language, block.chunks[0].parent_chain)
    for definition in sorted(used, key=located.derivation.definitions.index):
        reason = Reason(f"defines {definition.term!r}, used in", block.anchor)
        yield shelf.pull(located, definition.chunk, reason, definition.span)


def references(shelf: Shelf, block: Block) -> Iterator[Block]:
    """What the block refers to, as far as the view may read it."""
    scope, element_id, _ = block.key
    view = shelf.views[scope]
    follower = Follower(shelf.catalog, view, shelf.links, lambda wanted: shelf.located(scope, wanted))
    for relation in shelf.catalog.relations.of(view, element_id, "out"):
        if not _states(block, relation):
            continue
        end = follower.follow(relation)
        number = _target(end.located, relation, end.section_id) if end.located else None
        if end.located is not None and number is not None and not end.reason:
            yield shelf.pull(end.located, number, Reason("referred to by", block.anchor))


def next_passage(shelf: Shelf, block: Block) -> Iterator[Block]:
    """The chunk after the block, if both lie in one section."""
    chunks = block.located.derivation.chunks
    shown = block.chunks
    if not shown or shown[-1].number + 1 >= len(chunks):
        return
    last, following = shown[-1], chunks[shown[-1].number + 1]
    complete = block.span is None or (last.span is not None and last.span.end <= block.span.end)
    derivation = block.located.derivation
    same = home_section(derivation, following.section_id) == home_section(derivation, last.section_id)
    if complete and same and following.parent_chain == last.parent_chain:
        yield shelf.pull(block.located, following.number, Reason("next passage of the same section"))


def _states(block: Block, relation: Relation) -> bool:
    """Whether the block makes the reference: it holds the words, or where they are not given, the section."""
    span = span_of(relation)
    if span is not None and block.span is not None:
        return block.span.start <= span.start < block.span.end
    derivation = block.located.derivation
    sections = {home_section(derivation, chunk.section_id) for chunk in block.chunks}
    return not relation.source_section or home_section(derivation, relation.source_section) in sections


def _target(target: Located, relation: Relation, section_id: str) -> int | None:
    """The chunk that a relation leads to: of the place that it names, else the first that says something."""
    chunks = target.derivation.chunks
    place = place_inside(target.derivation, section_id) if section_id else None
    if place is not None and place.span is not None:
        start = place.span.start
        return next((c.number for c in chunks if c.span and c.span.start <= start < c.span.end), None)
    if section_id:
        chunks = tuple(section_chunks(target.derivation, section_id))
    elif relation.source == target.version.element_id:
        return None  # it refers to itself as a whole: nothing to add
    return next(map(_number, filter(_says_something, chunks)), chunks[0].number if chunks else None)


def _number(chunk: Chunk) -> int:
    return chunk.number


def _says_something(chunk: Chunk) -> bool:
    return chunk.chunk_type != "header"
