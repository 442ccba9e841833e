"""The walk through a document: section by section, statement by statement, to the definitions and their chunks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from pincite.kinds.documents.definitions.forms import Forms, known
from pincite.kinds.documents.definitions.listed import listed
from pincite.kinds.documents.definitions.scope import scope_of
from pincite.kinds.documents.definitions.spoken import Surroundings, spoken
from pincite.kinds.documents.definitions.statements import Statement, inline_items, statements
from pincite.kinds.documents.definitions.terms import can_be_term, can_stand_before_colon, plain_term
from pincite.kinds.documents.numbering import heading_number
from pincite.kinds.documents.outline import Section
from pincite.types import Chunk, Content, Definition, Span

MAX_DEFINITION = 4_000
"""Characters; what would be longer ends with its own statement."""
MOSTLY = 0.6
"""Share of a chunk's words from which it is called a definition."""

_GLOSSARY_FOLDERS = frozenset({"glossary", "glossar", "glossaire", "glossario"})
_NO_ENTRY = frozenset({"index", "_index", "readme"})
_ENDS_LIST = frozenset({"raised", "bare", "decimal"})
_GOES_ON = re.compile(r":\s*\d?\Z")
_ONLY_MARKUP = re.compile(r"\s*(?:\{\{.*\}\}|<[^<>]*>|!?\[[^\]]*\]\([^)]*\))\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Found:
    term: str
    at: int
    span: Span
    scope: str


def definitions(
    content: Content, chunks: Sequence[Chunk], sections: Sequence[Section], fences: Sequence[Span]
) -> tuple[Definition, ...]:
    """What the document says its terms mean, in the order of the text; spans are those of the stored text."""
    found: dict[tuple[str, int], _Found] = {}
    for section in sections:
        for item in (*_page(content, section, fences), *_Reading(content, chunks, section, fences).found()):
            found.setdefault((item.term.casefold(), item.span.start), item)
    placed = ((item, _chunk(chunks, item)) for item in sorted(found.values(), key=lambda item: (item.at, item.term)))
    return tuple(
        Definition(item.term, content.text[item.span.start : item.span.end], number, item.span, item.scope)
        for item, number in placed
        if number is not None
    )


def with_types(
    content: Content, chunks: Sequence[Chunk], sections: Sequence[Section], found: Sequence[Definition]
) -> tuple[Chunk, ...]:
    """The chunks; those that hold little else than definitions are called so."""
    headings = [section.heading for section in sections if section.heading]
    spans = [definition.span for definition in found if definition.span]
    numbers = {definition.chunk for definition in found}
    out = []
    for chunk in chunks:
        if chunk.number in numbers and chunk.chunk_type == "content" and chunk.span:
            defined = _inked(content.text, chunk.span, spans)
            words = _inked(content.text, chunk.span, [chunk.span]) - _inked(content.text, chunk.span, headings)
            if defined >= MOSTLY * words:
                chunk = replace(chunk, chunk_type="definition")
        out.append(chunk)
    return tuple(out)


def _inked(text: str, within: Span, spans: Sequence[Span]) -> int:
    """Characters other than white space that the spans, overlapping or not, cover in a stretch."""
    total, at = 0, within.start
    for span in sorted((s for s in spans if s.start < within.end and within.start < s.end), key=lambda s: s.start):
        start, end = max(at, span.start), min(within.end, span.end)
        if start < end:
            total += len("".join(text[start:end].split()))
            at = end
    return total


def _chunk(chunks: Sequence[Chunk], found: _Found) -> int | None:
    """The chunk that shows the definition, whole if there is one."""
    holding = [chunk for chunk in _around(chunks, found.at) if chunk.span and found.at < chunk.span.end]
    whole = [chunk for chunk in holding if chunk.span and found.span.end <= chunk.span.end]
    return next((chunk.number for chunk in (*whole, *holding)), None)


def _around(chunks: Sequence[Chunk], at: int) -> Sequence[Chunk]:
    """The last chunks that begin at a place or before it; two, because neighbours may overlap."""
    after = bisect_right(chunks, at, key=lambda chunk: chunk.span.start if chunk.span else 0)
    return chunks[max(0, after - 2) : after]


def _page(content: Content, section: Section, fences: Sequence[Span]) -> Iterator[_Found]:
    """A page of its own in a folder of glossary entries: its title is the term, its first paragraph the meaning."""
    path = PurePosixPath(str(content.metadata.get("source_path", "")))
    if section.heading or path.parent.name.lower() not in _GLOSSARY_FOLDERS or path.stem.lower() in _NO_ENTRY:
        return
    forms = known(content.language)[0]
    term = plain_term(content.name, forms)
    first = next(iter(_prose(content.text, section.body, fences)), None)
    if first is not None and can_be_term(term):
        yield _Found(term, first.span.start, first.span, "document")


def _prose(text: str, body: Span, fences: Sequence[Span]) -> Iterator[Statement]:
    return (item for item in statements(text, body, fences) if not _ONLY_MARKUP.match(item.text(text)))


class _Reading:
    """One section on the way: whether its heading promises definitions, whether a list of them is under way."""

    def __init__(self, content: Content, chunks: Sequence[Chunk], section: Section, fences: Sequence[Span]) -> None:
        self._text = content.text
        self._fences = fences
        self._section = section
        own = next((chunk.language for chunk in reversed(_around(chunks, section.body.start))), "")
        self._forms = known(content.language, own)
        numbered = heading_number(section.title)
        titles = [_bare(title) for title in section.chain]
        self._above = any(form.glossary.fullmatch(title) for form in self._forms for title in titles[:-1])
        promised = any(
            form.glossary.fullmatch(title) or form.among.search(title) for form in self._forms for title in titles[-1:]
        )
        is_article = numbered is not None and numbered.keyword
        self._is_entry = self._above and not promised and numbered is None and can_be_term(titles[-1])
        title = titles[-1] if is_article and titles else ""
        self._place = Surroundings(promised or (self._above and not self._is_entry), title, own or content.language)

    def found(self) -> Iterator[_Found]:
        text, parts = self._text, statements(self._text, self._section.body, self._fences)
        if self._is_entry:
            yield from self._entry()
        announcement = ""
        for number, part in enumerate(parts):
            if part.meaning:
                yield from self._of_definition_list(part)
                continue
            items = inline_items(text, part.span)
            if self._announces(text[items[0].start : items[0].end]):
                announcement = text[items[0].start : items[0].end]
                yield from self._items(items[1:], announcement, part, parts[number + 1 :])
                continue
            if announcement and part.mark in _ENDS_LIST:
                announcement = ""
            here = list(self._items(items, announcement, part, parts[number + 1 :]))
            if announcement and not here and not part.mark:
                announcement = ""
            yield from here

    def _announces(self, statement: str) -> bool:
        return any(form.lead_in.search(statement) for form in self._forms)

    def _entry(self) -> Iterator[_Found]:
        """A heading under a glossary names the term, the first paragraph below it says the meaning."""
        first = next(_prose(self._text, self._section.body, self._fences), None)
        if first is not None and self._section.heading is not None:
            term = plain_term(self._section.title, self._forms[0])
            yield _Found(
                term, self._section.heading.start, Span(self._section.heading.start, first.span.end), "document"
            )

    def _of_definition_list(self, part: Statement) -> Iterator[_Found]:
        form = self._forms[0]
        line = self._text[part.span.start : part.meaning].splitlines()[0]
        term = plain_term(line, form)
        if can_stand_before_colon(term, form):
            yield _Found(term, part.span.start, part.span, "document")

    def _items(
        self, items: Sequence[Span], announcement: str, part: Statement, after: Sequence[Statement]
    ) -> Iterator[_Found]:
        """The definitions of one statement, or of the items that run on in it."""
        expected = bool(announcement) or self._place.expected
        named = [
            next((hit for form in self._forms if (hit := self._listed(item, form, announcement, part))), None)
            for item in items
        ]
        if len(items) > 1 and sum(hit is not None for hit in named) < len(items) - 1:
            items, named = [part.span], named[:1]  # dots and letters of running text, no list
        for item, hit in zip(items, named, strict=True):
            is_last = item.end == part.span.end
            if hit and expected:
                form = self._forms[0]
                scope = self._scope(announcement, form)
                yield _Found(hit[0], hit[1], self._whole(item, part, after) if is_last else item, scope)
            yield from self._spoken(item, announcement, part, after if is_last else (), skip=hit)

    def _listed(self, item: Span, form: Forms, announcement: str, part: Statement) -> tuple[str, int] | None:
        if not announcement and not self._place.expected:
            return None
        return listed(
            self._text, item, form, announced=bool(announcement), is_item=bool(part.mark) or item != part.span
        )

    def _spoken(
        self,
        item: Span,
        announcement: str,
        part: Statement,
        after: Sequence[Statement],
        skip: tuple[str, int] | None,
    ) -> Iterator[_Found]:
        text = self._text
        seen: set[tuple[str, int]] = set()
        for form in self._forms:
            place = replace(self._place, expected=self._place.expected or bool(announcement))
            hits, sentences = spoken(text, item, form, place)
            for hit in hits:
                if (hit.term, hit.at) in seen or (skip and (hit.sentence == 0 and hit.term == skip[0])):
                    continue
                seen.add((hit.term, hit.at))
                alone = hit.sentence == 0 and skip is None and all(other.sentence == 0 for other in hits)
                if alone and place.expected:
                    span = self._whole(item, part, after)
                else:
                    span = self._sentences(sentences, hit.sentence, {h.sentence for h in hits}, form)
                    if span.end == item.end:
                        span = Span(span.start, self._whole(item, part, after).end)
                yield _Found(hit.term, hit.at, span, self._scope(f"{announcement} {hit.before}", form))

    def _sentences(self, sentences: Sequence[Span], number: int, defining: set[int], form: Forms) -> Span:
        """A sentence with those behind it that say what it takes in or leaves out."""
        last = number
        while (
            last + 1 < len(sentences)
            and last + 1 not in defining
            and form.exception.search(self._text, sentences[last + 1].start, sentences[last + 1].end)
        ):
            last += 1
        return Span(sentences[number].start, sentences[last].end)

    def _whole(self, item: Span, part: Statement, after: Sequence[Statement]) -> Span:
        """The statement; one that ends in a colon goes on with the list below it."""
        end = item.end
        if _GOES_ON.search(self._text, item.start, item.end) and after and after[0].mark not in ("", part.mark):
            for following in after:
                if following.mark != after[0].mark or following.span.end - item.start > MAX_DEFINITION:
                    break
                end = following.span.end
        return Span(item.start, end)

    def _scope(self, said_before: str, form: Forms) -> str:
        return scope_of(said_before, form, self._section.chain)


def _bare(title: str) -> str:
    """A heading without its number."""
    number = heading_number(title)
    return title[number.end :].strip(" \t.:–—-") if number else title.strip(" \t.:")
