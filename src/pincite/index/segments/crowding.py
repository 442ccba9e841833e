"""Crowding: which pieces of an index, segments or blocks of vectors, should become one.

Every piece costs a question about as much, whatever its size, so few are wanted; but each merge copies what it merges.
A piece is merged with all smaller ones when these together hold a quarter as much. Those that stay then shrink at least
fivefold from one to the next, and a row is copied about five times while its piece grows fivefold. A few very small
pieces, of a commit each, may stand beside the others, so that not every commit is followed by a merge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

SHARE = 4

Piece = TypeVar("Piece")


def crowded(pieces: Sequence[Piece], size: Callable[[Piece], int], *, small: int, few: int) -> tuple[Piece, ...]:
    """The pieces that should be merged into one, the largest first, or none.

    `few` pieces of a size up to `small` may stand beside the others.
    """
    ordered = sorted(pieces, key=lambda piece: -size(piece))
    below = sum(map(size, ordered))
    for at, piece in enumerate(ordered):
        below -= size(piece)
        if size(piece) <= small:
            return tuple(ordered[at:]) if len(ordered) - at > few else ()
        if below > small and below * SHARE >= size(piece):
            return tuple(ordered[at:])
    return ()
