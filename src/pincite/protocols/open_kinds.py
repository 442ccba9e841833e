"""The kinds that are open in a library, taken together: what they declare, and who answers for a content."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pincite.fields import STRUCTURAL
from pincite.protocols.kind import Described, Kind, LinkForms, Signal
from pincite.reading import Recognised
from pincite.types import Chunk, Content


@dataclass(frozen=True)
class OpenKinds:
    """Kinds in their order; where two say something of one name, the first counts."""

    kinds: tuple[Kind, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    """Kinds that could not be opened, by name, and why: what they declare does not count."""

    def of(self, content_kind: str) -> Kind | None:
        """The kind that writes such contents; None where it is not installed."""
        return self._by_content.get(content_kind)

    @cached_property
    def _by_content(self) -> dict[str, Kind]:
        return {name: kind for kind in reversed(self.kinds) for name in kind.declares.content_kinds}

    @cached_property
    def rankings(self) -> dict[str, str]:
        """What an order depends on beside the passages: the fingerprint of each kind, by its name."""
        return {kind.name: kind.declares.ranking for kind in self.kinds}

    def only(self, names: Collection[str]) -> OpenKinds:
        """Those of these names."""
        chosen = tuple(kind for kind in self.kinds if kind.name in names)
        return self if chosen == self.kinds else OpenKinds(chosen)

    @cached_property
    def fields(self) -> dict[str, float]:
        """All text fields, with how much a word counts in them."""
        declared = [kind.declares.fields for kind in self.kinds] or [STRUCTURAL]
        return {name: boost for fields in reversed(declared) for name, boost in fields.items()}

    @cached_property
    def relation_types(self) -> frozenset[str]:
        return frozenset(relation.name for kind in self.kinds for relation in kind.declares.relations)

    @cached_property
    def facets(self) -> tuple[str, ...]:
        """Filters that people care about, the most useful of each kind first."""
        return tuple(dict.fromkeys(name for kind in self.kinds for name in kind.declares.facets))

    @cached_property
    def links(self) -> LinkForms:
        """Every way in which a link of some kind may be spelled."""
        forms = [kind.declares.links for kind in self.kinds]
        return LinkForms(
            tuple(dict.fromkeys(suffix for form in forms for suffix in form.suffixes)),
            tuple(dict.fromkeys(page for form in forms for page in form.folder_pages)),
            next((form.served_as for form in forms if form.served_as), ""),
        )

    @property
    def have_signals(self) -> bool:
        """Whether any of them has some."""
        return bool(self._signals)

    def signals_behind(self, recipe: str) -> tuple[Signal, ...]:
        """Those of the kind that made a passage by this recipe."""
        return self._signals.get(recipe.partition("/")[0], ()) if self._signals else ()

    @cached_property
    def _signals(self) -> dict[str, tuple[Signal, ...]]:
        return {kind.name: kind.declares.signals for kind in self.kinds if kind.declares.signals}

    def recognise(self, query: str) -> Recognised:
        """What any of them sees in a query."""
        seen = [kind.recognise(query) for kind in self.kinds]
        expansions: dict[str, tuple[str, ...]] = {}
        for one in seen:
            for word, others in one.expansions.items():
                expansions[word] = tuple(dict.fromkeys((*expansions.get(word, ()), *others)))
        return Recognised(
            tuple(dict.fromkeys(name for one in seen for name in one.identifiers)),
            expansions,
            tuple(dict.fromkeys(note for one in seen for note in one.notes)),
        )

    def describe(self, content: Content, chunk: Chunk | None, language: str = "") -> Described:
        """A place in words; where its kind is not installed, by its name alone."""
        kind = self.of(content.kind)
        return kind.describe(content, chunk, language) if kind else Described(content.name)
