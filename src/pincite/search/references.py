"""References: what a text names, looked up in the state that is read; and who names it.

A relation states a target as the text does: the element itself, the address of a link, or the folded name of a work.
Whether that is there, and whether it has the section, is a matter of the view: a document may have come in later, and a
caller may not be allowed to see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from pincite.citation import Citation
from pincite.ids import normalise_id
from pincite.protocols import Session
from pincite.protocols.kind import LinkForms
from pincite.search.passages import Located, home_section, locate, place_inside, section_passage
from pincite.search.shelf import ElementShelf
from pincite.text.identifiers import fold_name, normalise_identifier
from pincite.text.section_references import bare_number
from pincite.types import REFERS_TO, Around, Derivation, Relation, Scope, Span, View

Status = Literal["resolved", "unresolved"]
MAX_NAMED = 500
"""Works of one name that are looked through for a section; more share a name that says nothing."""
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that names another, and where that is."""

    text: str
    """The words in which it is named."""
    source: str
    source_section: str
    source_citation: str
    status: Status
    target: str
    """Element id, or what the text calls it where nothing answers to that."""
    target_section: str
    target_citation: str
    reason: str = ""
    """Why it is not resolved."""


@dataclass(frozen=True, slots=True)
class Followed:
    """Where a relation leads."""

    element_id: str = ""
    section_id: str = ""
    reason: str = ""
    located: Located | None = None


class Follower:
    """Follows relations of one repository, as its view sees it."""

    def __init__(self, shelf: ElementShelf, scope: Scope) -> None:
        self._shelf = shelf
        self._scope = scope
        self._sections: dict[str, _Sections] = {}

    def section(self, element_id: str, target: Located, wanted: str) -> str:
        """The section of an element that is meant; see `find_section`."""
        if element_id not in self._sections:
            self._sections[element_id] = _Sections(target.derivation)
        return self._sections[element_id].find(wanted)

    def located(self, element_id: str) -> Located | None:
        return self._shelf.located(self._scope, element_id)

    def follow(self, relation: Relation) -> Followed:
        """The element and section that are meant, or why that is not known."""
        for element_id in target_ids(relation, self._shelf.links):
            target = self.located(element_id)
            if target is None:
                continue
            section = self.section(element_id, target, relation.target_section) if relation.target_section else ""
            if relation.target_section and not section:
                return Followed(element_id, "", f"it has no section {relation.target_section!r}", target)
            return Followed(element_id, section, "", target)
        return self._by_name(relation)

    def _by_name(self, relation: Relation) -> Followed:
        named = self._shelf.named(self._scope, relation.target)
        ids = list(dict.fromkeys(element_id for element_id, _ in named))
        if not ids:
            return Followed(reason=f"nothing here is called {_name(relation)!r}")
        if len(ids) > MAX_NAMED:
            return Followed(reason=f"{len(ids)} documents are called {_name(relation)!r}")
        found = []
        for element_id, home in dict.fromkeys(named):
            target = self.located(element_id)
            if target is not None:
                wanted = relation.target_section or home
                section = self.section(element_id, target, wanted) if wanted else ""
                found.append(Followed(element_id, section, "", target))
        holding = [one for one in found if one.section_id or not relation.target_section]
        if len({one.element_id for one in holding}) == 1:
            return holding[0]
        if len(ids) == 1 and found:
            return Followed(ids[0], "", f"it has no section {relation.target_section!r}", found[0].located)
        return Followed(reason=f"{len(ids)} documents are called {_name(relation)!r}")


def fetch_targets(shelf: ElementShelf, relations: Sequence[tuple[Scope, Relation]]) -> None:
    """Read what relations lead to, so that following them asks the catalog no more: three calls, however many."""
    links = shelf.links
    shelf.fetch((scope, element_id) for scope, relation in relations for element_id in target_ids(relation, links))
    unknown = [
        (scope, relation.target)
        for scope, relation in relations
        if not any(shelf.located(scope, element_id) for element_id in target_ids(relation, links))
    ]
    shelf.fetch_named(unknown)
    ids = ((scope, {element_id for element_id, _ in shelf.named(scope, name)}) for scope, name in unknown)
    shelf.fetch((scope, element_id) for scope, named in ids if len(named) <= MAX_NAMED for element_id in named)


def target_ids(relation: Relation, links: LinkForms) -> Iterator[str]:
    """Ids that a relation may mean, the likeliest first."""
    yield relation.target
    if "address" in relation.metadata:
        yield from candidates(relation.target, relation.source, str(relation.metadata["address"]), links)


def _name(relation: Relation) -> str:
    return str(relation.metadata.get("work") or relation.metadata.get("address") or relation.target)


def candidates(path: str, source: str, address: str, links: LinkForms) -> Iterator[str]:
    """Ids that the file behind a link may have: with a suffix, as the page of a folder, below a site's root."""
    bases = [""]
    if address.startswith("/"):
        bases = [str(folder) for folder in reversed(PurePosixPath(source).parents)]
    for base in bases:
        place = path if base in ("", ".") else f"{base}/{path}"
        stem = place.removesuffix(links.served_as)
        yield place
        yield from (f"{stem}{suffix}" for suffix in links.suffixes)
        yield from (f"{stem}/{name}" for name in links.folder_pages)


def addresses(element_id: str, links: LinkForms) -> Iterator[str]:
    """The other way round: paths that links to an element may give."""
    path = PurePosixPath(element_id)
    forms = [element_id]
    if links.suffixes:
        forms.append(str(path.with_suffix("")))
    if links.served_as:
        forms.append(str(path.with_suffix(links.served_as)))
    if path.stem in {PurePosixPath(page).stem for page in links.folder_pages}:
        forms.append(str(path.parent))
    for form in dict.fromkeys(forms):
        parts = PurePosixPath(form).parts
        yield from ("/".join(parts[start:]) for start in range(len(parts)))


