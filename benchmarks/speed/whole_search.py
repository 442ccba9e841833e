"""A whole `search()` before and after a change, in one run: CPU time by part, and whether the answers are the same.

    git worktree add /tmp/before OLD_COMMIT
    python -m benchmarks.speed.whole_search --before /tmp/before              100,000 chunks, three rounds
    python -m benchmarks.speed.whole_search --before /tmp/before --write      the same, into docs/performance.md

Each of the two builds a library of the synthetic corpus with its own code. Then both are asked the same questions, in
turns, each time in a new process on one core with one thread. CPU time is measured because others may use the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.page import aligned, markdown, put
from benchmarks.speed.run import ROOT
from benchmarks.speed.setup import QUIET, THREADS

PAGE = ROOT / "docs" / "performance.md"
MARKER = "python -m benchmarks.speed.whole_search"
CHILD = Path(__file__).with_name("whole_search_child.py")
GROUPS = ("element", "chunk")
HEAD = ("CPU ms, p50 / p95", "before", "after", "after / before")
PARTS = {
    "search()": ("total",),
    "legs": ("legs",),
    "fuse and rank": ("fuse", "rerank"),
    "cite": ("cite",),
    "everything else": ("understand", "resolve", "outside"),
}
"""Rows of the table, each the sum of some stages of the read spine; `outside` is what surrounds them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One process: what each question cost by stage, and a digest of what was answered."""

    milliseconds: dict[str, list[float]]
    answers: list[str]

    def part(self, stages: Sequence[str]) -> list[float]:
        return [sum(values) for values in zip(*(self.milliseconds[stage] for stage in stages), strict=True)]


@dataclass(frozen=True, slots=True)
class Compared:
    """Rounds of both, for one way of grouping hits."""

    group: str
    before: tuple[Asked, ...]
    after: tuple[Asked, ...]

    @property
    def differing(self) -> int:
        """Questions that were not answered the same every time by both."""
        rounds = [asked.answers for asked in (*self.before, *self.after)]
        return sum(len(set(answers)) > 1 for answers in zip(*rounds, strict=True))

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        for name, stages in PARTS.items():
            old, new = (
                np.percentile([ms for asked in rounds for ms in asked.part(stages)], (50, 95))
                for rounds in (self.before, self.after)
            )
            yield f"{self.group}s: {name}", _both(old), _both(new), f"{new[0] / old[0]:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    roots = {"before": given.before.resolve(), "after": ROOT}
    with tempfile.TemporaryDirectory(prefix="pincite-whole-search-") as temporary:
        folder = given.folder or Path(temporary)
        for name, root in roots.items():
            if not (folder / name).exists():
                _run(root, "build", folder / name, str(given.size))
        compared = [_compare(roots, folder, group, given) for group in GROUPS]
    rows = [row for one in compared for row in one.rows()]
    print(aligned(HEAD, rows))
    differing = {one.group: one.differing for one in compared if one.differing}
    if differing:
        print(f"answers differ: {differing} of {given.queries} questions", file=sys.stderr)
        return 1
    print("all answers, scores and citations are the same")
    if given.write:
        put(PAGE, MARKER, (_caption(given), markdown(HEAD, rows)))
    return 0


def _compare(roots: dict[str, Path], folder: Path, group: str, given: argparse.Namespace) -> Compared:
    found: dict[str, list[Asked]] = {name: [] for name in roots}
    for _ in range(given.rounds):
        for name, root in roots.items():
            said = _run(root, "ask", folder / name, str(given.size), str(given.queries), group)
            found[name].append(Asked(**json.loads(said)))
    return Compared(group, tuple(found["before"]), tuple(found["after"]))


def _run(root: Path, *command: str | Path) -> str:
    """What the child prints, run with the code below `root`: its own package, corpus and engines."""
    environment = {**os.environ, **THREADS, **QUIET, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    # -P: modules beside the child belong to this checkout, and must not stand in for those of the other.
    started = [sys.executable, "-P", str(CHILD), *map(str, command)]
    done = subprocess.run(started, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed in {root}")
    return done.stdout


def _both(percentiles: Sequence[float]) -> str:
    return " / ".join(f"{value:.2f}" for value in percentiles)


def _caption(given: argparse.Namespace) -> str:
    return (
        f"{given.size:,} chunks; {given.queries} questions, new to the process that answers them, in each of"
        f" {given.rounds} rounds; before and after in turns, on one core with one thread. Ten hits; the question's"
        " vector is given. All answers, scores and citations are the same."
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=MARKER, description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--before", type=Path, required=True, help="a checkout of the code to compare with")
    parser.add_argument("--size", type=int, default=100_000, help="how many chunks, a multiple of 1,000")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep both libraries here, for the next run")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
