"""The passages of a repository in memory: enough to say which of them a question is about, without their texts.

A row is a chunk in one lifetime. About 100 bytes each: this is for up to some millions of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.entries import embedded_key, entries
from pincite.points import Ids, Point, point_id
from pincite.protocols import Catalog
from pincite.queries import Between, Filter, OneOf
from pincite.types import Birth, Lifetime, RepositoryInfo, View

Array = NDArray[Any]

NO_START, NO_END = 0, 9_999_999
"""Days of a lifetime that is in force from the beginning or without end."""
NO_TEXT = -1
"""The text of a bare heading, which has no meaning of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Arrays by row and by lifetime, as of one revision. The dictionaries only grow and are shared by later states."""

    revision: int = 0
    purges: int = 0
    lives: tuple[Lifetime, ...] = ()
    spans: Array = field(default_factory=lambda: np.empty((4, 0), np.int64))
    """Of each lifetime: born, died, first day in force, first day no longer."""
    audience: Array = field(default_factory=lambda: np.empty(0, np.int32))
    element: Array = field(default_factory=lambda: np.empty(0, np.int32))
    owner: Array = field(default_factory=lambda: np.empty(0, np.int32))
    """Of each row: its lifetime, the number of its chunk, its text, its id."""
    chunk: Array = field(default_factory=lambda: np.empty(0, np.int32))
    text: Array = field(default_factory=lambda: np.empty(0, np.int32))
    ids: Array = field(default_factory=lambda: np.empty(0, np.int64))
    facet: Array = field(default_factory=lambda: np.empty(0, np.int32))
    """Pairs of filter value and row that carries it, in the order of rows."""
    facet_row: Array = field(default_factory=lambda: np.empty(0, np.int32))
    elements: dict[str, int] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    """Numbers of texts by the key of their vectors …"""
    keys: list[str] = field(default_factory=list)
    """… and the keys by number."""
    audiences: dict[frozenset[str], int] = field(default_factory=dict)
    facets: dict[tuple[str, str], int] = field(default_factory=dict)

    # --- which rows -------------------------------------------------------------------------------------------

    def visible(self, view: View) -> Array:
        """Rows with a meaning that the view may read, as a mask."""
        born, died, start, end = self.spans
        day = view.valid_at.toordinal()
        alive = (born <= view.revision) & (view.revision < died) & (start <= day) & (day < end)
        if view.roles is not None:
            opened = [number for roles, number in list(self.audiences.items()) if not roles or roles & view.roles]
            alive &= np.isin(self.audience, opened)
        mask: Array = alive[self.owner] & (self.text != NO_TEXT)
        return mask

    def passing(self, filters: Sequence[Filter]) -> Array:
        """Rows that all filters leave, as a mask."""
        mask = np.ones(len(self.owner), bool)
        for item in filters:
            accepted = [number for pair, number in list(self.facets.items()) if _accepts(item, *pair)]
            here = np.zeros(len(self.owner), bool)
            here[self.facet_row[np.isin(self.facet, accepted)]] = True
            mask &= here
        return mask

    def of_elements(self, names: Iterable[str]) -> Array:
        """Rows of some elements, as a mask."""
        wanted = [self.elements[name] for name in names if name in self.elements]
        mask: Array = np.isin(self.element, wanted)[self.owner]
        return mask

    def points(self, rows: Array, vectors: Mapping[int, bytes]) -> list[Point]:
        """Rows as a store takes them; `vectors` by the number of a row's text."""
        pairs = list(self.facets)
        starts, ends = (np.searchsorted(self.facet_row, rows, side) for side in ("left", "right"))
        out = []
        for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
            filters = tuple(pairs[number] for number in self.facet[start:end].tolist())
            life = self.lives[self.owner[row]]
            out.append(Point(int(self.ids[row]), life, filters, vectors[int(self.text[row])]))
        return out

    # --- rolling forward --------------------------------------------------------------------------------------

    def advanced(self, catalog: Catalog, info: RepositoryInfo) -> tuple[Rows, dict[int, Ids]]:
        """The rows at the repository's head, and the ids of those that were there and died since, by revision."""
        rows = self if self.purges == info.purges else Rows(purges=info.purges)
        deaths = {death.lifetime_id: death.died for death in catalog.feed.deaths(info.scope, rows.revision, info.head)}
        buried: dict[int, list[int]] = {}
        for number, life in enumerate(rows.lives):
            if life.lifetime_id in deaths:
                buried.setdefault(deaths[life.lifetime_id], []).append(number)
        dead = {revision: np.sort(rows.ids[np.isin(rows.owner, lives)]) for revision, lives in buried.items()}
        after = rows.revision
        rows = rows._with_deaths(deaths) if deaths else rows
        rows = rows._with_births(catalog.feed.births(info.scope, after, info.head))
        return replace(rows, revision=info.head), dead

    def _number(self, key: str) -> int:
        if key not in self.texts:
            self.keys.append(key)
            self.texts[key] = len(self.keys) - 1
        return self.texts[key]

    def _with_deaths(self, deaths: dict[int, int]) -> Rows:
        lives = tuple(replace(life, died=deaths.get(life.lifetime_id, life.died)) for life in self.lives)
        spans = self.spans.copy()
        spans[1] = [life.died for life in lives]
        return replace(self, lives=lives, spans=spans)

    def _with_births(self, births: Iterable[Birth]) -> Rows:
        lives, spans, audience, element = [], [], [], []
        chunk, text, ids, facet, facet_row = [], [], [], [], []
        owner: list[int] = []
        for number, birth in enumerate(births, start=len(self.lives)):
            life = birth.lifetime
            start = life.valid_from.toordinal() if life.valid_from else NO_START
            end = life.valid_to.toordinal() if life.valid_to else NO_END
            lives.append(life)
            spans.append((life.born, life.died, start, end))
            audience.append(self.audiences.setdefault(life.roles, len(self.audiences)))
            element.append(self.elements.setdefault(life.element_id, len(self.elements)))
            for part, entry in zip(birth.derivation.chunks, entries(birth), strict=True):
                row = len(self.owner) + len(owner)
                owner.append(number)
                chunk.append(entry.number)
                ids.append(point_id(life.lifetime_id, entry.number))
                key = embedded_key(birth.content, part) if any(entry.fields) else ""
                text.append(self._number(key) if key else NO_TEXT)
                for pair in entry.filters:
                    facet.append(self.facets.setdefault(pair, len(self.facets)))
                    facet_row.append(row)
        return replace(
            self,
            lives=(*self.lives, *lives),
            spans=np.hstack((self.spans, np.array(spans, np.int64).reshape(-1, 4).T)),
            audience=_appended(self.audience, audience),
            element=_appended(self.element, element),
            owner=_appended(self.owner, owner),
            chunk=_appended(self.chunk, chunk),
            text=_appended(self.text, text),
            ids=_appended(self.ids, ids),
            facet=_appended(self.facet, facet),
            facet_row=_appended(self.facet_row, facet_row),
        )


def _appended(values: Array, more: Sequence[int]) -> Array:
    return np.concatenate((values, np.array(more, values.dtype)))


def _accepts(item: Filter, name: str, value: str) -> bool:
    if name != item.field:
        return False
    if isinstance(item, OneOf):
        return value in item.values
    assert isinstance(item, Between)
    # What begins like the upper end counts too: "2024-12" holds all of December.
    return value >= item.low and (not item.high or value <= item.high or value.startswith(item.high))
