"""Exact top-k under BM25 with MaxScore pruning (Turtle & Flood, 1995), segment by segment.

Words are taken in the order of the most they can add. As long as a row that only the remaining words know could still
enter the top k, whole posting lists are merged into the candidates; from then on only the candidates that can still
reach the k-th score are looked up in the remaining, longer lists. The threshold is the score of the k-th distinct group
(element or row). Ties are kept. Every row's score is summed in the same order whatever else is stored: to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.bm25 import norm
from pincite.index.segments.lists import PostingList
from pincite.queries import Scoring

Array = NDArray[Any]

SLACK = 1 - 1e-9
"""Keeps a row whose bound meets the threshold up to rounding."""


@dataclass
class Threshold:
    """The score of the k-th distinct group seen so far, over all segments."""

    depth: int
    value: float = 0.0

    def raise_to(self, rows: Array, scores: Array, groups: Array | None) -> None:
        best = scores
        if groups is not None and len(rows):
            owner = groups[rows]
            first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
            best = np.maximum.reduceat(scores, first)
        if len(best) >= self.depth:
            at = len(best) - self.depth
            self.value = max(self.value, float(np.partition(best, at)[at]))


@dataclass(frozen=True, slots=True)
class Scorer:
    """What turns a weighted frequency in a row into a share of its score."""

    lengths: Array
    average: float
    scoring: Scoring

    def share(self, idf: float, rows: Array, weights: Array) -> Array:
        below = weights + norm(self.lengths[rows], self.average, self.scoring)
        # Where a word does not occur both may be 0 (k1 = 0): it adds nothing.
        shares: Array = np.divide(weights, below, out=np.zeros(len(rows)), where=below > 0)
        return idf * shares


def score_rows(
    lists: Sequence[PostingList],
    idfs: Sequence[float],
    scorer: Scorer,
    threshold: Threshold,
    select: Array | None,
    groups: Array | None,
) -> tuple[Array, Array]:
    """Rows that may belong to the top k and their exact scores, rows ascending.

    `lists` come worth most first. `select` masks rows (filters and demands of the query), `groups` gives each row's
    group, never falling; None makes every row its own.
    """
    rows, scores = np.empty(0, np.int32), np.empty(0, np.float64)
    remaining = _suffix_sums(idfs)
    for position, (postings, idf) in enumerate(zip(lists, idfs, strict=True)):
        can_add = remaining[position]
        if threshold.value and can_add < threshold.value * SLACK:
            keep = scores + can_add >= threshold.value * SLACK
            rows, scores = rows[keep], scores[keep]
            if not len(rows):
                break
            weights = postings.weights(rows)
            scores = scores + scorer.share(idf, rows, weights)
        else:
            found, weights = postings.all()
            if select is not None:
                keep = select[found]
                found, weights = found[keep], weights[keep]
            rows, scores = _merge(rows, scores, found, scorer.share(idf, found, weights))
        threshold.raise_to(rows, scores, groups)
    keep = scores >= threshold.value * SLACK
    return rows[keep], scores[keep]


def score_given(
    lists: Sequence[PostingList], idfs: Sequence[float], scorer: Scorer, rows: Array
) -> tuple[Array, Array]:
    """Those of the given rows in which a word occurs, with their exact scores; nothing else of a list is read."""
    scores, occurs = np.zeros(len(rows)), np.zeros(len(rows), bool)
    for postings, idf in zip(lists, idfs, strict=True):
        weights = postings.weights(rows)
        scores += scorer.share(idf, rows, weights)
        occurs |= weights > 0
    return rows[occurs], scores[occurs]


def _suffix_sums(values: Sequence[float]) -> list[float]:
    total, out = 0.0, []
    for value in reversed(values):
        total += value
        out.append(total)
    return out[::-1]


def _merge(rows: Array, scores: Array, found: Array, shares: Array) -> tuple[Array, Array]:
    """Union of two ascending row lists; where both have a row the share is added to its score."""
    if not len(rows):
        return found, shares
    at = np.searchsorted(rows, found)
    at[at == len(rows)] = 0
    known = rows[at] == found
    scores = scores.copy()
    scores[at[known]] += shares[known]
    fresh = ~known
    if not fresh.any():
        return rows, scores
    rows = np.concatenate((rows, found[fresh]))
    scores = np.concatenate((scores, shares[fresh]))
    order = np.argsort(rows, kind="stable")
    return rows[order], scores[order]
