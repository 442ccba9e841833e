"""Reading places out of the catalog: chunks, sections, spans, whole elements — always with their citation."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from pincite.advice import either
from pincite.citation import Citation
from pincite.errors import Erased, InvalidArgument, NotFound
from pincite.index.entries import passage as chunk_text
from pincite.protocols import Session
from pincite.search.query import Passage
from pincite.text.identifiers import normalise_identifier
from pincite.types import Alias, Chunk, Derivation, Excerpt, Lifetime, LiveElement, Span, Version, View

MAX_COMPARED = 5_000
"""Ids that are compared with one that does not exist, to suggest another."""


@dataclass(frozen=True, slots=True)
class Located:
    """A version with the way it was cut, and whether it is what the view sees now."""

    version: Version
    derivation: Derivation
    lifetime: Lifetime | None

    @classmethod
    def of(cls, live: LiveElement) -> Located:
        """What a view sees now."""
        return cls(live.version, live.derivation, live.lifetime)

    @property
    def excerpt(self) -> Excerpt:
        """The same with its chunks by number."""
        chunks = dict(enumerate(self.derivation.chunks))
        return Excerpt(self.version, self.lifetime, chunks, self.derivation.definitions)


def locate(catalog: Session, view: View, element_id: str, version_id: str = "") -> Located:
    """The element as the view sees it, or one of its versions by id. `Erased` and `NotFound` are different answers.

    A version that no lifetime open to the caller's roles ever had is not found: absent and hidden look the same.
    """
    live = catalog.elements.get(view, element_id)
    if not version_id:
        if live is None:
            raise absent(catalog, view, element_id)
        return Located.of(live)
    if live is not None and len(version_id) >= 8 and live.version.version_id.startswith(version_id):
        return Located.of(live)
    version = catalog.elements.version(view.scope, element_id, version_id)
    lifetimes = [item for item in catalog.elements.history(view.scope, element_id) if may_read(view.roles, item)]
    mine = [item for item in lifetimes if version is not None and item.version_id == version.version_id]
    if version is None or not mine:
        raise absent(catalog, view, element_id, version_id)
    derivation = catalog.elements.derivation(view.scope, element_id, version.version_id, mine[-1].recipe)
    return Located(version, derivation or Derivation(""), None)


def may_read(roles: frozenset[str] | None, lifetime: Lifetime) -> bool:
    """Whether a caller with these roles may read what lived then; None is the owner."""
    return roles is None or not lifetime.roles or bool(lifetime.roles & roles)


def absent(catalog: Session, view: View, element_id: str, version_id: str = "") -> NotFound:
    """The error that says what is not there: erased, another version, or a name like one that is there."""
    scope = view.scope
    if catalog.elements.tombstone(scope, element_id):
        if not catalog.elements.history(scope, element_id):
            return Erased(f"{element_id!r} was in {scope.repository!r} and has been erased", field="element_id")
        if version_id and catalog.elements.version(scope, element_id, version_id) is None:
            message = f"{element_id!r} was erased and put in again; version {version_id!r} is not among what came after"
            return Erased(message, field="version")
    if version_id and catalog.elements.get(view, element_id):
        advice = either(f"see its versions with: pincite history {element_id}", "its history lists them")
        message = f"{element_id!r} has no version {version_id!r}; {advice}"
        return NotFound(message, field="version")
    near = _similar_ids(catalog, view, element_id)
    search = either("find it with: pincite search WORDS", "find it with a search")
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else search
    return NotFound(
        f"there is no {element_id!r} in {scope.repository!r} at revision {view.revision}; {hint}",
        field="element_id",
        suggestions=near,
    )


def _similar_ids(catalog: Session, view: View, wanted: str) -> list[str]:
    """Ids that the view may read and that were perhaps meant: the same file name first, then similar ones."""
    known = catalog.elements.ids(view, limit=MAX_COMPARED)
    same_name = [element_id for element_id in known if element_id.rsplit("/", 1)[-1] == wanted.rsplit("/", 1)[-1]]
    return same_name[:3] or difflib.get_close_matches(wanted[:200], known, n=3, cutoff=0.6)


def chunk_passage(located: Located, number: int) -> Passage:
    """One chunk of the version."""
    return _chunk_passage(located, located.derivation.chunks[number])


def excerpt_passage(excerpt: Excerpt, number: int) -> Passage:
    """One of the chunks that an excerpt holds."""
    return _chunk_passage(excerpt, excerpt.chunks[number])


def _chunk_passage(located: Located | Excerpt, chunk: Chunk) -> Passage:
    return _passage(located, chunk_text(located.version.content, chunk), chunk.span, chunk)


def section_passage(located: Located, section: str) -> Passage:
    """A section by its id, another spelling of it ("§ 4.2", "Art. 8") or its heading, its subsections included.

    A place inside a section ("Art. 8 Abs. 1 lit. b") is given from its number to its end.
    """
    place = place_inside(located.derivation, section)
    if place is not None and place.span is not None:
        return span_passage(located, place.span, place.identifier)
    section_id = _section_id(located, section)
    chunks = section_chunks(located.derivation, section_id)
    if not chunks:
        known = list(dict.fromkeys(c.section_id for c in located.derivation.chunks if c.section_id))
        near = difflib.get_close_matches(section, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {', '.join(known[:20]) or 'none'}"
        raise NotFound(
            f"{located.version.element_id!r} has no section {section!r}; {hint}",
            field="section",
            suggestions=near or known[:10],
        )
    chain = chunks[0].parent_chain
    last = max(c.number for c in chunks)
    for chunk in located.derivation.chunks[last + 1 :]:
        if not chain or chunk.parent_chain[: len(chain)] != chain or chunk.parent_chain == chain:
            break
        last = chunk.number
    span = _covering(located.derivation.chunks[chunks[0].number : last + 1])
    if span is None:
        return chunk_passage(located, chunks[0].number)
    text = located.version.content.text[span.start : span.end]
    return _passage(located, text, span, chunks[0])


def place_inside(derivation: Derivation, wanted: str) -> Alias | None:
    """The place inside a section that is spelled like this; None if there is none."""
    key = normalise_identifier(wanted)
    return next((alias for alias in derivation.aliases if alias.span and alias.identifier == key), None)


def home_section(derivation: Derivation, section_id: str) -> str:
    """The section that holds a place inside it; any other id is its own home."""
    homes = (alias.section_id for alias in derivation.aliases if alias.span and alias.identifier == section_id)
    return next(homes, section_id)


def section_chunks(derivation: Derivation, section_id: str) -> list[Chunk]:
    """The chunks of a section, also those that lie wholly in a part of it and are named after that."""
    inside = {alias.identifier for alias in derivation.aliases if alias.span and alias.section_id == section_id}
    return [chunk for chunk in derivation.chunks if chunk.section_id == section_id or chunk.section_id in inside]


def _section_id(located: Located, wanted: str) -> str:
    """The id as it is, else the one that an alias, the id itself or a heading spells in normal form."""
    chunks = located.derivation.chunks
    if any(chunk.section_id == wanted for chunk in chunks):
        return wanted
    named = [alias for alias in located.derivation.aliases if alias.section_id and alias.span is None]
    spellings = [(alias.identifier, alias.section_id) for alias in named]
    spellings += [(chunk.section_id, chunk.section_id) for chunk in chunks]
    spellings += [(chunk.parent_chain[-1], chunk.section_id) for chunk in chunks if chunk.parent_chain]
    key = normalise_identifier(wanted)
    return next((section_id for spelling, section_id in spellings if key and normalise_identifier(spelling) == key), "")


def span_passage(located: Located, span: Span, section_id: str = "") -> Passage:
    """A stretch of the stored text, with the section that it begins in unless another is named."""
    text = located.version.content.text
    if not 0 <= span.start < span.end <= len(text):
        raise InvalidArgument(
            f"span {span.start}-{span.end} lies outside {located.version.element_id!r} of {len(text)} characters",
            field="span",
        )
    inside = [c for c in located.derivation.chunks if c.span and c.span.start <= span.start < c.span.end]
    chunk = replace(inside[0], section_id=section_id or inside[0].section_id) if inside else None
    return _passage(located, text[span.start : span.end], span, chunk)


def whole_passage(located: Located) -> Passage:
    """The element in full: its stored text, or its rendered passages where it has none."""
    text = located.version.content.text
    if text:
        return _passage(located, text, Span(0, len(text)), None, whole=True)
    rendered = "\n\n".join(chunk.rendered or "" for chunk in located.derivation.chunks)
    return _passage(located, rendered, None, None, whole=True)


def neighbours(located: Located, around: Passage, count: int) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """Up to `count` chunks before and after a place, in reading order."""
    chunks = located.derivation.chunks
    if around.span is None:
        numbers = [around.chunk] if around.chunk is not None else []
    else:
        where = around.span
        numbers = [c.number for c in chunks if c.span and c.span.start < where.end and where.start < c.span.end]
    if not numbers:
        return (), ()
    first, last = min(numbers), max(numbers)
    before = tuple(chunk_passage(located, n) for n in range(max(0, first - count), first))
    after = tuple(chunk_passage(located, n) for n in range(last + 1, min(len(chunks), last + 1 + count)))
    return before, after


def _covering(chunks: tuple[Chunk, ...]) -> Span | None:
    spans = [chunk.span for chunk in chunks if chunk.span is not None]
    return Span(min(s.start for s in spans), max(s.end for s in spans)) if spans else None


def _passage(
    located: Located | Excerpt, text: str, span: Span | None, chunk: Chunk | None, *, whole: bool = False
) -> Passage:
    version = located.version
    section = chunk.section_id if chunk else ""
    generated = located.lifetime.born if span is None and located.lifetime else None
    citation = Citation(
        version.scope, version.element_id, version.version_id, section, None if whole else span, generated
    )
    return Passage(
        scope=version.scope,
        element_id=version.element_id,
        version_id=version.version_id,
        lifetime=located.lifetime,
        content=version.content,
        text=text,
        span=span,
        citation=str(citation),
        chunk=chunk.number if chunk else None,
        section_id=section,
        parent_chain=chunk.parent_chain if chunk else (version.content.name,),
        chunk_type=chunk.chunk_type if chunk else "content",
        language=(chunk.language if chunk else "") or version.content.language,
        page=chunk.page if chunk else None,
        context=chunk.context if chunk else "",
    )
