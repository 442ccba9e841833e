"""Building from nothing: how long, how much memory, how much disk. The making of the corpus is not counted."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed.corpus import Block, blocks
from benchmarks.speed.engines import open_engine
from benchmarks.speed.memory import MB, Peak
from benchmarks.speed.setup import Setup


def build(setup: Setup) -> dict[str, Any]:
    stream = Untimed(blocks(setup.size))
    with Peak() as peak:
        started = time.perf_counter()
        used = time.process_time()
        engine = open_engine(setup.engine, setup.home)
        engine.put(stream)
        put = time.perf_counter() - started - stream.seconds
        settled = time.perf_counter()
        engine.settle()
        took = put + time.perf_counter() - settled
        cpu = time.process_time() - used - stream.seconds
        engine.close()
    os.sync()  # what waits to be written must not weigh on the next stage
    return {
        "build_s": round(took, 2),
        "build_cpu_s": round(cpu, 2),
        "build_chunks_per_s": round(setup.size / took),
        "build_words_per_s": round(stream.words / took),
        "build_peak_anonymous_mb": round(peak.anonymous_mb, 1),
        **disk(setup.home),
    }


def disk(home: Path) -> dict[str, float]:
    """All that the engine needs, texts included; for Pincite's own also how much of it is the index."""
    sizes = {path: path.stat().st_size for path in home.rglob("*") if path.is_file()}
    out = {"disk_mb": round(sum(sizes.values()) / MB, 1)}
    index = home / "index"
    if index.is_dir():
        out["index_mb"] = round(sum(size for path, size in sizes.items() if index in path.parents) / MB, 1)
    return out


class Untimed:
    """A stream that knows how long its making took and how many words it held."""

    def __init__(self, stream: Iterable[Block]) -> None:
        self._stream = iter(stream)
        self.seconds = 0.0
        self.words = 0

    def __iter__(self) -> Iterator[Block]:
        return self

    def __next__(self) -> Block:
        started = time.perf_counter()
        try:
            block = next(self._stream)
            self.words += sum(passage.text.count(" ") + 1 for passage in block.passages)
        finally:
            self.seconds += time.perf_counter() - started
        return block