def find_section(derivation: Derivation, wanted: str) -> str:
    """The section that is meant by an id, another spelling, or the anchor of a heading; "" if there is none.

    Of a place inside a section that is not there, the innermost that would hold it.
    """
    return _Sections(derivation).find(wanted)


class _Sections:
    """The sections of an element by all that they are called."""

    def __init__(self, derivation: Derivation) -> None:
        self._ids = {chunk.section_id for chunk in derivation.chunks}
        named = [alias for alias in reversed(derivation.aliases) if alias.section_id]
        self._names = {normalise_identifier(a.identifier): a.identifier if a.span else a.section_id for a in named}
        headings = [chunk for chunk in reversed(derivation.chunks) if chunk.parent_chain]
        self._anchors = {_anchor(chunk.parent_chain[-1]): chunk.section_id for chunk in headings}

    def find(self, wanted: str) -> str:
        if wanted in self._ids:
            return wanted
        key = normalise_identifier(wanted)
        while key:
            if key in self._ids:
                return key
            if key in self._names:
                return self._names[key]
            key = key[: key.rindex("(")] if key.endswith(")") and "(" in key else bare_number(key)
        return self._anchors.get(_anchor(wanted), "") if _anchor(wanted) else ""


def _anchor(text: str) -> str:
    return _NO_WORD.sub("", text.lower())


def references_of(
    catalog: Session,
    view: View,
    element_id: str,
    links: LinkForms,
    *,
    section: str = "",
    incoming: bool = False,
    unresolved: bool = False,
) -> tuple[Reference, ...]:
    """What an element or one of its sections refers to, or what refers to it; in the order of the text."""
    here = locate(catalog, view, element_id)
    shelf = ElementShelf(catalog, {view.scope: view}, links)
    follower = Follower(shelf, view.scope)
    wanted = _wanted(here, section) if section else ""
    found = _incoming(catalog, view, here, links) if incoming else shelf.outgoing(view.scope, here.version.element_id)
    relations = [relation for relation in found if relation.relation_type == REFERS_TO]
    shelf.fetch((view.scope, relation.source) for relation in relations)
    fetch_targets(shelf, [(view.scope, relation) for relation in relations])
    out = []
    for relation in relations:
        end = follower.follow(relation)
        if incoming and (end.element_id != here.version.element_id or not _lies_in(here, end.section_id, wanted)):
            continue
        if not incoming and not _lies_in(here, relation.source_section, wanted):
            continue
        made = _reference(follower, relation, end)
        if made and not (unresolved and made.status == "resolved"):
            out.append((_order(relation), made))
    return tuple(made for _, made in sorted(out, key=lambda item: item[0]))


def _wanted(here: Located, section: str) -> str:
    return find_section(here.derivation, section) or section_passage(here, section).section_id or section


def _lies_in(here: Located, section_id: str, wanted: str) -> bool:
    """Whether a place is the wanted one, or lies inside it."""
    if not wanted or section_id == wanted or section_id.startswith(f"{wanted}("):
        return True
    return home_section(here.derivation, section_id) == wanted


def _incoming(catalog: Session, view: View, here: Located, links: LinkForms) -> Iterable[Relation]:
    element_id, derivation = here.version.element_id, here.derivation
    names = [fold_name(here.version.content.name)]
    for alias in derivation.aliases:
        if alias.span is None and (not alias.section_id or "." in alias.identifier):
            names.append(fold_name(alias.identifier))
            if alias.section_id and alias.identifier.endswith(f".{alias.section_id}"):
                names.append(alias.identifier.removesuffix(f".{alias.section_id}"))  # the work that it is a part of
    targets = tuple(target for target in dict.fromkeys((*addresses(element_id, links), *names)) if target)
    (edges,) = catalog.relations.of_many([Around(view, targets=targets)])
    # In the order of the names by which they mean it.
    places = {normalise_id(target): place for place, target in enumerate(targets)}
    ordered = sorted(edges.relations, key=lambda relation: places[relation.target])
    return {relation.relation_id: relation for relation in ordered}.values()


def _reference(follower: Follower, relation: Relation, end: Followed) -> Reference | None:
    source = follower.located(relation.source)
    if source is None:
        return None
    resolved = bool(end.element_id) and not end.reason
    target = follower.located(end.element_id) if end.element_id else None
    return Reference(
        text=str(relation.metadata.get("text", "")),
        source=relation.source,
        source_section=relation.source_section,
        source_citation=_citation(source, relation.source_section, span_of(relation)),
        status="resolved" if resolved else "unresolved",
        target=end.element_id or _name(relation),
        target_section=end.section_id or ("" if resolved else relation.target_section),
        target_citation=_citation(target, end.section_id, None) if target and resolved else "",
        reason=end.reason,
    )


def _citation(located: Located, section_id: str, span: Span | None) -> str:
    version = located.version
    if span is None and section_id:
        place = place_inside(located.derivation, section_id)
        span = place.span if place else None
    return str(Citation(version.scope, version.element_id, version.version_id, section_id, span, None))


def span_of(relation: Relation) -> Span | None:
    """Where the words stand that make a reference."""
    given = relation.metadata.get("span")
    if isinstance(given, list) and len(given) == 2 and all(isinstance(end, int) for end in given):
        return Span(int(str(given[0])), int(str(given[1])))
    return None


def _order(relation: Relation) -> tuple[str, int, str]:
    span = span_of(relation)
    return relation.source, span.start if span else 0, relation.relation_id
