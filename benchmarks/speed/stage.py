"""One stage in a process of its own: python -m benchmarks.speed.stage NAME SETUP RESULT"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

STAGES = {
    "embedding": "embedding:embedding",
    "build": "building:build",
    "tune": "searching:tune",
    "search": "searching:search",
    "open_cold": "opening:opened_cold",
    "open_warm": "opening:opened_warm",
    "memory": "opening:remembered",
    "throughput": "throughput:throughput",
    "product": "product:product",
    "add": "writing:add",
    "merge": "writing:merge",
    "merge_for_ever": "writing:merge_for_ever",
    "tenants": "tenants:tenants",
    "windows": "windows:windows",
    "history": "history:history",
}
ON_ALL_CORES = ("build", "throughput", "merge", "merge_for_ever")


def run(name: str, stored: str) -> dict[str, object]:
    """Before anything is imported that might start threads, the process is bound to one core."""
    if name not in ON_ALL_CORES:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    from benchmarks.speed.setup import Setup

    module, _, function = STAGES[name].partition(":")
    figures: dict[str, object] = getattr(importlib.import_module(f"benchmarks.speed.{module}"), function)(
        Setup.load(stored)
    )
    return figures


if __name__ == "__main__":
    _, name, stored, result = sys.argv
    Path(result).write_text(json.dumps(run(name, stored)), encoding="utf-8")
