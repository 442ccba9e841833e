"""How near everything is to a question: what the best passage must stand out of.

Taken over the texts with the smallest keys among those that the views may read, filters aside. Keys are hashes, so this
is a fair sample, and the same one wherever the same texts are visible. Its numbers are summed as integers: to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.nearness import SAMPLE, background_of
from pincite.index.segments.blocks import TextKeys
from pincite.index.segments.cascade import Piece
from pincite.index.segments.scan import score_texts
from pincite.queries import Background

Array = NDArray[Any]


def background(pieces: Iterable[Piece], question: Array) -> Background | None:
    """Mean and standard deviation of the cosine over the sample; None where nothing has vectors."""
    whole = list(pieces)
    among = sum(int(np.count_nonzero(piece.texts)) for piece in whole)
    first = [(piece.block, _first(piece.texts)) for piece in whole]
    keys = TextKeys.joined([block.keys[texts] for block, texts in first])
    chosen = np.zeros(len(keys), bool)
    chosen[keys.order()[:SAMPLE]] = True
    sums: list[int] = []
    at = 0
    for block, texts in first:
        sums += map(int, score_texts(block, texts[chosen[at : at + len(texts)]], question).tolist())
        at += len(texts)
    return background_of(sums, among)


def _first(texts: Array) -> Array:
    """The first texts of a mask, as many as a sample takes; a mask that is set often need not be read to its end."""
    end = 4 * SAMPLE
    while end < len(texts) and np.count_nonzero(texts[:end]) < SAMPLE:
        end *= 4
    return np.flatnonzero(texts[:end])[:SAMPLE]
