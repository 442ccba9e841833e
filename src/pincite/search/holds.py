"""Holds: which words of a query an element has, read from its own text; for explanations, never for answers.

The index expands words further (compounds, spellings), so a word may match although it is listed as lacking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pincite.index.entries import passage, written_context
from pincite.queries import All, Maybe, Node, Not, Phrase, Prefix, Some, Word
from pincite.text.words import analyse, folded_words, tokens, without_elisions
from pincite.types import LiveElement


@dataclass(frozen=True, slots=True)
class Holding:
    """How an element and the words of a query meet."""

    lacks: tuple[str, ...]
    """What the query asks for and the element does not hold; function words aside."""
    forbidden: tuple[str, ...]
    """What the query forbids and the element holds."""


Leaf = Word | Phrase | Prefix


def holding(live: LiveElement, query: Node) -> Holding:
    """Which words of the query the element lacks, and which forbidden ones it holds."""
    text = _Text.of(live)
    leaves = list(_leaves(query))
    asked = [leaf for leaf, wanted in leaves if wanted and not (isinstance(leaf, Word) and leaf.stop)]
    lacks = dict.fromkeys(leaf.text for leaf in asked if not text.has(leaf))
    forbidden = dict.fromkeys(leaf.text for leaf, wanted in leaves if not wanted and text.has(leaf))
    return Holding(tuple(lacks), tuple(forbidden))


@dataclass(frozen=True, slots=True)
class _Text:
    """An element as the words that can be looked for in it."""

    languages: frozenset[str]
    terms: frozenset[str]
    stream: str
    """Its folded words in order, with a space around each."""

    @classmethod
    def of(cls, live: LiveElement) -> _Text:
        content = live.version.content
        languages: set[str] = set()
        terms: set[str] = set()
        words = [*folded_words(content.name), ""]
        for chunk in live.derivation.chunks:
            language = chunk.language or content.language
            languages.add(language)
            for part in (*chunk.parent_chain, chunk.section_id, written_context(chunk), passage(content, chunk)):
                for token in (analyse(raw, language) for raw in tokens(part)):
                    terms.update(token.terms)
                    words.extend(token.words)
                words.append("")  # a phrase does not cross from a heading into the text
        return cls(frozenset(languages), frozenset(terms), f" {' '.join(words)} ")

    def has(self, leaf: Leaf) -> bool:
        words = folded_words(leaf.text)
        if not words:
            return True
        if isinstance(leaf, Prefix):
            return f" {' '.join(words)}" in self.stream
        if f" {' '.join(words)} " in self.stream:
            return True
        return isinstance(leaf, Word) and any(
            self.terms.intersection(analyse(without_elisions(token), language).terms)
            for token in tokens(leaf.text)
            for language in self.languages
        )


def _leaves(node: Node, wanted: bool = True) -> Iterator[tuple[Leaf, bool]]:
    """The words, phrases and prefixes of a query, and whether each is asked for rather than forbidden."""
    match node:
        case All(parts) | Some(parts):
            for part in parts:
                yield from _leaves(part, wanted)
        case Maybe(part):
            yield from _leaves(part, wanted)
        case Not(part):
            yield from _leaves(part, not wanted)
        case _:
            yield node, wanted
