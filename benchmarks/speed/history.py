"""The cost of replay: the same questions before every element was changed once, after, and of the state before."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.speed.building import Untimed
from benchmarks.speed.corpus import blocks
from benchmarks.speed.engines.engine import Only
from benchmarks.speed.measure import series
from benchmarks.speed.setup import Setup

VARIANT = 100
"""Texts and vectors that no other stage has put."""


def history(setup: Setup) -> dict[str, Any]:
    """Afterwards half of all stored passages are history. `same` is the share of questions whose answer came back."""
    engine = setup.open()
    if not engine.powers.remembers:
        return {"history": {"skipped": "the engine cannot be read as it was"}}
    state = engine.state()
    before = series(lambda one: engine.hybrid(one, Only()), setup.asked, setup.seconds)
    stream = Untimed(blocks(setup.size, variant=VARIANT))
    started = time.perf_counter()
    engine.put(stream)
    engine.settle()
    took = time.perf_counter() - started - stream.seconds
    head = series(lambda one: engine.hybrid(one, Only()), setup.asked, setup.seconds)
    engine.at(state)
    old = series(lambda one: engine.hybrid(one, Only()), setup.asked, setup.seconds)
    same = [one == other for one, other in zip(before.answers, old.answers, strict=False)]
    return {
        "history": {
            "without_ms": before.figures(),
            "head_ms": head.figures(),
            "old_revision_ms": old.figures(),
            "same": round(float(np.mean(same)), 4),
            "changed_s": round(took, 2),
        }
    }
