"""Pulled in: what belongs to a passage — definitions of its terms, what it refers to, how its section goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.search.blocks import ContextBlock, Key, Reason
from pincite.search.defined import Terms
from pincite.search.passages import Located, home_section, place_inside, section_chunks
from pincite.search.references import Followed, Follower, fetch_targets, span_of
from pincite.search.shelf import ElementShelf
from pincite.types import Chunk, Relation, Scope, Span

LATER = 1
"""Order of what is pulled in: after the direct hits, in the order in which it was found."""


@dataclass
class Pulling:
    """What belongs to the hits of an answer, and what the query itself gave to each chunk."""

    shelf: ElementShelf
    scores: Mapping[tuple[Key, int], float]
    _terms: dict[Key, Terms] = field(default_factory=dict)
    _followers: dict[Scope, Follower] = field(default_factory=dict)
    _count: int = 0

    def fetch(self, blocks: Sequence[ContextBlock]) -> None:
        """Read what the blocks refer to, so that pulling it in asks the catalog no more."""
        self.shelf.fetch_outgoing(block.key[:2] for block in blocks)
        fetch_targets(self.shelf, [(block.key[0], item) for block in blocks for item in self._stated(block)])

    def pull(self, located: Located, number: int, reason: Reason, span: Span | None = None) -> ContextBlock:
        """A chunk, or a stretch in it, for a reason that is not the query."""
        version = located.version
        self._count += 1
        score = self.scores.get(((version.scope, version.element_id, version.version_id), number), 0.0)
        where = span or located.derivation.chunks[number].span
        return ContextBlock(located, number, where, (LATER, self._count), score, (reason,))

    def terms(self, block: ContextBlock) -> Terms:
        """The definitions of the block's document."""
        if block.key not in self._terms:
            self._terms[block.key] = Terms(block.located.excerpt)
        return self._terms[block.key]

    def followed(self, block: ContextBlock) -> Iterator[tuple[Relation, Followed]]:
        """What the block refers to, and where that leads."""
        scope = block.key[0]
        follower = self._followers.setdefault(scope, Follower(self.shelf, scope))
        return ((relation, follower.follow(relation)) for relation in self._stated(block))

    def _stated(self, block: ContextBlock) -> Iterator[Relation]:
        return (relation for relation in self.shelf.outgoing(*block.key[:2]) if _states(block, relation))


def definitions_used(pulling: Pulling, block: ContextBlock) -> Iterator[ContextBlock]:
    """What the block's own document says its terms mean, in the order of the document."""
    located = block.located
    language = block.chunks[0].language or located.version.content.language
    used = pulling.terms(block).used_in(block.text, language, block.chunks[0].parent_chain)
    for definition in sorted(used, key=located.derivation.definitions.index):
        reason = Reason(f"defines {definition.term!r}, used in", block.anchor)
        yield pulling.pull(located, definition.chunk, reason, definition.span)


def references(pulling: Pulling, block: ContextBlock) -> Iterator[ContextBlock]:
    """What the block refers to, as far as the view may read it."""
    for relation, end in pulling.followed(block):
        number = _target(end.located, relation, end.section_id) if end.located else None
        if end.located is not None and number is not None and not end.reason:
            yield pulling.pull(end.located, number, Reason("referred to by", block.anchor))


def next_passage(pulling: Pulling, block: ContextBlock) -> Iterator[ContextBlock]:
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
        yield pulling.pull(block.located, following.number, Reason("next passage of the same section"))


def _states(block: ContextBlock, relation: Relation) -> bool:
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
