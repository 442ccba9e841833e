"""A document is cut along its headings; a section too long for one passage, at paragraphs, sentences, at last words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pincite.kinds.documents.convert.converters import converter_recipe
from pincite.kinds.documents.definitions import definitions, with_types
from pincite.kinds.documents.domains import detect_domain
from pincite.kinds.documents.locate import TABLES, located
from pincite.kinds.documents.markdown import read_blocks, trimmed
from pincite.kinds.documents.numbering import heading_number
from pincite.kinds.documents.outline import Section, outline
from pincite.kinds.documents.passage_types import TYPES, with_duties_and_references
from pincite.kinds.documents.references import with_references
from pincite.kinds.documents.subsections import Subsection, subsections
from pincite.kinds.documents.units import Unit, pack, units
from pincite.kinds.documents.works import long_names, short_names
from pincite.kinds.options import CutOptions
from pincite.text.identifiers import qualified
from pincite.text.language import identify
from pincite.text.tokens import count_tokens
from pincite.types import Alias, Chunk, Content, Derivation, Span

RECIPE = 2
"""Bump when the same text and options give other chunks than before."""

STRUCTURE = 3
"""Bump when places inside sections, or the names of a work, are found in other ways than before."""
DEFINITIONS = 2
"""Bump when definitions are found in other ways than before."""
REFERENCES = 2
"""Bump when cross-references are found or resolved in other ways than before."""

_LANGUAGE_CHARS = 100
"""Shorter passages take the document's language: too little to tell one from."""
_LANGUAGE_SAMPLE = 1_000


def recipe_of(options: CutOptions) -> str:
    """What fingerprints the passages cut with these options."""
    made = f"documents/{RECIPE};max={options.max_chunk_tokens};overlap={options.chunk_overlap};tables={TABLES}"
    made += f";types={TYPES}"
    if options.chunking_strategy != "structure":
        made += f";strategy={options.chunking_strategy}"
    domain = f";domain={options.document_domain}" if options.document_domain else ""
    defined = f";definitions={DEFINITIONS}" if options.extract_definitions else ""
    references = f";references={REFERENCES}" if options.extract_cross_references else ""
    return f"{made};structure={STRUCTURE};depth={options.max_subsection_depth}{domain}{defined}{references}"


def cut(content: Content, options: CutOptions | None = None, element_id: str = "") -> Derivation:
    """The passages of a document in order, with the section ids and spellings by which its sections are found.

    Every character of the text but white space and front matter lies in a passage. Passages overlap only in a text
    without headings or where tokens alone decide, and then by whole sentences of at most `chunk_overlap` together.
    With the element's id come the references that the text makes.
    """
    options = options or CutOptions()
    file_type = str(content.metadata.get("file_type", "md"))
    blocks = read_blocks(content.text, file_type)
    sections, fences = outline(content.text, file_type, blocks), blocks.fences
    domain = options.document_domain or detect_domain(content, sections)
    places = {
        section.section_id: subsections(content.text, number, section.body, domain, options.max_subsection_depth)
        for section in sections
        if (number := _number(content, section))
    }
    chunks = _windows(content, sections, fences, options) if options.chunking_strategy == "token" else []
    overlap = options.chunk_overlap if not any(section.heading for section in sections) else 0
    for section in sections if options.chunking_strategy == "structure" else ():
        chain = _chain(content.name, section)
        kind = (
            "header"
            if section.heading and not content.text[section.body.start : section.body.end].strip()
            else "content"
        )
        for span in _spans(content, section, fences, options.max_chunk_tokens, overlap):
            chunks.append(
                Chunk(
                    number=len(chunks),
                    span=span,
                    section_id=_innermost(span, places.get(section.section_id, ())) or section.section_id,
                    parent_chain=chain,
                    chunk_type=kind,
                    language=_language(content, span),
                    context=" > ".join(chain),
                )
            )
    placed = located(content, chunks, fences)
    defined = definitions(content, placed, sections, fences) if options.extract_definitions else ()
    made = Derivation(
        recipe=recipe_of(options) + converter_recipe(str(content.metadata.get("converter", ""))),
        chunks=with_duties_and_references(content, with_types(content, placed, sections, defined), sections),
        definitions=defined,
        aliases=(*_aliases(sections), *_place_aliases(places), *_work_aliases(content, sections)),
    )
    if not element_id or not options.extract_cross_references:
        return made
    return with_references(element_id, content, made, sections, fences)


