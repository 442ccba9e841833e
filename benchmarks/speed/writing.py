"""Writing into what is there: until 1,000 new or changed passages are found, and what readers notice of a merge."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
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
    """Readers' times alone and beside merges of everything: by a thread, as the library does it, and by a process."""
    engine = setup.open()
    if not engine.powers.merges:
        return {}
    seconds = max(MERGING, setup.seconds)
    quiet = series(lambda one: engine.hybrid(one, Only()), setup.asked, seconds).figures()
    thread = _beside(setup, engine, _Thread(engine))
    process = _beside(setup, engine, _Process(setup))
    ratios = {
        "thread_to_quiet_p95": round(thread["p95"] / quiet["p95"], 2),
        "process_to_quiet_p95": round(process["p95"] / quiet["p95"], 2),
    }
    return {"merging": {"quiet_ms": quiet, "beside_a_thread_ms": thread, "beside_a_process_ms": process, **ratios}}


def merge_for_ever(setup: Setup) -> dict[str, Any]:
    """What the other process does until it is ended."""
    engine = setup.open()
    while True:
        engine.merge()


class _Thread:
    def __init__(self, engine: Engine) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(engine.merge,))

    def start(self) -> None:
        self._thread.start()

    def _work(self, run: Callable[[], None]) -> None:
        while not self._over.is_set():
            run()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()


class _Process:
    def __init__(self, setup: Setup) -> None:
        self._command = [sys.executable, "-m", "benchmarks.speed.stage", "merge_for_ever", setup.stored(), "-"]

    def start(self) -> None:
        self._child = subprocess.Popen(self._command)
        time.sleep(2.0)  # until it has started to merge

    def stop(self) -> None:
        self._child.kill()
        self._child.wait()


def _beside(setup: Setup, engine: Engine, merger: _Thread | _Process) -> dict[str, Any]:
    merger.start()
    try:
        return series(lambda one: engine.hybrid(one, Only()), setup.asked, max(MERGING, setup.seconds)).figures()
    finally:
        merger.stop()
