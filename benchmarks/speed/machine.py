"""The machine and the versions that figures belong to. No names of hosts, users or folders."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("pincite", "numpy", "sqlite-vec", "apsw", "lancedb", "tantivy", "faiss-cpu")
IDENTITY = ("cpu", "cores", "memory_gb", "system")
"""What must agree for figures of two runs to stand in one file."""


def machine() -> dict[str, Any]:
    return {
        "cpu": _field(Path("/proc/cpuinfo"), "model name") or platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the hardware agrees; versions are said in the figures of each run."""
    return all(one.get(key) == other.get(key) for key in IDENTITY)


def _field(path: Path, name: str) -> str:
    if not path.exists():
        return ""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