def _windows(content: Content, sections: Sequence[Section], fences: Sequence[Span], options: CutOptions) -> list[Chunk]:
    """Passages of equal length over the whole text, each in the section where it begins."""
    if not sections:
        return []
    first = sections[0].heading or sections[0].body
    whole = trimmed(content.text, first.start, sections[-1].body.end)
    parts = units(content.text, whole, options.max_chunk_tokens, content.language, fences, by_sentence=True)
    chunks = []
    for number, span in enumerate(pack(parts, options.max_chunk_tokens, options.chunk_overlap) if parts else ()):
        section = next(s for s in reversed(sections) if (s.heading or s.body).start <= span.start)
        chain = _chain(content.name, section)
        context = " > ".join(chain)
        chunks.append(
            Chunk(number, span, None, section.section_id, chain, language=_language(content, span), context=context)
        )
    return chunks


def _number(content: Content, section: Section) -> str:
    """The number under which places inside a section are cited; a text without headings has that of its name."""
    if section.heading is None and section.level == 0 and heading_number(section.title or content.name) is None:
        return ""
    found = heading_number(section.title if section.heading else content.name)
    return found.section_id if found and any(map(str.isdigit, found.section_id)) else ""


def _innermost(span: Span, places: Sequence[Subsection]) -> str:
    """The innermost place that holds all of the span; "" if none does."""
    holding = [place for place in places if place.span.start <= span.start and span.end <= place.span.end]
    return max(holding, key=lambda place: place.depth).identifier if holding else ""


def _spans(content: Content, section: Section, fences: Sequence[Span], limit: int, overlap: int) -> list[Span]:
    """The passages of one section, its heading in the first."""
    text = content.text
    start = section.heading.start if section.heading else section.body.start
    whole = trimmed(text, start, section.body.end)
    if whole.start == whole.end:
        return []
    # A token has at least one character: most sections need no counting.
    if whole.end - whole.start <= limit or count_tokens(text[whole.start : whole.end]) <= limit:
        return [whole]
    heading: list[Unit] = []
    if section.heading:
        tokens = count_tokens(text[section.heading.start : section.heading.end])
        if tokens <= limit // 2:
            heading = [Unit(section.heading, tokens)]
    # A heading is kept with what follows it: room for it is left in every unit.
    room = limit - sum(unit.tokens for unit in heading)
    body = Span(heading[0].span.end, whole.end) if heading else whole
    parts = units(text, body, room, content.language, fences, by_sentence=overlap > 0)
    return pack([*heading, *parts], limit, overlap)


def _chain(name: str, section: Section) -> tuple[str, ...]:
    """The document's name and the headings, the name not twice when the first heading repeats it."""
    return section.chain if section.chain[:1] == (name,) else (name, *section.chain)


def _language(content: Content, span: Span) -> str:
    if span.end - span.start < _LANGUAGE_CHARS:
        return content.language
    return identify(content.text[span.start : min(span.end, span.start + _LANGUAGE_SAMPLE)], default=content.language)


def _aliases(sections: list[Section]) -> Iterator[Alias]:
    """Other spellings of a section's number, and its heading without the number."""
    for section in sections:
        for spelling in section.spellings:
            yield Alias(spelling, section.section_id)
        number = heading_number(section.title)
        above = heading_number(section.chain[-2]) if number and len(section.chain) > 1 else None
        if number and above and "." not in number.section_id and "." not in above.section_id:
            yield Alias(f"{above.section_id}.{number.section_id}", section.section_id)  # D.4: 4 under D
        title = section.title[number.end :].strip(" \t.:–—-") if number else ""
        if title:
            yield Alias(title, section.section_id)


def _place_aliases(places: Mapping[str, Sequence[Subsection]]) -> Iterator[Alias]:
    for section_id, inside in places.items():
        for place in inside:
            yield Alias(place.identifier, section_id, place.span)


def _work_aliases(content: Content, sections: Sequence[Section]) -> Iterator[Alias]:
    """Short names of the work; of a document that is one section of it ("Art. 41 OR"), that section's in the work."""
    number = heading_number(content.name)
    names = short_names(content)
    if number is None or not number.keyword:
        yield from (Alias(name) for name in dict.fromkeys((*names, *long_names(content))))
        return
    home = next((section.section_id for section in sections if section.section_id == number.section_id), "")
    if not home:
        yield Alias(number.section_id)
    yield from (Alias(qualified(name, number.section_id), home) for name in names)
