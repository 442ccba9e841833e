"""Small tenants beside a big one: what a question of a small one costs, there and in a store of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.corpus import BLOCK, Asked, blocks
from benchmarks.speed.engines import open_engine
from benchmarks.speed.engines.engine import TOP, Engine, Only
from benchmarks.speed.measure import series
from benchmarks.speed.recall import recall
from benchmarks.speed.setup import Setup

SMALL = tuple(f"small-{number}" for number in range(5))
"""Each with one block of passages."""
ASKED = SMALL[len(SMALL) // 2]
QUESTIONS = 50
"""For the recall."""


def tenants(setup: Setup) -> dict[str, Any]:
    beside = setup.open()
    _fill(beside)
    alone = open_engine(setup.engine, Path(setup.folder) / f"{setup.engine}-alone")
    _fill(alone)
    alone.settle()
    alone.open()
    alone.effort = beside.effort
    asked = [replace(one, answer=one.answer % BLOCK) for one in setup.asked]
    return {
        "tenants": {
            "small_chunks": BLOCK,
            "small_tenants": len(SMALL),
            "alone_ms": _series(setup, alone, asked),
            "beside_ms": _series(setup, beside, asked),
            "beside_recall@10": _recall(beside, asked[:QUESTIONS]),
        }
    }


def _fill(engine: Engine) -> None:
    engine.put(block for tenant in SMALL for block in blocks(BLOCK, tenant=tenant))


def _series(setup: Setup, engine: Engine, asked: list[Asked]) -> dict[str, Any]:
    return series(lambda one: engine.hybrid(one, Only(tenant=ASKED)), asked, setup.seconds).figures()


def _recall(engine: Engine, asked: list[Asked]) -> float:
    """A small tenant is a strong filter: does the dense leg still find its nearest?"""
    block = next(blocks(BLOCK, tenant=ASKED))
    scores = np.stack([one.vector for one in asked]) @ block.vectors.T
    exact = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
    return recall([engine.dense(one, Only(tenant=ASKED)) for one in asked], exact)
