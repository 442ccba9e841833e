"""One pass over a repository: keeps of each element only what suggestions need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pincite.catalog.resolve import parse_read_context, resolve
from pincite.eval.cases import Context
from pincite.eval.suggest.definitions import Defined, given_definition, recognise
from pincite.eval.suggest.links import LinkedWords, stated_link, written_links
from pincite.index.entries import passage
from pincite.types import REFERS_TO, Chunk, Derivation, LiveElement

if TYPE_CHECKING:
    from pincite.library import Library

BODY_WORDS = 5
"""A section with fewer words below its heading answers no question."""

_HIDDEN = re.compile(
    r"^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)"
    r"|<!--.*?(?:-->|\Z)|\{\{[^{}]*\}\}",
    re.DOTALL | re.MULTILINE,
)
"""Fenced code, comments and templates, which are not prose."""
_WORD = re.compile(r"\w+")
_TRAILING = " .:–—-"


@dataclass(frozen=True, slots=True)
class SurveyedSection:
    """A section as its chunks show it."""

    section_id: str
    heading: str
    title: str
    """The heading without its number and without a full stop."""
    spellings: tuple[str, ...]
    """How its number may be written."""
    chain: tuple[str, ...]
    """The document's name and the headings above it, its own last; a single entry is the document itself."""
    language: str
    has_body: bool
    is_bare: bool
    """Only a heading, with subsections below."""

    @property
    def depth(self) -> int:
        return len(self.chain)

    @property
    def is_numbered(self) -> bool:
        return bool(self.spellings) or not self.heading.startswith(self.title)


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is kept of an element."""

    element_id: str
    name: str
    language: str
    sections: tuple[SurveyedSection, ...]
    defined: tuple[Defined, ...]
    links: tuple[LinkedWords, ...]


def survey(library: Library, repository: str, read_context: Context) -> list[Sketch]:
    """Sketches of the elements that the library's reader may see, by element id."""
    scope = library.scope(repository)
    with library.catalog.session(scope.tenant) as session:
        info = session.repositories.get(scope)
        head = info.head if info else 0
        view = resolve(session, scope, parse_read_context(read_context), reached=head).view
        # The ids are those open to the reader's roles; only they are looked up in the owner's view.
        ids = session.elements.ids(replace(view, roles=library.roles))
        lives = (session.elements.get(view, element_id) for element_id in ids)
        return [_sketch(live) for live in lives if live is not None]


def _sketch(live: LiveElement) -> Sketch:
    content, derivation = live.version.content, live.derivation
    prose = _HIDDEN.sub(_blank, content.text)
    texts = [
        prose[chunk.span.start : chunk.span.end] if chunk.span else passage(content, chunk)
        for chunk in derivation.chunks
    ]
    languages = [chunk.language or content.language for chunk in derivation.chunks]
    places = list(zip(derivation.chunks, texts, languages, strict=True))
    if derivation.definitions:
        given = ((d, derivation.chunks[d.chunk], languages[d.chunk]) for d in derivation.definitions)
        defined = [given_definition(d, chunk.section_id, language) for d, chunk, language in given]
    else:
        defined = [d for chunk, text, language in places for d in recognise(text, chunk.section_id, language)]
    links = [link for _, text, language in places for link in written_links(text, language)]
    # References are read from the text: those in words name a section rather than ask for it.
    stated = [relation for relation in derivation.relations if relation.relation_type != REFERS_TO]
    links += [link for relation in stated if (link := stated_link(relation, content.language))]
    return Sketch(
        element_id=live.version.element_id,
        name=content.name,
        language=content.language,
        sections=tuple(_sections(derivation, texts, content.language)),
        defined=tuple(dict.fromkeys(d for d in defined if d is not None)),
        links=tuple(dict.fromkeys(links)),
    )


def _blank(hidden: re.Match[str]) -> str:
    """The same number of spaces, so that spans still point to the right place."""
    return "".join("\n" if char == "\n" else " " for char in hidden.group())


def _sections(derivation: Derivation, texts: list[str], language: str) -> Iterator[SurveyedSection]:
    """The sections in order, each from its first chunk and the words of all its chunks."""
    aliases: dict[str, list[str]] = {}
    homes: dict[str, str] = {}
    for alias in derivation.aliases:
        if alias.span is None:
            aliases.setdefault(alias.section_id, []).append(alias.identifier)
        else:
            homes[alias.identifier] = alias.section_id
    words: dict[str, int] = {}
    first: dict[str, Chunk] = {}
    for chunk, text in zip(derivation.chunks, texts, strict=True):
        section_id = homes.get(chunk.section_id, chunk.section_id)
        words[section_id] = words.get(section_id, 0) + len(_WORD.findall(text))
        first.setdefault(section_id, chunk)
    for section_id, chunk in first.items():
        if not section_id or not chunk.parent_chain:
            continue
        heading = chunk.parent_chain[-1]
        known = aliases.get(section_id, [])
        whole = heading.rstrip(_TRAILING)
        title = next((a for a in known if a != whole and whole.endswith(a)), whole)
        yield SurveyedSection(
            section_id=section_id,
            heading=heading,
            title=title,
            spellings=tuple(a for a in known if a != title and any(map(str.isdigit, a))),
            chain=chunk.parent_chain,
            language=chunk.language or language,
            has_body=words[section_id] - len(_WORD.findall(heading)) >= BODY_WORDS,
            is_bare=chunk.chunk_type == "header" and _has_below(derivation, chunk),
        )


def _has_below(derivation: Derivation, chunk: Chunk) -> bool:
    following = derivation.chunks[chunk.number + 1 : chunk.number + 2]
    return any(other.parent_chain[:-1][: len(chunk.parent_chain)] == chunk.parent_chain for other in following)
