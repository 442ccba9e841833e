"""Builds or asks one library for `whole_search`, with whatever version of the package is on the path.

Uses only what both versions have: it is run by path, with the other checkout's modules in place of those beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

WARM = 100
"""Questions that are asked first and not measured; others than those that are."""


class CpuLaps:
    """Stands in for `telemetry.Laps`: the stages of the last search, in CPU time of all threads."""

    last: CpuLaps

    def __init__(self, *_: object) -> None:
        self.stages: dict[str, float] = {}
        self._since = time.process_time()
        CpuLaps.last = self

    def lap(self, stage: str) -> None:
        now = time.process_time()
        self.stages[stage] = 1000 * (now - self._since)
        self._since = now

    def total(self) -> None:
        pass


def build(home: str, size: str) -> None:
    from benchmarks.speed.corpus import blocks
    from benchmarks.speed.engines import open_engine

    engine = open_engine("segments", Path(home))
    engine.put(blocks(int(size)))
    engine.settle()
    engine.close()


def ask(home: str, size: str, queries: str, group: str) -> None:
    # Before anything is imported that might start threads.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    import pincite
    from benchmarks.speed.corpus import BIG, questions
    from benchmarks.speed.product import Planted
    from pincite import telemetry

    telemetry.Laps = CpuLaps  # type: ignore[assignment,misc]
    warm, asked = questions(int(size), WARM, seed=7), questions(int(size), int(queries))
    with pincite.open(home, tenant=BIG) as library:
        searched = library.with_embedder(Planted({one.text: one.vector for one in (*warm, *asked)}))
        for one in warm:
            searched.search(one.text, limit=10, group=group)
        costs: dict[str, list[float]] = {}
        answers = []
        for one in asked:
            began = time.process_time()
            answer = searched.search(one.text, limit=10, group=group)
            total = 1000 * (time.process_time() - began)
            stages = CpuLaps.last.stages
            for name, cost in {**stages, "total": total, "outside": total - sum(stages.values())}.items():
                costs.setdefault(name, []).append(cost)
            answers.append(digest(answer))
    print(json.dumps({"milliseconds": costs, "answers": answers}))


def digest(answer: Any) -> str:
    """Of all that an answer says about its hits, floats to the last bit."""
    said = [
        (
            hit.passage.citation,
            hit.passage.text,
            hit.score.hex(),
            sorted((leg, found.rank, found.score.hex(), found.raw.hex()) for leg, found in hit.legs.items()),
            sorted((signal, value.hex()) for signal, value in hit.signals.items()),
            [(one.passage.citation, one.score.hex()) for one in hit.passages],
        )
        for hit in answer.hits
    ]
    whole = repr((said, answer.total, answer.total_is_lower_bound, answer.notes))
    return hashlib.blake2b(whole.encode(), digest_size=12).hexdigest()


if __name__ == "__main__":
    {"build": build, "ask": ask}[sys.argv[1]](*sys.argv[2:])
