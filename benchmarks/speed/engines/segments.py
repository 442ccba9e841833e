"""Pincite's default index: memory-mapped segments, numpy."""

from __future__ import annotations

from pathlib import Path

from benchmarks.speed.engines.engine import Powers
from benchmarks.speed.engines.projected import Projected
from benchmarks.speed.vectors import DIMENSIONS
from pincite.index.segments.index import SegmentIndex


def engine(folder: Path) -> Projected:
    """Its dense leg must read the sign bits of every vector; the few that are rescored hardly count."""
    return Projected(folder, SegmentIndex, Powers(remembers=True, merges=True, scanned_bytes=DIMENSIONS // 8))
