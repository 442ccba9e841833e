"""Pincite's second index: FTS5 and sqlite-vec in one SQLite file, the design that `segments` replaced."""

from __future__ import annotations

from pathlib import Path

from benchmarks.speed.engines.engine import Powers
from benchmarks.speed.engines.projected import Projected
from benchmarks.speed.vectors import DIMENSIONS
from pincite.index.sqlite_vec.index import SqliteVecIndex


def engine(folder: Path) -> Projected:
    """Its dense leg, too, must read the sign bits of every vector. It reads old revisions, but does not promise
    the same answers: its statistics are those of all that it holds."""
    return Projected(folder, SqliteVecIndex, Powers(remembers=True, scanned_bytes=DIMENSIONS // 8))
