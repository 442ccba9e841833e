"""Opening in a fresh process: until the first hybrid answer, with the files out of the page cache and in it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from benchmarks.speed.engines import open_engine
from benchmarks.speed.engines.engine import Only
from benchmarks.speed.measure import series
from benchmarks.speed.memory import resident
from benchmarks.speed.setup import Setup


def opened_cold(setup: Setup) -> dict[str, Any]:
    """Imports are not counted, reading the files is."""
    return {"open_ms": _open(setup, cold=True)}


def opened_warm(setup: Setup) -> dict[str, Any]:
    return {"open_warm_ms": _open(setup, cold=False)}


def _open(setup: Setup, *, cold: bool) -> float:
    asked = setup.asked[0]
    _import(setup)
    if cold:
        forget(setup.home)
    started = time.perf_counter()
    setup.open().hybrid(asked, Only())
    return round(1000 * (time.perf_counter() - started), 1)


def _import(setup: Setup) -> None:
    """An engine over an empty folder: its packages are loaded, nothing of the measured one is read."""
    empty = Path(setup.folder) / f"{setup.engine}-empty"
    open_engine(setup.engine, empty)


def forget(folder: Path) -> None:
    """Let the system drop what it holds of the files; it does so for pages that nobody else uses."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def remembered(setup: Setup) -> dict[str, Any]:
    """What a fresh process holds after the questions, with and without filters."""
    before = resident()
    engine = setup.open()
    series(lambda one: engine.hybrid(one, Only()), setup.asked, setup.seconds)
    series(lambda one: engine.hybrid(one, Only("10")), setup.asked, setup.seconds / 2)
    return {**resident(), "rss_before_open_mb": before["rss_mb"]}
