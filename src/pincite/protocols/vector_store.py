"""A vector store: it proposes candidates, and decides nothing.

`index/candidates` makes an index of vectors out of any store: it follows the catalog, checks what the store proposes
against what the caller may read, and scores it in fixed point with the catalog's vectors. So scores, order, totals and
explanations are the same with every store, and only which candidates are proposed is the store's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pincite.points import Ids, Point, Space, Wanted


class VectorStore(Protocol):
    """Five methods, each idempotent; `Unavailable` where the store cannot be reached."""

    name: str
    """Of the engine; also of its folder beside the other indexes of a library."""
    exact: bool
    """Whether `candidates` proposes the nearest without fail, by the arithmetic of `fixed`, and with them all that tie
    with the last; then answers can be replayed."""

    def ensure(self, space: Space, dimensions: int) -> Ids:
        """Make the space if it is not there; the points that it holds. Called before points are put in."""

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Take points in, those that it holds in place of the old; returns once they are stored."""

    def mark_died(self, space: Space, ids: Ids, revision: int) -> None:
        """Points that it holds are alive before this revision only."""

    def candidates(self, space: Space, wanted: Wanted) -> Ids:
        """Of the wanted points, the `limit` that are nearest; all if there are fewer, none of a space that is gone."""

    def drop(self, space: Space, ids: Ids | None = None) -> None:
        """Erase points, or with None the whole space."""
