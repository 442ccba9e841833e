"""Which words of a lexicon lie near a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.lexicon.store import SCALE, FormBlock, LexiconState, compact
from pincite.meaning import Floats, NearWord
from pincite.text.fold import fold
from pincite.types import View

Array = NDArray[Any]

SLICE = 8_192
"""Words compared at once."""


def near(
    stores: Iterable[tuple[LexiconState, View]], vectors: Sequence[Floats], above: float, most: int
) -> list[NearWord]:
    """Words nearer than `above` to one of the vectors, at most so many for each, the nearest first.

    A store counts as the view sees it: at its revision, on its day. Forms of one word that differ in case or accents
    are one, by the nearest.
    """
    asked = np.ascontiguousarray(compact(np.stack(vectors)), np.float32)
    bound = int(np.ceil(above * SCALE * SCALE))
    blocks: list[FormBlock] = []
    found: list[_Alike] = []
    for store, view in stores:
        used, first = store.in_use(view.revision, view.valid_at.toordinal()), 0
        for block in store.blocks:
            found.extend(_alike(block, len(blocks), used[first : first + len(block)], asked, bound))
            blocks.append(block)
            first += len(block)
    words: dict[str, tuple[int, str]] = {}
    for number in range(len(vectors)):
        for key, best in _nearest(blocks, [item.of(number) for item in found], most):
            words[key] = max(words.get(key, (0, "")), best)
    nearest = sorted(words.values(), key=lambda pair: (-pair[0], pair[1]))
    return [NearWord(form, likeness / (SCALE * SCALE)) for likeness, form in nearest]


@dataclass(frozen=True, slots=True)
class _Alike:
    """Forms of a block that are near enough to one of the vectors."""

    block: int
    numbers: Array
    """Of the vectors, ascending."""
    rows: Array
    likeness: Array

    def of(self, number: int) -> _Alike:
        """Those near one vector."""
        low, high = np.searchsorted(self.numbers, (number, number + 1))
        return _Alike(self.block, self.numbers[low:high], self.rows[low:high], self.likeness[low:high])


def _alike(block: FormBlock, place: int, used: Array, asked: Array, bound: int) -> Iterator[_Alike]:
    for low in range(0, len(block), SLICE):
        alike = asked @ block.vectors[low : low + SLICE].astype(np.float32).T
        numbers, rows = np.nonzero((alike >= bound) & used[low : low + SLICE])
        yield _Alike(place, numbers, low + rows, alike[numbers, rows].astype(np.int64))


def _nearest(blocks: Sequence[FormBlock], found: Sequence[_Alike], most: int) -> list[tuple[str, tuple[int, str]]]:
    """The words nearest to one vector: folded, with how near the best form is and that form. Others are not read."""
    likeness = np.concatenate([np.empty(0, np.int64), *(item.likeness for item in found)])
    rows = np.concatenate([np.empty(0, np.int64), *(item.rows for item in found)])
    places = np.repeat([item.block for item in found], [len(item.rows) for item in found])
    words: dict[str, tuple[int, str]] = {}
    last = 0
    for at in np.argsort(-likeness, kind="stable").tolist():
        value = int(likeness[at])
        if len(words) >= most and value < last:
            break
        last = value
        form = blocks[places[at]].forms[int(rows[at])]
        best = words.setdefault(fold(form), (value, form))
        # Of two forms equally near the first in the order of their letters, wherever they lie.
        if value == best[0] and form < best[1]:
            words[fold(form)] = (value, form)
    return sorted(words.items(), key=lambda item: (-item[1][0], item[0]))[:most]
