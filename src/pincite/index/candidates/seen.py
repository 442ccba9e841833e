"""What one caller may read of a repository: worked out once for each state, and asked of by every question."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.candidates.rows import Rows
from pincite.index.nearness import SAMPLE
from pincite.points import Ids
from pincite.queries import VectorQuery
from pincite.types import View

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Rows that a view may read."""

    mask: Array
    rows: int
    """How many there are, with vectors or without."""
    held: Array
    """Those with vectors, by id …"""
    ids: Ids
    """… and their ids, ascending."""
    elements: int
    """How many elements they are of."""
    texts: int
    """How many texts they have."""
    sample: tuple[str, ...]
    """Keys of texts over which a background is taken: the smallest, so that they are the same everywhere."""


def seen_by(view: View, rows: Rows, held: Ids) -> Seen:
    """What a view may read; `held` are the ids of which there are vectors."""
    mask = rows.visible(view)
    mine = np.flatnonzero(mask & np.isin(rows.ids, held))
    mine = mine[np.argsort(rows.ids[mine])]
    texts = np.unique(rows.text[mine]).tolist()
    return Seen(
        mask=mask,
        rows=int(np.count_nonzero(mask)),
        held=mine,
        ids=rows.ids[mine],
        elements=count_elements(rows, mine),
        texts=len(texts),
        sample=tuple(heapq.nsmallest(SAMPLE, (rows.keys[text] for text in texts))),
    )


def count_elements(rows: Rows, some: Array) -> int:
    """Of how many elements some rows are."""
    return len(np.unique(rows.element[rows.owner[some]]))


@dataclass(frozen=True, slots=True, eq=False)
class EligibleRows:
    """What filters and `among` leave of the rows that a view may read."""

    rows: int
    held: Array
    ids: Ids
    elements: int

    def among(self, proposed: Ids) -> Array:
        """The rows that a store proposes, without those that nobody asked for; there must be some to ask for."""
        places = np.minimum(np.searchsorted(self.ids, proposed), len(self.ids) - 1)
        rows: Array = self.held[places[self.ids[places] == proposed]]
        return rows


def asked_of(seen: Seen, rows: Rows, view: View, query: VectorQuery) -> EligibleRows:
    """The rows that a question is about."""
    if not query.filters and query.among is None:
        return EligibleRows(seen.rows, seen.held, seen.ids, seen.elements)
    mask = seen.mask & rows.passing(query.filters)
    if query.among is not None:
        mask &= rows.of_elements(name for scope, name in query.among.elements if scope == view.scope)
    left = mask[seen.held]
    held = seen.held[left]
    return EligibleRows(int(np.count_nonzero(mask)), held, seen.ids[left], count_elements(rows, held))
