"""What the keyword leg costs: build rate, open, query latency with filters and history, upkeep.

    python -m benchmarks keyword              10,000 and 100,000 chunks
    python benchmarks/keyword.py 1000000      other sizes

Prints a table per size. CPU time on one core; wall time where files are read. Compare figures of one run only.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.corpus import documents, queries
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.segments.index import SegmentIndex
from pincite.queries import OneOf, Some, Word, WordQuery
from pincite.types import Commit, Scope, View

SCOPE = Scope()
BATCH = 2_000


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or [10_000, 100_000]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), size)


def measure(folder: Path, size: int) -> None:
    print(f"\n{size:,} chunks")
    catalog = SqliteCatalog(folder / "catalog.db")
    index = SegmentIndex(folder / "index", catalog)
    stream = documents(size)
    started = time.perf_counter()
    while batch := tuple(islice(stream, BATCH)):
        catalog.commits.commit(SCOPE, Commit(batch))
    _row("commit to the catalog", f"{time.perf_counter() - started:.1f} s")
    started = time.process_time()
    index.advance(SCOPE)
    took = time.process_time() - started
    _row("index from nothing", f"{took:.1f} s CPU, {150 * size / took / 1000:.0f}k tokens/s")
    started = time.process_time()
    while index.merge(SCOPE):
        pass
    _row("merge what is due", f"{time.process_time() - started:.1f} s CPU")
    status = index.status(SCOPE)
    _row("on disk", f"{sum(s.bytes for s in status.segments) / 1e6:.0f} MB in {len(status.segments)} segment(s)")
    started = time.perf_counter()
    fresh = SegmentIndex(folder / "index", catalog)
    view = View(SCOPE, fresh.reached(SCOPE), date.today())
    _row("open", f"{1000 * (time.perf_counter() - started):.1f} ms")
    asked = [WordQuery(Some(tuple(Word(w) for w in q.split()))) for q in queries(200)]
    _row("search", _timed(fresh, [view], asked))
    for share in ("1", "10", "50"):
        filtered = [WordQuery(q.words, (OneOf("share", (share,)),)) for q in asked]
        _row(f"search, filter keeps {share} %", _timed(fresh, [view], filtered))
    _add(catalog, fresh)
    catalog.close()


def _add(catalog: SqliteCatalog, index: SegmentIndex) -> None:
    """1,000 new chunks, then the same changed: until they can be found."""
    for label, seed in (("1,000 new chunks searchable", 3), ("1,000 changed chunks searchable", 4)):
        batch = tuple(documents(1_000, seed=seed, start=9_000_000))
        started = time.perf_counter()
        catalog.commits.commit(SCOPE, Commit(batch))
        index.advance(SCOPE)
        _row(label, f"{time.perf_counter() - started:.2f} s")


def _timed(index: SegmentIndex, views: list[View], asked: list[WordQuery]) -> str:
    """p50 and p95 in CPU milliseconds, warm."""
    run: Callable[[WordQuery], object] = lambda query: index.keyword(views, query)  # noqa: E731
    for query in asked:
        run(query)
    times = []
    for query in asked:
        started = time.process_time()
        run(query)
        times.append(1000 * (time.process_time() - started))
    return f"p50 {np.percentile(times, 50):.2f} ms, p95 {np.percentile(times, 95):.2f} ms"


def _row(name: str, value: str) -> None:
    print(f"  {name:<34} {value}", flush=True)


if __name__ == "__main__":
    main()
