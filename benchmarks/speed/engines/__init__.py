"""The engines that are compared, by name; each in a file of its own behind `engine.Engine`."""

from __future__ import annotations

import importlib
from pathlib import Path

from benchmarks.speed.engines.engine import Engine

NAMES = ("segments", "sqlite_vec", "lancedb", "tantivy_faiss", "fts5_vec0")


class Missing(Exception):
    """An engine that is not installed; the message says what to do."""


def open_engine(name: str, folder: Path) -> Engine:
    """The engine over a folder, not opened yet. `Missing` if a package is not there."""
    if name not in NAMES:
        raise Missing(f"there is no engine {name}; there are: {', '.join(NAMES)}")
    try:
        module = importlib.import_module(f"benchmarks.speed.engines.{name}")
    except ModuleNotFoundError as error:
        raise Missing(f"{error.name} is not installed; make bench installs it in .venv-bench") from error
    engine: Engine = module.engine(folder)
    return engine
