"""An embedder without a model: texts that share words or parts of words are close. For tests and experiments."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from pincite.errors import InvalidArgument
from pincite.fixed import unit
from pincite.meaning import Calibration, Floats
from pincite.models.texts import cut, readable
from pincite.models.windows import DEFAULT, WindowOptions, windows
from pincite.text.fold import clean, fold
from pincite.types import EmbeddedText

_WORD = re.compile(r"\w+")
_PIECE = 4
"""Letters per piece: long enough to carry meaning, short enough to match despite different endings."""
_PIECE_WEIGHT = 0.5
_MOST_DIMENSIONS = 4_096


class HashingEmbedder:
    """Feature hashing (Weinberger et al., ICML 2009): each feature adds ±1 at a position given by its hash."""

    deterministic = True

    def __init__(self, dimensions: int = 64, *, options: WindowOptions = DEFAULT) -> None:
        if not 8 <= dimensions <= _MOST_DIMENSIONS:
            raise InvalidArgument(
                f"hashing:{dimensions} is not supported; use 8 to {_MOST_DIMENSIONS} dimensions", field="dimensions"
            )
        self.dimensions = dimensions
        self._options = options

    @property
    def name(self) -> str:
        return f"hashing:{self.dimensions}"

    @property
    def fingerprint(self) -> str:
        return f"hashing/1;dimensions={self.dimensions};{self._options.fingerprint}"

    @property
    def calibration(self) -> Calibration:
        """By chance, two texts in 64 dimensions have a cosine of 0 ± 0.125 (1 over the root of the dimensions)."""
        return Calibration(unrelated=0.15, same=0.9, words=0.35)

    def describe(self) -> dict[str, str]:
        """How vectors are computed, in words."""
        return {"model": "none: hashed words and pieces of words", "precision": "fp32", "prompt": "none"}

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return windows(passage, self._options)

    def embed(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        sums = [0.0] * self.dimensions
        text = cut(readable(text), self._options.whole_chars)
        for feature, weight in _features(text):
            at, sign = _place(feature, self.dimensions)
            sums[at] += sign * weight
        if not any(sums):  # features that cancel each other; rare, but a text must have a direction
            sums[_place(f"all {text}", self.dimensions)[0]] = 1.0
        return unit(np.array(sums))


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Folded words and pieces of the longer ones; for a text without words (emoji, symbols), its characters."""
    words = [fold(word) for word in _WORD.findall(clean(text))]
    if not words:
        yield from ((f"sign {char}", 1.0) for char in text if not char.isspace())
    for word in words:
        yield f"word {word}", 1.0
        for start in range(len(word) - _PIECE + 1):
            yield f"piece {word[start : start + _PIECE]}", _PIECE_WEIGHT


@lru_cache(maxsize=100_000)
def _place(feature: str, dimensions: int) -> tuple[int, int]:
    number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8"), digest_size=8).digest(), "little")
    return (number >> 1) % dimensions, 1 if number & 1 else -1
