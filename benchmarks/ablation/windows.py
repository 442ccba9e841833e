"""Which windows of a passage should be compared with a question: the dense leg alone, every vector scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ablation.asked import Asked
from benchmarks.ablation.measured import DEPTH, Measured, ndcg
from benchmarks.ablation.passages import Passages, embedded_passages, questions, stored_passages
from pincite.fixed import Fixed
from pincite.library import Library
from pincite.models.windows import WindowOptions

Array = NDArray[Any]

BOTH, WHOLE, SENTENCES = "half and half", "whole alone", "sentences alone"
FEWER = 4
"""Windows per passage that are tried beside the default; 1 needs no trial, it is the whole alone."""
FEW = f"at most {FEWER} windows"
SMALL = ("xquad-xl en-en", "xquad-xl de-en", "tools-metatool", "site-policy")
"""Sets of which embedding again takes minutes."""
AT_ONCE = 4_000_000
"""Products of windows and questions in memory at a time."""


def measure_windows(name: str, asked: Sequence[Asked], library: Library, folder: Path) -> Measured:
    """nDCG@10 of each question by the windows that are compared."""
    grades = [item.grades for item in asked]
    vectors = questions(library, [item.plan.text for item in asked], folder)
    found = nearest(stored_passages(library), vectors)
    if name in SMALL:
        fewer = embedded_passages(library, WindowOptions(max_windows=FEWER), folder)
        found[FEW] = nearest(fewer, vectors)[BOTH]
    return Measured(name, {scheme: ndcg(grades, ranked) for scheme, ranked in found.items()}, BOTH)


def nearest(passages: Passages, vectors: Fixed) -> dict[str, list[list[str]]]:
    """For every question the nearest documents, each by its best passage, under each way to score a passage."""
    step = max(1, AT_ONCE // max(1, len(passages.vectors)))
    out: dict[str, list[list[str]]] = {BOTH: [], WHOLE: [], SENTENCES: []}
    for low in range(0, len(vectors), step):
        for scheme, scores in _scores(passages, vectors[low : low + step]).items():
            by_document = np.maximum.reduceat(scores, passages.first_passage, axis=0)
            out[scheme] += [_best(passages.documents, column) for column in by_document.T]
    return out


def _scores(passages: Passages, vectors: Fixed) -> Mapping[str, Array]:
    """Passages × questions. As the index does: the whole is no stretch, unless there is nothing else."""
    # Sums of int16 products are exact in float64, so that equals stay equal.
    dots = _products(passages.vectors, vectors.astype(np.float64).T)
    starts = passages.first_window
    whole = dots[starts]
    dots[starts[np.diff(starts, append=len(dots)) > 1]] = -np.inf
    stretch = np.maximum.reduceat(dots, starts, axis=0)
    return {BOTH: whole + stretch, WHOLE: whole, SENTENCES: stretch}


def _products(windows: Fixed, vectors: Array, rows: int = 4_096) -> Array:
    parts = [windows[low : low + rows].astype(np.float64) @ vectors for low in range(0, len(windows), rows)]
    return np.concatenate(parts)


def _best(documents: Sequence[str], scores: Array) -> list[str]:
    """The best few, ties by id: documents are in that order, and the sort is stable."""
    return [documents[number] for number in np.argsort(-scores, kind="stable")[:DEPTH]]
