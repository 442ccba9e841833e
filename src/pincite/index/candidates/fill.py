"""What a store holds, brought in line with the rows: the missing put in, deaths passed on, the erased dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.fixed import dimensions_of
from pincite.index.candidates.rows import NO_TEXT, Rows
from pincite.points import Ids, Space
from pincite.protocols import Catalog, VectorStore

Array = NDArray[Any]

FETCH = 2_000
"""Texts whose vectors are read from the catalog at once."""
NONE: Ids = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class FilledStore:
    """What a store holds once it was given what it lacked."""

    held: Ids
    texts: int = 0
    """How many texts are new to it."""
    dimensions: int = 0
    """Of what was put in; 0 where that was nothing."""


def put_missing(catalog: Catalog, store: VectorStore, space: Space, rows: Rows, held: Ids | None) -> FilledStore:
    """Put in what the catalog has vectors of and the store has not.

    `held` is None for a space that may not be there: it is made with the first vectors, whose dimensions it gets.
    """
    has = np.isin(rows.ids, NONE if held is None else held)
    missing = np.flatnonzero(~has & (rows.text != NO_TEXT))
    texts = np.unique(rows.text[missing])
    known = np.unique(rows.text[has])
    added = dimensions = 0
    for low in range(0, len(texts), FETCH):
        keys = {rows.keys[number]: number for number in texts[low : low + FETCH].tolist()}
        found = catalog.vectors.get(space.scope.tenant, space.fingerprint, list(keys))
        if not found:
            continue
        dimensions = dimensions_of(next(iter(found.values())))
        if held is None:
            held = store.ensure(space, dimensions)
        vectors = {keys[key]: blob for key, blob in found.items()}
        numbers = np.array(sorted(vectors), rows.text.dtype)
        fresh = missing[np.isin(rows.text[missing], numbers)]
        store.upsert(space, rows.points(fresh, vectors))
        held = np.union1d(held, rows.ids[fresh])
        added += int(np.count_nonzero(~np.isin(numbers, known)))
    return FilledStore(NONE if held is None else held, added, dimensions)


def pass_on_deaths(store: VectorStore, space: Space, deaths: Mapping[int, Ids], held: Ids) -> None:
    """Tell the store which of the points that it holds have died; `deaths` are ids by revision."""
    for revision, ids in deaths.items():
        buried = np.intersect1d(ids, held)
        if len(buried):
            store.mark_died(space, buried, revision)


def drop_erased(store: VectorStore, space: Space, rows: Rows, held: Ids) -> Ids:
    """Erase points of which the catalog knows nothing any more; what is left."""
    erased = np.setdiff1d(held, rows.ids)
    if len(erased):
        store.drop(space, erased)
    return np.intersect1d(held, rows.ids)
