"""The exact nearest passages of each question, by comparing every vector; and how many of them an engine found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.corpus import SHARES, Asked, Block, blocks
from benchmarks.speed.engines.engine import TOP

Array = NDArray[Any]
FILE = "exact.npz"
EVERYTHING = "all"


def find_exact(size: int, asked: Sequence[Asked]) -> dict[str, Array]:
    """The numbers of the `TOP` nearest by filter and question, -1 where there are fewer. One block is in memory."""
    vectors = np.stack([one.vector for one in asked])
    best = {name: _Best(len(asked)) for name in (EVERYTHING, *SHARES)}
    for block in blocks(size):
        scores = vectors @ block.vectors.T
        for name, kept in best.items():
            kept.add(scores, _places(block, name), block)
    return {name: kept.numbers for name, kept in best.items()}


def store_exact(folder: Path, size: int, asked: Sequence[Asked]) -> None:
    np.savez(folder / FILE, **find_exact(size, asked))  # type: ignore[arg-type]


def load_exact(folder: Path) -> dict[str, Array]:
    with np.load(folder / FILE) as stored:
        return {name: stored[name] for name in stored.files}


def recall(answers: Sequence[Sequence[int]], exact: Array) -> float:
    """Mean share of the exact nearest that stand among the first `TOP` of each answer."""
    shares = []
    for found, row in zip(answers, exact, strict=False):
        wanted = {number for number in row.tolist() if number >= 0}
        if wanted:
            shares.append(len(wanted & set(found[:TOP])) / len(wanted))
    return round(float(np.mean(shares)), 4) if shares else float("nan")


def answered(answers: Sequence[Sequence[int]], asked: Sequence[Asked]) -> float:
    """Share of the questions whose planted answer stands among the first `TOP`."""
    return round(float(np.mean([one.answer in found[:TOP] for found, one in zip(answers, asked, strict=False)])), 4)


def _places(block: Block, share: str) -> Array:
    if share == EVERYTHING:
        return np.arange(len(block.passages))
    return np.flatnonzero([passage.share == share for passage in block.passages])


class _Best:
    """The best so far of every question."""

    def __init__(self, questions: int) -> None:
        self.scores = np.full((questions, TOP), -np.inf, np.float32)
        self.numbers = np.full((questions, TOP), -1, np.int64)

    def add(self, scores: Array, places: Array, block: Block) -> None:
        if not len(places):
            return
        numbers = np.array([block.passages[place].number for place in places.tolist()])
        merged = np.concatenate((self.scores, scores[:, places]), axis=1)
        named = np.concatenate((self.numbers, np.broadcast_to(numbers, (len(scores), len(numbers)))), axis=1)
        order = np.argsort(-merged, axis=1, kind="stable")[:, :TOP]
        self.scores, self.numbers = np.take_along_axis(merged, order, 1), np.take_along_axis(named, order, 1)
