"""Eight vectors a passage, as a model that reads long passages in windows makes them: what the dense leg costs then.

The index's cost follows vectors, not passages. The corpus has one vector for each; here every one gets seven beside it,
turned away from it by noise, in the store that the index reads. Nothing is put through the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.engines.engine import Only
from benchmarks.speed.engines.projected import Projected
from benchmarks.speed.measure import series
from benchmarks.speed.recall import recall
from benchmarks.speed.setup import Setup
from pincite.fixed import FIXED, to_fixed
from pincite.index.segments.blocks import VectorBlock, write_block
from pincite.index.segments.vectors import BlockEntry, load_store, publish_store, store_folders

Array = NDArray[Any]

EACH = 8
NOISE = 0.75
"""Length of what is added to a passage's own vector, before it is brought back to length 1: cosine 0.8 to the whole."""
TEXTS_PER_BLOCK = 500_000
"""As many vectors as the index itself merges into one block at most."""
SLICE = 4_000
POOL = 4_096
"""Different noises, of which one is drawn for each window; drawing each component would take longer than all else."""
EXACT_QUESTIONS = 10


def windows(setup: Setup) -> dict[str, Any]:
    vectors = sum(_widen(folder) for folder in _stores(setup.home))
    engine = setup.open()
    assert isinstance(engine, Projected)
    dense = series(lambda one: engine.dense(one, Only()), setup.asked, setup.seconds)
    hybrid = series(lambda one: engine.hybrid(one, Only()), setup.asked, setup.seconds)
    asked = setup.asked[: min(EXACT_QUESTIONS, len(dense.answers))]
    exact = np.array([engine.dense(one, Only(), exact=True)[:10] for one in asked])
    return {
        "windows": {
            "vectors": vectors,
            "dense_ms": dense.figures(),
            "hybrid_ms": hybrid.figures(),
            "recall@10": recall(dense.answers, exact),
            "recall_questions": len(asked),
        }
    }


def _stores(home: Path) -> list[Path]:
    return [store for repository in sorted((home / "index").iterdir()) for store in store_folders(repository)]


def _widen(folder: Path) -> int:
    """Rewrite the store's texts with eight vectors each, and publish that; how many vectors there are."""
    manifest = load_store(folder)
    entries = []
    for entry in manifest.blocks:
        block = VectorBlock(folder / entry.name)
        for low in range(0, len(block), TEXTS_PER_BLOCK):
            texts = np.arange(low, min(low + TEXTS_PER_BLOCK, len(block)))
            name, manifest = manifest.numbered()
            counts = np.full(len(texts), EACH)
            write_block(folder / name, block.keys[texts], counts, manifest.dimensions, _turned(block, texts))
            entries.append(BlockEntry(name, len(texts), len(texts) * EACH))
    publish_store(folder, replace(manifest, blocks=tuple(entries)))
    return sum(entry.vectors for entry in entries)


def _turned(block: VectorBlock, texts: Array) -> Iterator[Array]:
    random = np.random.default_rng(int(texts[0]))
    noises = random.standard_normal((POOL, block.dimensions)).astype(np.float32)
    noises *= NOISE / np.linalg.norm(noises, axis=1, keepdims=True)
    for low in range(0, len(texts), SLICE):
        chosen, _ = block.vectors_of(texts[low : low + SLICE])
        whole = block.vectors[chosen].astype(np.float32) / FIXED
        drawn = random.integers(POOL, size=(len(whole), EACH - 1))
        turned = whole[:, None, :] + noises[drawn]
        turned /= np.linalg.norm(turned, axis=2, keepdims=True)
        yield to_fixed(np.concatenate([whole[:, None, :], turned], axis=1).reshape(-1, block.dimensions))
