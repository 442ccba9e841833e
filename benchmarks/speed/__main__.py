"""Measure what answers cost, and write the figures, the plot and the tables of docs/performance.md.

    python -m benchmarks.speed 10000 100000              make bench
    python -m benchmarks.speed 1000000                   make bench-1m
    python -m benchmarks.speed 2000 --quick              does everything work? Writes nothing
    python -m benchmarks.speed 100000 --engines segments
    python -m benchmarks.speed 1000000 --engines segments --only windows     added to the figures that are there

Files are made in a temporary folder and removed; a million chunks need up to 25 GB there (TMPDIR names another place).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.page import put
from benchmarks.speed import engines as known
from benchmarks.speed import report as reports
from benchmarks.speed.machine import machine
from benchmarks.speed.plot import store_plot
from benchmarks.speed.recall import store_exact
from benchmarks.speed.run import ALONE, OPTIONAL, ROOT, all_but, measure, stage
from benchmarks.speed.setup import Setup
from benchmarks.speed.tables import page, terminal

RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "performance.md"
MARKER = "make bench"


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    seconds, queries = (1.0, 40) if given.quick else (given.seconds, given.queries)
    here = machine()
    report = reports.empty(here) if given.quick else reports.load(given.out, here)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    failed = []
    for size in given.sizes:
        with tempfile.TemporaryDirectory(prefix="pincite-bench-") as folder:
            print(f"\n{size:,} chunks", flush=True)
            setup = Setup("segments", size, folder, queries, seconds)
            store_exact(Path(folder), size, setup.asked)
            report["corpora"][str(size)] = _corpus(setup, given.limit_minutes * 60)
            kept = report.get(str(size), {})
            for name in given.engines:
                without = all_but(given.only) if given.only else given.without
                found = measure(Setup(name, size, folder, queries, seconds), given.limit_minutes * 60, without)
                if given.only:
                    found["skipped"] = {what: why for what, why in found["skipped"].items() if what in given.only}
                    kept[name] = {**kept.get(name, {}), **{what: found[what] for what in given.only if what in found}}
                else:
                    kept[name] = {"run": started, **found}
                report[str(size)] = {engine: kept[engine] for engine in known.NAMES if engine in kept}
                failed += [f"{name} {what}: {why}" for what, why in found.get("skipped", {}).items() if "failed" in why]
                if not given.quick:
                    reports.store(given.out, report)  # what was measured stays, whatever happens next
        print(terminal(report, size))
    if not given.quick:
        store_plot(given.out, report)
        if given.out == RESULTS:
            put(PAGE, MARKER, page(report))
    print("\n".join(failed), file=sys.stderr)
    return 1 if failed else 0


def _corpus(setup: Setup, limit_seconds: float) -> dict[str, Any]:
    """What is said of the corpus and is the same for every engine."""
    kinds = [one.kind for one in setup.asked]
    found = stage("embedding", setup, limit_seconds)
    said = {"chunks": setup.size, "questions": kinds.count("question"), "keyword_queries": kinds.count("keywords")}
    return {**said, **(found if isinstance(found, dict) else {"skipped": {"embedding": found}})}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("sizes", nargs="+", type=_size, help="how many chunks, e.g. 10000 100000")
    parser.add_argument("--engines", nargs="+", choices=known.NAMES, default=known.NAMES)
    parser.add_argument("--without", nargs="+", choices=OPTIONAL, default=(), help="stages to leave out, e.g. history")
    parser.add_argument("--only", nargs="+", choices=ALONE, default=(), help="measure this alone, and keep the rest")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="for one series of questions, at most (never fewer than 20)"
    )
    parser.add_argument("--limit-minutes", type=float, default=60.0, help="for one stage of one engine")
    parser.add_argument("--quick", action="store_true", help="few questions, nothing is written")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where latest.json and plot.svg go")
    return parser


def _size(text: str) -> int:
    size = int(text)
    if size < 1_000 or size % 1_000:
        raise argparse.ArgumentTypeError(f"{text}: a size is a multiple of 1,000")
    return size


if __name__ == "__main__":
    sys.exit(main())
