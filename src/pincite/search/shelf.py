"""The shelf: elements, relations and names as the views of an answer see them, read many at a time and each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pincite.ids import normalise_id
from pincite.protocols import Session
from pincite.protocols.kind import LinkForms
from pincite.search.passages import Located
from pincite.types import Around, Called, Relation, Scope, View

End = tuple[Scope, str]
"""An id, or what a text calls something, in a repository."""
Named = tuple[tuple[str, str], ...]
"""(element id, section id) pairs."""


@dataclass(slots=True)
class ElementShelf:
    """What was read stays; what was not is read when it is needed, one at a time unless it was fetched before."""

    catalog: Session
    views: Mapping[Scope, View]
    links: LinkForms
    """In which forms texts link to elements."""
    _elements: dict[End, Located | None] = field(default_factory=dict)
    _outgoing: dict[End, tuple[Relation, ...]] = field(default_factory=dict)
    _named: dict[End, Named] = field(default_factory=dict)

    def fetch(self, ends: Iterable[End]) -> None:
        """Read elements, in one call."""
        wanted = self._by_scope(end for end in ends if end not in self._elements)
        found = self.catalog.elements.get_many({self.views[s]: ids for s, ids in wanted.items()}) if wanted else {}
        for scope, ids in wanted.items():
            seen = found[self.views[scope]]
            for element_id in ids:
                live = seen.get(normalise_id(element_id))
                self._elements[scope, element_id] = Located.of(live) if live else None

    def located(self, scope: Scope, element_id: str) -> Located | None:
        """The element, if the view may read it."""
        self.fetch(((scope, element_id),))
        return self._elements[scope, element_id]

    def fetch_outgoing(self, ends: Iterable[End]) -> None:
        """Read the relations that start at elements, in one call."""
        wanted = self._by_scope(end for end in ends if end not in self._outgoing)
        asked = [Around(self.views[scope], tuple(ids)) for scope, ids in wanted.items()]
        for around, edges in zip(asked, self.catalog.relations.of_many(asked) if asked else (), strict=True):
            by_source: dict[str, list[Relation]] = {}
            for relation in edges.relations:
                by_source.setdefault(relation.source, []).append(relation)
            for source in around.sources:
                self._outgoing[around.view.scope, source] = tuple(by_source.get(normalise_id(source), ()))

    def outgoing(self, scope: Scope, element_id: str) -> tuple[Relation, ...]:
        """Relations that start at the element, as far as the view may read them."""
        self.fetch_outgoing(((scope, element_id),))
        return self._outgoing[scope, element_id]

    def fetch_named(self, ends: Iterable[End]) -> None:
        """Look up what names lead to, in one call."""
        wanted = self._by_scope(end for end in ends if end not in self._named)
        asked = [Called(self.views[scope], identifiers=tuple(names)) for scope, names in wanted.items()]
        for called, found in zip(asked, self.catalog.relations.called(asked) if asked else (), strict=True):
            self._named |= {(called.view.scope, name): pairs for name, pairs in found.named.items()}

    def named(self, scope: Scope, identifier: str) -> Named:
        """What an identifier names in the view."""
        self.fetch_named(((scope, identifier),))
        return self._named[scope, identifier]

    @staticmethod
    def _by_scope(ends: Iterable[End]) -> dict[Scope, dict[str, None]]:
        out: dict[Scope, dict[str, None]] = {}
        for scope, name in ends:
            out.setdefault(scope, {})[name] = None
        return out
