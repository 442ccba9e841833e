"""Defined: which of a document's definitions a passage uses, as far as each of them reaches.

A term is used where its words stand in a row, in whatever number or case; of two terms that begin at the same word
the longer is meant ("customer content" uses neither customer nor content). A definition for a part or a section is
used below that heading only, and there it comes before a wider one of the same term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from pincite.citation import Citation
from pincite.search.query import DefinedTerm, Passage
from pincite.text.fold import fold
from pincite.text.stopwords import STOPWORDS
from pincite.text.words import folded_words, stem
from pincite.types import Chunk, Definition, Excerpt, Span

_WIDTH = {"section": 0, "part": 1}
"""The narrower reach first; what is said of neither reaches through the document."""
_DOCUMENT = 100


@dataclass(slots=True)
class Terms:
    """The definitions of one document, ready to be met in its passages."""

    excerpt: Excerpt
    _by_first: dict[str, dict[str, list[tuple[tuple[str, ...], Definition]]]] = field(default_factory=dict)
    """By language, and by the first word of the term."""

    def used_in(self, text: str, language: str, chain: tuple[str, ...]) -> Iterator[Definition]:
        """The definitions that a passage under these headings uses, in the order of their first use."""
        known = self._prepared(language)
        words = _stems(text, language)
        seen: set[tuple[str, ...]] = set()
        at = 0
        while at < len(words):
            meant = self._meant(words, at, known[words[at]], chain) if words[at] in known else []
            if not meant:
                at += 1
                continue
            term = meant[0][0]
            if term not in seen:
                seen.add(term)
                yield from (definition for _, definition in meant)
            at += len(term)

    def _meant(
        self,
        words: Sequence[str],
        at: int,
        known: Sequence[tuple[tuple[str, ...], Definition]],
        chain: tuple[str, ...],
    ) -> list[tuple[tuple[str, ...], Definition]]:
        """The definitions of the longest term that begins here, those with the narrowest reach."""
        here = [
            (term, definition)
            for term, definition in known
            if tuple(words[at : at + len(term)]) == term and reaches(self.excerpt, definition, chain)
        ]
        if not here:
            return []
        longest = max(len(term) for term, _ in here)
        narrowest = min(_width(definition) for term, definition in here if len(term) == longest)
        return [pair for pair in here if len(pair[0]) == longest and _width(pair[1]) == narrowest]

    def _prepared(self, language: str) -> dict[str, list[tuple[tuple[str, ...], Definition]]]:
        if language not in self._by_first:
            known = self._by_first[language] = {}
            for definition in self.excerpt.definitions:
                if (term := _term(definition.term, language)) and definition.chunk in self.excerpt.chunks:
                    known.setdefault(term[0], []).append((term, definition))
        return self._by_first[language]


def terms_used(terms: Terms, passage: Passage, most: int) -> tuple[DefinedTerm, ...]:
    """What the passage's own document says that so many of its terms mean; what it defines itself is left out.

    A term with several meanings has them all, up to as many as terms; one that is stated twice is given once.
    """
    said: dict[tuple[str, str], Definition] = {}
    for definition in terms.used_in(passage.text, passage.language, passage.parent_chain):
        if not _holds(passage, definition):
            said.setdefault((fold(definition.term), " ".join(definition.text.split())), definition)
    shown = set(islice(dict.fromkeys(term for term, _ in said), most))
    told = (definition for (term, _), definition in said.items() if term in shown)
    return tuple(defined_term(terms.excerpt, definition) for definition in islice(told, 2 * most))


def _holds(passage: Passage, definition: Definition) -> bool:
    if definition.span is None or passage.span is None:
        return definition.chunk == passage.chunk
    return passage.span.start <= definition.span.start and definition.span.end <= passage.span.end


def reaches(excerpt: Excerpt, definition: Definition, chain: tuple[str, ...]) -> bool:
    """Whether a definition holds for a passage under these headings."""
    within = holds_within(excerpt, definition)
    return chain[: len(within)] == within


def holds_within(excerpt: Excerpt, definition: Definition) -> tuple[str, ...]:
    """The headings below which a definition holds; none if it holds everywhere in its document."""
    kind, _, up = definition.scope.partition("/")
    if kind not in _WIDTH or definition.chunk not in excerpt.chunks:
        return ()
    own = excerpt.chunks[definition.chunk].parent_chain
    return own if kind == "section" else own[: -int(up or 1)]


def defined_term(excerpt: Excerpt, definition: Definition) -> DefinedTerm:
    """A definition with the citation that pins it."""
    chunk: Chunk = excerpt.chunks[definition.chunk]
    version = excerpt.version
    span: Span | None = definition.span or chunk.span
    citation = Citation(version.scope, version.element_id, version.version_id, chunk.section_id, span)
    within = holds_within(excerpt, definition)
    return DefinedTerm(definition.term, definition.text, str(citation), definition.scope.partition("/")[0], within)


def _width(definition: Definition) -> int:
    """Narrower first; of two parts the one that lies deeper."""
    kind, _, up = definition.scope.partition("/")
    return _WIDTH[kind] + int(up or 1) if kind == "part" else _WIDTH.get(kind, _DOCUMENT)


def _stems(text: str, language: str) -> list[str]:
    return [_stem(word, language) for word in folded_words(text)]


@lru_cache(maxsize=20_000)
def _term(term: str, language: str) -> tuple[str, ...]:
    """The stems of a term; none for function words alone.

    "You" is defined in every contract and used in every sentence: saying so each time helps nobody.
    """
    words = folded_words(term)
    common = STOPWORDS.get(language, frozenset())
    return () if all(word in common for word in words) else tuple(_stem(word, language) for word in words)


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    return stem(word, language)
