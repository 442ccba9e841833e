"""The questions, by leg and filter: times, recall, and the distance to what memory allows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.speed.bandwidth import bound
from benchmarks.speed.corpus import SHARES, questions
from benchmarks.speed.engines.engine import Engine, Only
from benchmarks.speed.measure import series
from benchmarks.speed.recall import EVERYTHING, answered, find_exact, load_exact, recall
from benchmarks.speed.setup import Setup

TUNING = 50
"""Other questions than those that are measured, for choosing the effort."""


def tune(setup: Setup) -> dict[str, Any]:
    """Find the cheapest effort that reaches the recall an engine aims at, and keep it."""
    engine = setup.open()
    reached = float("nan")
    if len(engine.efforts) > 1:
        asked = questions(setup.size, TUNING, seed=2)
        exact = find_exact(setup.size, asked)[EVERYTHING]
        for effort in engine.efforts:
            engine.effort = effort
            reached = recall([engine.dense(one, Only()) for one in asked], exact)
            if reached >= engine.target:
                break
    setup.keep_effort(engine)
    said: dict[str, Any] = {"settings": engine.describe()}
    if len(engine.efforts) > 1:
        said["settings"] |= {"recall_aimed_at": engine.target, "recall_when_tuned": reached}
    return said


def search(setup: Setup) -> dict[str, Any]:
    engine = setup.open()
    exact = load_exact(Path(setup.folder))
    everything = _legs(setup, engine, Only(), exact)
    figures: dict[str, Any] = {**everything}
    figures["filters"] = {share: _legs(setup, engine, Only(share), exact) for share in SHARES}
    if engine.powers.scanned_bytes:
        limit = bound(setup.size * engine.powers.scanned_bytes)
        ratio = everything["dense_ms"]["p50"] / limit.milliseconds
        figures["bandwidth"] = {
            "scanned_mb": round(limit.megabytes, 2),
            "bound_ms": round(limit.milliseconds, 4),
            "gb_per_s": round(limit.megabytes / limit.milliseconds, 1),
            "dense_to_bound": round(ratio, 1),
        }
    return figures


def _legs(setup: Setup, engine: Engine, only: Only, exact: Mapping[str, Any]) -> dict[str, Any]:
    legs = {"keyword": engine.keyword, "dense": engine.dense, "hybrid": engine.hybrid}
    out: dict[str, Any] = {}
    for name, leg in legs.items():
        measured = series(lambda one, leg=leg: leg(one, only), setup.asked, setup.seconds)  # type: ignore[misc]
        out[f"{name}_ms"] = measured.figures()
        if name == "dense":
            out["recall@10"] = recall(measured.answers, exact[only.share or EVERYTHING])
        elif name == "hybrid" and not only.share:
            out["answered@10"] = answered(measured.answers, setup.asked)
    return out
