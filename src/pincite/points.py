"""What a vector store keeps and is asked: points, the space that they lie in, which of them are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.queries import Filter
from pincite.types import Lifetime, Scope, View

Ids: TypeAlias = NDArray[np.int64]
"""Ids of points, ascending, each once."""

CHUNK_BITS = 20
"""An id is the lifetime's, shifted by this, plus the number of the chunk: the same wherever and whenever it is made."""


def point_id(lifetime_id: int, chunk: int) -> int:
    """The id of a chunk in one lifetime."""
    return lifetime_id << CHUNK_BITS | chunk


@dataclass(frozen=True, slots=True)
class Space:
    """The vectors of one model in one repository: points of different spaces are never compared."""

    library_id: str
    scope: Scope
    key: str
    """Of the repository: unique in the library, and safe in a file name."""
    fingerprint: str
    """Of the model."""
    generation: int = 0
    """A rebuild fills a new one beside the old."""


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk in one lifetime, with all that a store needs to filter inside its own scan."""

    id: int
    lifetime: Lifetime
    """When it is alive, when it is in force, to which roles it is open."""
    filters: tuple[tuple[str, str], ...]
    """Filter keys and values; a key may come more than once."""
    vectors: bytes
    """One to eight in fixed point (`fixed.unpack`), the whole passage first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which points of a space a question is about.

    A store that filters inside its scan uses the view and the filters, one that takes a list of ids uses `ids`; both
    mean the same. One that can do neither raises `Unavailable`: filtering what a scan has found would lose answers.
    """

    vector: tuple[int, ...]
    """The question in fixed point."""
    view: View
    filters: tuple[Filter, ...]
    ids: Ids
    """Those that the view may read and the filters leave."""
    limit: int
