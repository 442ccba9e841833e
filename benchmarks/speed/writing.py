"""Writing into what is there: until 1,000 new or changed passages are found, and what readers notice of a merge."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.speed.corpus import BLOCK, Asked, blocks
from benchmarks.speed.engines.engine import Engine, Only
from benchmarks.speed.measure import series
from benchmarks.speed.setup import Setup

ROUNDS = 3
MERGING = 5.0
"""Seconds of reading beside merges, at least."""


def add(setup: Setup) -> dict[str, Any]:
    """The middle of three rounds each, durable, until a question finds what was put."""
    engine = setup.open()
    new = [_until_found(engine, list(blocks(BLOCK, start=setup.size + n * BLOCK))) for n in range(ROUNDS)]
    changed = [_until_found(engine, list(blocks(BLOCK, variant=1 + n))) for n in range(ROUNDS)]
    return {"add_1000_s": round(float(np.median(new)), 3), "change_1000_s": round(float(np.median(changed)), 3)}


def _until_found(engine: Engine, fresh: list[Any]) -> float:
    passage, vector = fresh[0].passages[-1], fresh[0].vectors[-1]
    words = tuple(passage.text.split()[:8])
    probe = Asked("keywords", " ".join(words), words, vector, passage.number)
    started = time.perf_counter()
    engine.put(fresh)
    found = engine.dense(probe, Only())
    took = time.perf_counter() - started
    if found[0] != passage.number:
        raise RuntimeError(f"passage {passage.number} was put and is not found by its own vector; found {found[:3]}")
    return took


def merge(setup: Setup) -> dict[str, Any]:
    """Readers' times alone, and beside a process that merges everything again and again, as the library's does."""
    engine = setup.open()
    if not engine.powers.merges:
        return {}
    seconds = max(MERGING, setup.seconds)
    quiet = series(lambda one: engine.hybrid(one, Only()), setup.asked, seconds).figures()
    beside = _beside(setup, engine, seconds)
    ratio = round(beside["p95"] / quiet["p95"], 2)
    return {"merging": {"quiet_ms": quiet, "beside_a_merge_ms": beside, "to_quiet_p95": ratio}}


def merge_for_ever(setup: Setup) -> dict[str, Any]:
    """What the other process does until it is ended."""
    engine = setup.open()
    while True:
        engine.merge()


def _beside(setup: Setup, engine: Engine, seconds: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.stage", "merge_for_ever", setup.stored(), "-"]
    with subprocess.Popen(command) as merger:
        try:
            time.sleep(2.0)  # until it has started to merge
            return series(lambda one: engine.hybrid(one, Only()), setup.asked, seconds).figures()
        finally:
            merger.kill()
