"""Vectors for tests: texts that share words are near each other, the same everywhere and without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache

import numpy as np

from pincite.fixed import question
from pincite.index.entries import embedded_key, embedded_text
from pincite.meaning import Calibration, Floats
from pincite.protocols import Catalog
from pincite.queries import VectorQuery
from pincite.types import Scope

DIMENSIONS = 64
MODEL = "words/1"
CALIBRATION = Calibration(unrelated=0.1, same=0.9)


@cache
def _word(word: str) -> Floats:
    raw = np.frombuffer(hashlib.shake_128(word.encode("utf-8")).digest(DIMENSIONS), np.int8)
    return raw.astype(np.float32)


def meaning(text: str) -> Floats:
    """The unit vector of a text: the sum of its words', each made from a hash."""
    words = np.array([_word(word) for word in text.lower().split() or [""]], np.float64)
    total = words.sum(axis=0)
    unit: Floats = (total / np.sqrt((total * total).sum())).astype(np.float32)
    return unit


def fixed(vector: Floats) -> tuple[int, ...]:
    """A unit vector in fixed point."""
    return question(vector)


def stored(*windows: str) -> bytes:
    """The vectors of a passage as the catalog keeps them: the whole first."""
    return np.array([fixed(meaning(window)) for window in windows], "<i2").tobytes()


def asking(text: str, **options: object) -> VectorQuery:
    """A question by meaning; `options` as of `VectorQuery`."""
    return VectorQuery(fixed(meaning(text)), **{"fingerprint": MODEL, "calibration": CALIBRATION} | options)  # type: ignore[arg-type]


def embed(
    catalog: Catalog, scope: Scope, *, fingerprint: str = MODEL, chosen: Callable[[str], bool] | None = None
) -> int:
    """Do an embedder's work: put the vectors of all passages (or the chosen ones) into the catalog; how many."""
    info = catalog.repositories.get(scope)
    vectors: dict[str, bytes] = {}
    for birth in catalog.feed.births(scope, 0, info.head if info else 0):
        for chunk in birth.derivation.chunks:
            text = embedded_text(birth.content, chunk).text
            if chosen is None or chosen(text):
                sentences = [part for part in text.split(". ") if part][:7]
                windows = (text, *sentences) if len(sentences) > 1 else (text,)
                vectors[embedded_key(birth.content, chunk)] = stored(*windows)
    catalog.vectors.put(scope.tenant, fingerprint, vectors)
    return len(vectors)
