"""What the other passages of an element hold of a long query: one passage seldom answers all that it asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.lists import PostingList
from pincite.index.segments.topk import Scorer
from pincite.index.segments.visibility import Visible

Array = NDArray[Any]


def held_elsewhere(
    visible: Visible,
    best: Array,
    select: Array | None,
    lists: Sequence[PostingList],
    idfs: Sequence[float],
    scorer: Scorer,
) -> dict[int, float]:
    """What to add to each of the `best` rows, one of an element each, where other passages are more about a word.

    Only rows that the caller may read and that `select` leaves count. Every sum is made word by word in the order of
    `lists`, so that it does not depend on what else is stored.
    """
    rows, best = _all_rows(visible, np.sort(best), select)
    if not len(best):
        return {}
    elements = visible.segment.row_element
    starts, own = np.searchsorted(elements[rows], elements[best]), np.searchsorted(rows, best)
    more = np.zeros(len(best))
    for postings, idf in zip(lists, idfs, strict=True):
        shares = scorer.share(idf, rows, postings.weights(rows))
        more += np.maximum.reduceat(shares, starts) - shares[own]
    return dict(zip(best.tolist(), (scorer.scoring.elsewhere * more).tolist(), strict=True))


def _all_rows(visible: Visible, best: Array, select: Array | None) -> tuple[Array, Array]:
    """The rows of all elements that have more than one, and those of the best rows that belong to them; ascending."""
    elements = visible.segment.row_element
    first = np.searchsorted(elements, elements[best])
    after = np.searchsorted(elements, elements[best], side="right")
    several = after - first > 1
    ends = zip(first[several].tolist(), after[several].tolist(), strict=True)
    rows = np.concatenate([np.empty(0, np.int32), *(np.arange(*pair, dtype=np.int32) for pair in ends)])
    keep = visible.keep(rows) if select is None else visible.keep(rows) & select[rows]
    return rows[keep], best[several]
