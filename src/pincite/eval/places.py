"""Places: finds judged places in a library, so that ranked passages can be matched with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pincite.errors import NotFound
from pincite.eval.cases import Case, Context, Judgement
from pincite.filters import filter_values
from pincite.ids import normalise_id
from pincite.queries import Found
from pincite.search.query import Passage
from pincite.text.identifiers import normalise_identifier
from pincite.types import Chunk

if TYPE_CHECKING:
    from pincite.library import Library

DOCKETS = ("docket", "docket_number", "case_number")
"""Metadata that contain the number of a decision."""
ElementKey = tuple[str, str]
"""Repository and element id."""


@dataclass(slots=True)
class JudgedPlaces:
    """The judged places of one library; lookups are cached."""

    library: Library
    repositories: tuple[str, ...]
    _ids: dict[str, frozenset[str]] = field(default_factory=dict)
    _dockets: dict[str, dict[str, list[ElementKey]]] = field(default_factory=dict)

    def locate(self, case: Case, read_context: Context) -> JudgedCase:
        """Where the judged places of a case are, and which are missing."""
        grades: dict[str, int] = {}
        sections: dict[ElementKey, list[tuple[str, Passage]]] = {}
        missing: list[str] = []
        for given in case.relevant:
            judged, elements = self._resolve(given, read_context)
            is_there = bool(elements) and not judged.section
            for repository, element_id in elements if judged.section else ():
                place = self._section(repository, element_id, judged.section, read_context)
                if place is not None:
                    is_there = True
                    name = replace(judged, target=element_id).name
                    sections.setdefault((repository, element_id), []).append((name, place))
            if not is_there:
                missing.append(judged.name)
            for name in {replace(judged, target=element_id).name for _, element_id in elements} or {judged.name}:
                grades[name] = max(judged.grade, grades.get(name, 0))
        return JudgedCase(self.library, grades, sections, tuple(missing))

    def _resolve(self, judged: Judgement, read_context: Context) -> tuple[Judgement, list[ElementKey]]:
        """The elements that a judgement names. Files of judgements have one column: `element#section` is a section."""
        found = self._elements(judged, read_context)
        element_id, sign, section = judged.target.rpartition("#")
        if found or not (sign and element_id and section) or judged.section:
            return judged, found
        split = replace(judged, target=element_id, section=section)
        return split, self._elements(split, read_context)

    def _elements(self, judged: Judgement, read_context: Context) -> list[ElementKey]:
        if judged.by == "docket":
            return self._by_docket(judged.target, read_context)
        wanted = normalise_id(judged.target)
        return [(name, wanted) for name in self.repositories if wanted in self._known(name, read_context)]

    def _by_docket(self, docket: str, read_context: Context) -> list[ElementKey]:
        """The elements with a docket number, however it is written."""
        key = str(read_context)
        if key not in self._dockets:
            self._dockets[key] = {}
            for repository in self.repositories:
                for element_id, number in _numbers(self.library, repository, read_context):
                    self._dockets[key].setdefault(number, []).append((repository, element_id))
        return self._dockets[key].get(normalise_identifier(docket), [])

    def _known(self, repository: str, read_context: Context) -> frozenset[str]:
        key = f"{repository}\0{read_context}"
        if key not in self._ids:
            self._ids[key] = frozenset(self.library.elements(repository=repository, read_context=read_context))
        return self._ids[key]

    def _section(self, repository: str, element_id: str, section: str, context: Context) -> Passage | None:
        try:
            return self.library.get(element_id, repository=repository, section=section, read_context=context).passage
        except NotFound:
            return None


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """The judged places of one case."""

    library: Library
    grades: dict[str, int]
    sections: dict[ElementKey, list[tuple[str, Passage]]]
    missing: tuple[str, ...]

    @property
    def by_section(self) -> bool:
        """Whether passages of one element must be distinguished."""
        return bool(self.sections)

    def names(self, found: Iterable[Found]) -> tuple[str, ...]:
        """Ranked chunks by judged name, each name where it comes first."""
        return tuple(dict.fromkeys(self.name(item) for item in found))

    def name(self, found: Found) -> str:
        """The name of a chunk: its judged section, otherwise its element if that is judged as a whole."""
        key = (found.scope.repository, found.element_id)
        if key not in self.sections:
            return found.element_id
        chunk = _chunk(self.library, found)
        for name, place in self.sections[key]:
            if chunk is not None and _lies_in(chunk, place):
                return name
        if found.element_id in self.grades:
            return found.element_id
        # Another section of the same element: a readable name that never equals a judged one.
        section = chunk.section_id if chunk and chunk.section_id else f"passage {found.chunk}"
        name = f"{found.element_id}#{section}"
        return name if name not in self.grades else f"{name} ({found.chunk})"


def _numbers(library: Library, repository: str, read_context: Context) -> Iterator[tuple[str, str]]:
    """Elements with all their numbers: name, aliases of the whole element, docket in the metadata."""
    for element_id in library.elements(repository=repository, read_context=read_context):
        live = library.live(element_id, repository=repository, read_context=read_context)
        if live is not None:
            content = live.version.content
            stated = [text for key in DOCKETS for text in filter_values(content.metadata.get(key))]
            others = [alias.identifier for alias in live.derivation.aliases if not (alias.section_id or alias.span)]
            for number in {normalise_identifier(name) for name in (element_id, content.name, *stated, *others)} - {""}:
                yield element_id, number


def _chunk(library: Library, found: Found) -> Chunk | None:
    derivation = library.catalog.elements.derivation(found.scope, found.element_id, found.version_id, found.recipe)
    chunks: Sequence[Chunk] = derivation.chunks if derivation else ()
    return chunks[found.chunk] if found.chunk < len(chunks) else None


def _lies_in(chunk: Chunk, place: Passage) -> bool:
    if chunk.span is None or place.span is None:
        return chunk.section_id == place.section_id
    return place.span.start <= chunk.span.start and chunk.span.end <= place.span.end
