"""What is asked of every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.speed.corpus import BIG, Asked, Block

DEPTH = 200
"""Passages that each leg gives to the fusion, in every engine: as many as Pincite's search takes."""
RRF_K = 60
"""Cormack et al., SIGIR 2009."""
TOP = 10
"""Passages that a caller is given."""


@dataclass(frozen=True, slots=True)
class Only:
    """Which passages a question is asked of."""

    share: str = ""
    """The filter; empty: all."""
    tenant: str = BIG


@dataclass(frozen=True, slots=True)
class Powers:
    """What an engine can do beyond answering."""

    remembers: bool = False
    """It can be read as it was before a change: `state` and `at`."""
    merges: bool = False
    """It merges in the background while others read: `merge`."""
    scanned_bytes: int = 0
    """Bytes of each vector that a dense question must read; 0: it does not read every vector."""


class Engine(Protocol):
    """Passages by words, by vector and by both. Ids are the passages' numbers, the best first."""

    powers: Powers
    efforts: Sequence[Mapping[str, Any]]
    """Settings of the dense leg, cheapest first; the first that reaches `target` is used. One: nothing to choose."""
    target: float
    """Recall at 10 that is aimed at."""
    effort: Mapping[str, Any]
    """The one in use."""

    def put(self, blocks: Iterable[Block]) -> None:
        """Store passages, new ones or others under known numbers, durably; they can be found on return."""

    def settle(self) -> None:
        """Do what a user would do after a large load: build indexes, merge."""

    def open(self) -> None:
        """Make ready for questions; done again, it sees what was put since."""

    def close(self) -> None: ...

    def keyword(self, asked: Asked, only: Only) -> list[int]:
        """The best `DEPTH` by words."""

    def dense(self, asked: Asked, only: Only) -> list[int]:
        """The best `DEPTH` by vector."""

    def hybrid(self, asked: Asked, only: Only) -> list[int]:
        """The best `TOP` of both legs, `DEPTH` of each, fused by reciprocal ranks."""

    def state(self) -> int:
        """Names what is stored now; for engines that remember."""

    def at(self, state: int | None) -> None:
        """Read as it was then; None: as it is."""

    def merge(self) -> None:
        """Merge everything once; for engines that merge while others read."""

    def describe(self) -> dict[str, Any]:
        """Version and settings, for the report."""


class Forgets:
    """What engines answer that neither remember nor merge while others read; their powers say so, and nobody asks."""

    def state(self) -> int:
        raise NotImplementedError("not among its powers")

    def at(self, state: int | None) -> None:
        raise NotImplementedError("not among its powers")

    def merge(self) -> None:
        raise NotImplementedError("not among its powers")


def fuse(rankings: Sequence[Sequence[int]]) -> list[int]:
    """Reciprocal rank fusion, ties by number; the best `TOP`."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda number: (-scores[number], number))[:TOP]
