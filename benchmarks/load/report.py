"""What a run found: as a table, and in benchmarks/results/load.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.page import markdown

ABOUT = (
    "Written by python -m benchmarks.load. Every client keeps one connection and asks the next question when it has its"
    " answer, so latency is that of a server which is always busy; clients run on the same machine. own_mb: memory of"
    " the server's processes that is not mapped from files, after warming up, half-way and at the end."
)
LEAK_MB, LEAK_SHARE = 20.0, 0.05
"""By how much memory may grow in the second half: caches have filled before."""
HEAD = (
    "workers", "requests", "errors", "requests/s", "p50 ms", "p95 ms", "p99 ms", "max ms",
    "own MB warm", "half-way", "at the end", "mapped MB",
)  # fmt: skip


def leaks(memory: Mapping[str, float]) -> bool:
    """Whether memory still grew when everything had been asked before."""
    grown = memory["end_own_mb"] - memory["half_own_mb"]
    return grown > max(LEAK_MB, LEAK_SHARE * memory["half_own_mb"])


def rows(runs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    out = []
    for run in runs:
        memory = run["memory"]
        figures = [f"{run[f'{name}_ms']:,.0f}" if f"{name}_ms" in run else "–" for name in ("p50", "p95", "p99", "max")]
        kept = [f"{memory[f'{when}_own_mb']:,.0f}" for when in ("warm", "half", "end")]
        counts = [str(run["workers"]), f"{run['requests']:,}", f"{run['errors']:,}", f"{run['per_s']:,}"]
        out.append([*counts, *figures, *kept, f"{memory['end_mapped_mb']:,.0f}"])
    return out


def said(report: Mapping[str, Any]) -> str:
    """The line above the table."""
    here, served, runs = report["machine"], report["library"], report["runs"]
    dense = sum(run["dense"].get("ok", 0) for run in runs) / max(1, sum(run["requests"] for run in runs))
    leak = " Memory still grew in the second half." if any(run["leak"] for run in runs) else ""
    return (
        f"{here['cpu']}, {here['cores']} cores, {here['memory_gb']} GB, {here['system']}; Python {here['python']},"
        f" pincite {here['packages'].get('pincite', '')}. {served['chunks']:,} chunks, model {served['model']},"
        f" {report['clients']} clients for {report['seconds']:g} s; the dense leg took part in {dense:.1%} of the"
        f" answers.{leak}"
    )


def tables(report: Mapping[str, Any]) -> list[str]:
    return [said(report), markdown(HEAD, rows(report["runs"]))]


def store(path: Path, report: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(path)
