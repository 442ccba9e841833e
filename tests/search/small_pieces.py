"""Bounds so low that a dozen texts exceed them: many segments and blocks, sampled backgrounds, sieves, short pools."""

from __future__ import annotations

from collections.abc import Callable

from pincite.index.segments import background, cascade, dense, merge, roll, take, upkeep
from pincite.ingest import embed
from pincite.search import legs


def cut_small(set_to: Callable[[object, str, object], None] = setattr) -> None:
    """Lower the bounds in this process. Answers depend on some of them, so all processes of a test must agree."""
    set_to(merge, "SLICE", 7)
    set_to(roll, "MAX_BATCH_CHARACTERS", 200)
    set_to(upkeep, "FEW", 2)
    set_to(take, "FETCH", 3)
    set_to(take, "MAX_BLOCK_BYTES", 6_000)
    set_to(take, "FEW", 5)
    set_to(dense, "FULL_SCAN", 6)
    set_to(cascade, "NEAR_LEAST", 4)
    set_to(cascade, "CHOSEN", 3)
    set_to(background, "SAMPLE", 5)
    set_to(legs, "DEPTH", 5)
    set_to(embed, "POLL_SECONDS", 0.01)
