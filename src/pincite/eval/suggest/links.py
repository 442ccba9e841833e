"""What one document calls another: the words of a Markdown link, or of a stated relation, lead to its target."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pincite.eval.suggest.choose import SuggestedQuestion
from pincite.eval.suggest.headings import Titles
from pincite.eval.suggest.wording import content_words, points_only, same, says_something
from pincite.ids import normalise_id
from pincite.protocols.kind import LinkForms
from pincite.text.titles import plain_title, slug
from pincite.types import Relation

if TYPE_CHECKING:
    from pincite.eval.suggest.survey import Sketch

_LINK = re.compile(r"(?<!!)\[(?P<words>[^\[\]]{3,200})\]\(\s*<?(?P<target>[^()\s<>]+)>?(?:\s+[\"'(][^()]*)?\s*\)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class LinkedWords:
    """Words that lead somewhere: to an address as written or, if stated as a relation, to an element and section."""

    words: str
    language: str
    address: str = ""
    element_id: str = ""
    section_id: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    """A link, where it stands and where it leads."""

    link: LinkedWords
    source_id: str
    element_id: str
    section_id: str


def written_links(text: str, language: str) -> Iterator[LinkedWords]:
    """The Markdown links of a passage."""
    for match in _LINK.finditer(text):
        if words := plain_title(match["words"]):
            yield LinkedWords(words, language, match["target"])


def stated_link(relation: Relation, language: str) -> LinkedWords | None:
    """A relation that carries the words in which its source cites its target."""
    words = relation.metadata.get("text") or relation.metadata.get("label")
    if not isinstance(words, str) or not words.strip():
        return None
    return LinkedWords(plain_title(words), language, element_id=relation.target, section_id=relation.target_section)


def links(sketches: Sequence[Sketch], known: Titles, forms: LinkForms) -> Iterator[SuggestedQuestion]:
    """Words that lead to one element from wherever they stand, and that are not a name or heading anyway.

    They must be more than a turn of phrase: share a word with their target's title, or be used by two documents.
    """
    by_id = {sketch.element_id: sketch for sketch in sketches}
    addresses = _addresses(sketches, forms)
    uses: dict[str, list[_Use]] = {}
    for sketch in sketches:
        for link in sketch.links:
            use = _Use(link, sketch.element_id, *_target(sketch, link, by_id, addresses, forms))
            uses.setdefault(same(link.words), []).append(use)
    for key, of_words in uses.items():
        elements = {use.element_id for use in of_words}
        if len(elements) > 1 or "" in elements or key in known:
            continue
        target = by_id[elements.pop()]
        sections = {use.section_id for use in of_words}
        section_id = sections.pop() if len(sections) == 1 else ""
        agreed = len({use.source_id for use in of_words}) > 1 or _names(target, section_id, key)
        words, language = min((use.link.words, use.link.language) for use in of_words)
        if agreed and _asks(words, language):
            yield SuggestedQuestion("citation", words, target.element_id, section_id, language)


def _names(target: Sketch, section_id: str, key: str) -> bool:
    """Whether the words of a link share one with the title of the place it leads to."""
    titles = [target.name, *(s.title for s in target.sections if s.section_id == section_id)]
    spoken = {same(word) for title in titles for word in content_words(title, target.language)}
    return not spoken.isdisjoint(key.split())


def _asks(words: str, language: str) -> bool:
    return len(content_words(words, language)) >= 2 and says_something(words, language) and not points_only(words)


def _addresses(sketches: Sequence[Sketch], forms: LinkForms) -> Mapping[str, str]:
    """Element ids by the addresses they are reached under: with and without suffix, a folder for its index."""
    folder_pages = {PurePosixPath(page).stem.lower() for page in forms.folder_pages}
    found: dict[str, set[str]] = {}
    for sketch in sketches:
        path = PurePosixPath(sketch.element_id)
        found.setdefault(str(path.with_suffix("")), set()).add(sketch.element_id)
        if path.stem.lower() in folder_pages:
            found.setdefault(str(path.parent), set()).add(sketch.element_id)
    return {address: ids.pop() for address, ids in found.items() if len(ids) == 1}


def _target(
    source: Sketch, link: LinkedWords, by_id: Mapping[str, Sketch], addresses: Mapping[str, str], forms: LinkForms
) -> tuple[str, str]:
    """Element and section that a link leads to; "" for whatever lies outside the library, or in its own document."""
    if link.element_id:
        element_id, wanted = normalise_id(link.element_id), link.section_id
    else:
        if _SCHEME.match(link.address):
            return "", ""
        path, _, fragment = link.address.partition("#")
        element_id = _element(source.element_id, unquote(path.partition("?")[0]), by_id, addresses, forms)
        wanted = unquote(fragment)
    target = by_id.get(element_id)
    if target is None or target is source:
        return "", ""
    return element_id, _section(target, wanted) if wanted else ""


def _element(
    source_id: str, path: str, by_id: Mapping[str, Sketch], addresses: Mapping[str, str], forms: LinkForms
) -> str:
    """The element at a path. A leading slash is the root of a site, which may be any folder above the source."""
    if not path:
        return ""
    above = [str(folder) for folder in PurePosixPath(source_id).parents]
    bases = reversed(above) if path.startswith("/") else above[:1]
    for base in bases:
        place = normalise_id(posixpath.normpath(posixpath.join(base, path.lstrip("/"))))
        if place in by_id:
            return place
        if found := addresses.get(place.removesuffix(forms.served_as)):
            return found
    return ""


def _section(target: Sketch, wanted: str) -> str:
    """The section with this id or whose heading has this anchor; "" if there is none."""
    for section in target.sections:
        if section.depth > 1 and wanted in (section.section_id, slug(section.heading), slug(section.title)):
            return section.section_id
    return ""
