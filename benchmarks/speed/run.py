"""One size, one engine: its stages in order, each in a process of its own; what fails or takes too long is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from benchmarks.speed.engines import Missing, open_engine
from benchmarks.speed.setup import QUIET, ROOM, THREADS, Setup

ROOT = Path(__file__).parents[2]
ALL = ("build", "tune", "search", "open_cold", "open_warm", "memory", "throughput", "add", "tenants", "history")
ONLY_SEGMENTS = ("product", "merge")
"""Of Pincite's default: `search` with citations, and readers beside merges. They come before what changes the store;
`windows`, also only of the default, is one that does."""
OPTIONAL = ("throughput", "add", "merge", "tenants", "windows", "history")
"""What a run may leave out: nothing else needs it."""
ALONE = ("tenants", "windows", "history")
"""What a run may measure alone, beside the figures that are there: each has a name of its own among them."""
CHANGING = ("add", "tenants", "windows", "history")
"""Each begins with the store as it was built, not with what another left."""


def stages(engine: str) -> tuple[str, ...]:
    if engine != "segments":
        return ALL
    before_changes, last = ALL.index("add"), ALL.index("history")
    return (*ALL[:before_changes], *ONLY_SEGMENTS, *ALL[before_changes:last], "windows", *ALL[last:])


def all_but(wanted: Collection[str]) -> set[str]:
    """The stages that can be left out to measure only some."""
    return {name for name in stages("segments") if name not in ("build", "tune", *wanted)}


def measure(setup: Setup, limit_seconds: float, without: Collection[str] = ()) -> dict[str, Any]:
    """The figures of an engine; `skipped` names what is not among them, with the reason."""
    figures: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    try:
        open_engine(setup.engine, Path(setup.folder) / f"{setup.engine}-probe")
    except Missing as reason:
        return {"skipped": {"everything": str(reason)}}
    for name in stages(setup.engine):
        if "build" in skipped:
            skipped[name] = "nothing was built"
            continue
        if name in without:
            skipped[name] = "left out of this run"
            continue
        if name in CHANGING:
            restore(setup, last=name == CHANGING[-1])
        found = stage(name, setup, limit_seconds)
        if isinstance(found, str):
            skipped[name] = found
        else:
            figures |= found
    history = figures.get("history", {})
    if "skipped" in history:
        skipped["history"] = figures.pop("history")["skipped"]
    clear(setup)
    return {**figures, **({"skipped": skipped} if skipped else {})}


def stage(name: str, setup: Setup, limit_seconds: float) -> dict[str, Any] | str:
    """What a stage measured, or why it did not."""
    result = Path(setup.folder) / "result.json"
    result.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.speed.stage", name, setup.stored(), str(result)]
    environment = {**os.environ, **THREADS, **QUIET, **ROOM}
    log = Path(setup.folder) / f"{setup.engine}-{name}.log"
    started = time.perf_counter()
    try:
        with log.open("wb") as output:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=output, stderr=output, timeout=limit_seconds, check=False
            )
    except subprocess.TimeoutExpired:
        return f"took longer than {limit_seconds / 60:.0f} minutes"
    print(f"  {setup.engine:<14} {name:<11} {time.perf_counter() - started:7.1f} s", flush=True)
    if done.returncode or not result.exists():
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        print("\n".join(lines[-15:]), file=sys.stderr)
        said = lines[-1] if lines else f"exit status {done.returncode}"
        return f"failed: {said.replace(setup.folder, '…').replace(str(ROOT), '…')}"  # the report names no folders
    figures: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return figures


def restore(setup: Setup, *, last: bool) -> None:
    """Put the store back as it was before the first stage that changes it; a copy is kept until the last."""
    kept = Path(setup.folder) / f"{setup.engine}-kept"
    if not kept.exists():
        shutil.copytree(setup.home, kept)
        return
    shutil.rmtree(setup.home)
    if last:
        kept.rename(setup.home)
    else:
        shutil.copytree(kept, setup.home)


def clear(setup: Setup) -> None:
    """The engine's files; the next one needs the room."""
    for path in Path(setup.folder).glob(f"{setup.engine}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
