"""Blocks: stretches of versions as they stand in a prompt, headed by their place and followed by their citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, takewhile

from pincite.citation import Citation
from pincite.search.passages import Located, chunk_passage
from pincite.text.sentences import sentences
from pincite.text.tokens import count_tokens
from pincite.text.words import folded_words
from pincite.types import Chunk, Scope, Span

_SPACE = re.compile(r"\s*")

Key = tuple[Scope, str, str]
"""Repository, element, version."""
Anchor = tuple[Key, int]
"""A character of a version, or for a generated passage its chunk, below zero: found again however a block grows."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a block is there; `serves` what stands in another one."""

    text: str
    serves: Anchor | None = None


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A stretch of one version."""

    located: Located
    chunk: int
    """Where it begins."""
    span: Span | None
    """None for a generated passage, which has no place in a text and is never cut."""
    order: tuple[int, int]
    """Direct hits by rank, then what they pull in."""
    relevance: float
    reasons: tuple[Reason, ...]

    @property
    def is_direct(self) -> bool:
        return self.order[0] == 0

    @property
    def key(self) -> Key:
        version = self.located.version
        return version.scope, version.element_id, version.version_id

    @property
    def anchor(self) -> Anchor:
        return self.key, _generated(self.chunk) if self.span is None else self.span.start

    @property
    def text(self) -> str:
        if self.span is None:
            return chunk_passage(self.located, self.chunk).text
        return self.located.version.content.text[self.span.start : self.span.end]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks that it shows something of, in reading order."""
        chunks = self.located.derivation.chunks
        if self.span is None:
            return (chunks[self.chunk],)
        end = self.span.end
        return tuple(takewhile(lambda chunk: chunk.span and chunk.span.start < end, islice(chunks, self.chunk, None)))

    @property
    def citation(self) -> str:
        """Pins exactly what is shown; names a section only if all of it lies there."""
        if self.span is None:
            return chunk_passage(self.located, self.chunk).citation
        sections = {chunk.section_id for chunk in self.chunks}
        return str(Citation(*self.key, sections.pop() if len(sections) == 1 else "", self.span))

    @property
    def title(self) -> str:
        """The headings that stand above all of it."""
        chains = [chunk.parent_chain for chunk in self.chunks]
        above = reduce(_common, chains) if chains else ()
        return " > ".join(" ".join(part.split()) for part in above or (self.located.version.content.name,))


def render(block: ContextBlock, number: int) -> str:
    """The block as it stands in a prompt."""
    return f"[{number}] {block.title}\n{block.text}\n{block.citation}"


def cost(block: ContextBlock) -> int:
    """Tokens of the block in a prompt. White space is free, so blocks add up; numbers up to 999 are one token each."""
    return count_tokens(render(block, 1))


def touches(one: ContextBlock, other: ContextBlock) -> bool:
    """Whether the two are stretches of one version with nothing but white space between them."""
    if one.key != other.key or one.span is None or other.span is None:
        return False
    first, last = sorted((one.span, other.span), key=lambda span: (span.start, span.end))
    space = _SPACE.match(one.located.version.content.text, first.end)
    return space is not None and last.start <= space.end()


def covers(block: ContextBlock, anchor: Anchor, end: int) -> bool:
    """Whether the block shows everything from the anchor on up to `end`."""
    if block.key != anchor[0]:
        return False
    if block.span is None:
        return _generated(block.chunk) == anchor[1]
    return block.span.start <= anchor[1] and end <= block.span.end


def joined(block: ContextBlock, others: Sequence[ContextBlock]) -> ContextBlock:
    """One block of stretches that touch, for all their reasons, at the place of the first in order."""
    parts = sorted((block, *others), key=lambda part: part.order)
    spans = [part.span for part in parts if part.span]
    return replace(
        block,
        chunk=min(part.chunk for part in parts),
        span=Span(min(s.start for s in spans), max(s.end for s in spans)) if spans else None,
        order=parts[0].order,
        relevance=max(part.relevance for part in parts),
        reasons=tuple(dict.fromkeys(reason for part in parts for reason in part.reasons)),
    )


def shorter(block: ContextBlock) -> Iterator[ContextBlock]:
    """The block cut at the ends of its sentences, longest first; never down to its headings."""
    if block.span is None:
        return
    chunk = block.located.derivation.chunks[block.chunk]
    language = chunk.language or block.located.version.content.language
    text, start = block.text, block.span.start
    headings = set(folded_words(" ".join(word for part in block.chunks for word in part.parent_chain)))
    for sentence in reversed(sentences(text, language)[:-1]):
        if headings.issuperset(folded_words(text[: sentence.end])):
            return
        yield replace(block, span=Span(start, start + sentence.end))


def _generated(chunk: int) -> int:
    return -1 - chunk


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]
