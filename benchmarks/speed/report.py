"""`latest.json`, a contract: sizes at the top, under each the engines with their figures.

    {"100000": {"segments": {"hybrid_ms": {"p50": …, "p95": …}, "keyword_ms": …, "dense_ms": …, "recall@10": …,
                             "build_s": …, "disk_mb": …, "rss_mb": …, "open_ms": …, "add_1000_s": …, …}, …}, …}

A stage that was not measured stands under `skipped` of its engine, with the reason. `about`, `machine` and `corpora`
stand beside the sizes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import is_same

NAME = "latest.json"
ABOUT = (
    "Written by make bench and make bench-1m (python -m benchmarks.speed). Milliseconds are wall time on one core,"
    " warm; cpu_p50 and cpu_p95 are CPU time of all threads. A run replaces the engines and sizes that it measures;"
    " figures of other runs stay if they come from the same hardware, and `run` says which figures belong together."
)
BESIDE = ("about", "machine", "corpora")
TIMES = ("hybrid_ms", "keyword_ms", "dense_ms")
OF_STAGE = {
    "build": ("build_s", "disk_mb"),
    "search": (*TIMES, "recall@10"),
    "open_cold": ("open_ms",),
    "memory": ("rss_mb",),
    "add": ("add_1000_s",),
}
"""What the contract asks for, by the stage that measures it."""

Report = dict[str, Any]


def empty(machine: Mapping[str, Any]) -> Report:
    return {"about": ABOUT, "machine": dict(machine), "corpora": {}}


def load(folder: Path, machine: Mapping[str, Any]) -> Report:
    """The report of earlier runs on the same hardware, to be added to; otherwise an empty one."""
    path = folder / NAME
    found: Report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not found or not is_same(found["machine"], dict(machine)):
        return empty(machine)
    return {**found, "about": ABOUT, "machine": dict(machine)}


def store(folder: Path, report: Report) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ordered = {name: report[name] for name in BESIDE} | {str(size): report[str(size)] for size in sizes(report)}
    unfinished = folder / f"{NAME}.part"
    unfinished.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(folder / NAME)


def sizes(report: Report) -> list[int]:
    return sorted(int(name) for name in report if name not in BESIDE)


def engines(report: Report, size: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = report[str(size)]
    return found


def missing(figures: Mapping[str, Any]) -> list[str]:
    """What the contract asks for and an engine's figures do not have, and `skipped` does not explain."""
    out = []
    skipped = figures.get("skipped", {})
    for stage, names in OF_STAGE.items():
        if stage in skipped or "everything" in skipped:
            continue
        for name in names:
            found = figures.get(name)
            if name not in TIMES:
                out += [] if isinstance(found, int | float) else [name]
            else:
                out += [f"{name}.{part}" for part in ("p50", "p95") if not isinstance(found, dict) or part not in found]
    return out
