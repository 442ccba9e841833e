"""What a caller of the library waits for: `search`, fused and cited; only the question's vector is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import pincite
from benchmarks.speed.corpus import BIG, Asked
from benchmarks.speed.engines.projected import CALIBRATION, MODEL
from benchmarks.speed.measure import series
from benchmarks.speed.setup import Setup
from benchmarks.speed.vectors import DIMENSIONS
from pincite.meaning import Calibration, Floats
from pincite.types import EmbeddedText


class Planted:
    """The embedder of the corpus: it knows the vectors of the questions."""

    name = fingerprint = MODEL
    dimensions = DIMENSIONS
    deterministic = True
    calibration: Calibration = CALIBRATION

    def __init__(self, vectors: Mapping[str, Floats]) -> None:
        self._vectors = vectors

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return (passage.text,)

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        return self._vectors[text]


def product(setup: Setup) -> dict[str, Any]:
    """Passages, ten of them, with citations."""
    planted = Planted({one.text: one.vector for one in setup.asked})
    with pincite.open(setup.home, tenant=BIG) as library:
        searched = library.with_embedder(planted)

        def ask(one: Asked) -> list[int]:
            answer = searched.search(one.text, limit=10, group="chunk")
            assert len(answer.hits) > 0
            return []

        return {"search_ms": series(ask, setup.asked, setup.seconds).figures()}
