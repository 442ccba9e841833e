"""Does an embedder work, how fast is it, and does it recognise similar sentences?"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pincite.models.samples import LANGUAGES, PER_FACT, SAMPLES
from pincite.protocols import Embedder


@dataclass(frozen=True, slots=True)
class LanguageCheck:
    """Cosines between sentences of one language and English sentences: their paraphrases, and unrelated ones."""

    paraphrase: float
    unrelated: float
    right: float
    """Share of sentences that are closer to their paraphrase than to any other English sentence."""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    name: str
    fingerprint: str
    dimensions: int
    load_seconds: float
    text_ms: float
    query_ms: float
    languages: dict[str, LanguageCheck]
    """By language. An English-only model fails for the others; that is expected."""

    @property
    def sane(self) -> bool:
        """Whether English paraphrases are closer than unrelated sentences."""
        english = self.languages["en"]
        return english.paraphrase > english.unrelated and english.right >= 0.5


def check(embedder: Embedder) -> ModelCheck:
    """Embed the samples once and measure times and cosines."""
    started = time.perf_counter()
    embedder.embed_query(SAMPLES[0])
    loaded = time.perf_counter()
    vectors = embedder.embed(SAMPLES).astype(np.float64)
    embedded = time.perf_counter()
    questions = SAMPLES[::PER_FACT]
    for text in questions:
        embedder.embed_query(text)
    asked = time.perf_counter()
    return ModelCheck(
        name=embedder.name,
        fingerprint=embedder.fingerprint,
        dimensions=embedder.dimensions,
        load_seconds=round(loaded - started, 3),
        text_ms=round((embedded - loaded) * 1000 / len(SAMPLES), 2),
        query_ms=round((asked - embedded) * 1000 / len(questions), 2),
        languages={language: _language(vectors, number) for number, language in enumerate(LANGUAGES)},
    )


def _language(vectors: np.ndarray[tuple[int, int], np.dtype[np.float64]], number: int) -> LanguageCheck:
    """Compare the second sentence of each fact in a language with the first English sentence of every fact."""
    cosines = vectors[2 * number + 1 :: PER_FACT] @ vectors[::PER_FACT].T
    same = np.eye(len(cosines), dtype=bool)
    return LanguageCheck(
        paraphrase=round(float(cosines[same].mean()), 3),
        unrelated=round(float(cosines[~same].mean()), 3),
        right=round(float((cosines.argmax(axis=1) == np.arange(len(cosines))).mean()), 3),
    )
