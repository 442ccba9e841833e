"""Which words of a lexicon lie near a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.lexicon.store import SCALE, Block, Store, compact
from pincite.protocols import Floats, NearWord
from pincite.text.fold import fold
from pincite.types import View

Array = NDArray[Any]

SLICE = 8_192
"""Words compared at once."""


def near(stores: Iterable[tuple[Store, View]], vectors: Sequence[Floats], above: float, most: int) -> list[NearWord]:
    """Words nearer than `above` to one of the vectors, at most so many for each, the nearest first.

    A store counts as the view sees it: at its revision, on its day. Forms of one word that differ in case or accents
    are one, by the nearest.
    """
    asked = np.ascontiguousarray(compact(np.stack(vectors)), np.float32)
    bound = int(np.ceil(above * SCALE * SCALE))
    found: list[dict[str, tuple[int, str]]] = [{} for _ in vectors]
    for store, view in stores:
        used, first = store.in_use(view.revision, view.valid_at.toordinal()), 0
        for block in store.blocks:
            mine = used[first : first + len(block)]
            first += len(block)
            for number, row, likeness in _alike(block, mine, asked, bound):
                form = block.forms[row]
                key = fold(form)
                best = found[number].get(key)
                # Of two forms equally near the first in the order of their letters, wherever they lie.
                if best is None or (-likeness, form) < (-best[0], best[1]):
                    found[number][key] = (likeness, form)
    words: dict[str, tuple[int, str]] = {}
    for candidates in found:
        for key in sorted(candidates, key=lambda key: (-candidates[key][0], key))[:most]:
            words[key] = max(words.get(key, (0, "")), candidates[key], key=lambda pair: (pair[0], pair[1]))
    nearest = sorted(words.values(), key=lambda pair: (-pair[0], pair[1]))
    return [NearWord(form, likeness / (SCALE * SCALE)) for likeness, form in nearest]


def _alike(block: Block, used: Array, asked: Array, bound: int) -> Iterable[tuple[int, int, int]]:
    """(number of the vector, row, similarity) of the forms in use that are near enough."""
    for low in range(0, len(block), SLICE):
        alike = asked @ block.vectors[low : low + SLICE].astype(np.float32).T
        numbers, rows = np.nonzero((alike >= bound) & used[low : low + SLICE])
        found = alike[numbers, rows].astype(np.int64)
        yield from zip(numbers.tolist(), (low + rows).tolist(), found.tolist(), strict=True)
