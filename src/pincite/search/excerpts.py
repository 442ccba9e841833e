"""Excerpts: what one answer reads of the catalog, for many passages at a time and each version once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pincite.protocols import Session
from pincite.queries import Found
from pincite.search.passages import excerpt_passage
from pincite.search.query import Passage
from pincite.types import CutVersion, Excerpt


@dataclass(slots=True)
class Excerpts:
    """Versions with the chunks that an answer looks at. Many hits may be passages of one long document."""

    catalog: Session
    _asked: dict[CutVersion, set[int]] = field(default_factory=dict)
    _read: dict[CutVersion, Excerpt] = field(default_factory=dict)
    _passages: dict[tuple[CutVersion, int], Passage] = field(default_factory=dict)

    def fetch(self, places: Iterable[Found], *, names: bool = False) -> None:
        """Read those of the passages that were not asked for yet, in one call; with what they are called."""
        wanted: dict[CutVersion, set[int]] = {}
        for found in places:
            cut = cut_of(found)
            if found.chunk not in self._asked.get(cut, ()):
                wanted.setdefault(cut, set()).add(found.chunk)
        if wanted:
            for cut, numbers in wanted.items():
                numbers |= self._asked.get(cut, set())
            self._asked |= wanted
            self._read |= self.catalog.elements.excerpts(wanted, names=names)

    def knows(self, found: Found) -> bool:
        """Whether the passage was asked for already."""
        return found.chunk in self._asked.get(cut_of(found), ())

    def of(self, found: Found) -> Excerpt | None:
        """The version that a leg found something in, cut as it was then; None if it was erased since."""
        if not self.knows(found):
            self.fetch((found,))
        return self._read.get(cut_of(found))

    def passage(self, found: Found) -> Passage | None:
        """The passage that a leg found; None if it was erased since."""
        key = (cut_of(found), found.chunk)
        known = self._passages.get(key)
        if known is None:
            excerpt = self.of(found)
            if excerpt is None or found.chunk not in excerpt.chunks:
                return None
            known = self._passages[key] = excerpt_passage(excerpt, found.chunk)
        return known


def cut_of(found: Found) -> CutVersion:
    """What a find is a chunk of."""
    return CutVersion(*found[:5])
