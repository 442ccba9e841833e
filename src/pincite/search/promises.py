"""What the index of a library cannot promise, said where the answer is read."""

from __future__ import annotations

from pincite.queries import IndexFeatures

NOT_ISOLATED = (
    "scores and their order are counted over all that the index holds, also what you may not read; index: segments"
    " counts only what you may"
)


def promise_notes(features: IndexFeatures) -> list[str]:
    return [] if features.score_isolation else [NOT_ISOLATED]
