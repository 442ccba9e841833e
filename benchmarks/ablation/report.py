"""The report: every figure of an ablation, with the state of the libraries and the options it was measured with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.ablation.averages import Average
from benchmarks.ablation.kept import State
from benchmarks.ablation.measured import Measured
from pincite.eval.bootstrap import Difference
from pincite.search.weights import RankingOptions


@dataclass(slots=True)
class Results:
    """What was measured so far."""

    options: RankingOptions
    """Of the default."""
    sets: list[Measured] = field(default_factory=list)
    windows: list[Measured] = field(default_factory=list)
    states: dict[str, State] = field(default_factory=dict)
    """Of the sets' libraries."""


def write_report(path: Path, results: Results, over_all: Mapping[str, Average], left_out: Mapping[str, str]) -> None:
    """JSON; `left_out` says which sets are not in it, and why."""
    body = {
        "options": asdict(results.options),
        "average": {name: asdict(found) for name, found in over_all.items()},
        "sets": {measured.name: _set(measured, results.states[measured.name]) for measured in results.sets},
        "windows": {measured.name: _figures(measured) for measured in results.windows},
        "left_out": dict(left_out),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _set(measured: Measured, state: State) -> dict[str, Any]:
    verdict = measured.never_hurts
    return {
        "queries": measured.queries,
        "library": asdict(state),
        "variants": _figures(measured),
        "never_hurts": {"leg": verdict.leg, **_difference(verdict.difference), "hurts": verdict.hurts},
    }


def _figures(measured: Measured) -> dict[str, Any]:
    return {
        name: {
            "ndcg@10": round(figure.mean, 6),
            "interval": [round(figure.low, 4), round(figure.high, 4)],
            "to_default": _difference(figure.against),
        }
        for name, figure in measured.figures.items()
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "difference": round(found.difference, 6),
        "interval": [round(found.low, 4), round(found.high, 4)],
        "p": round(found.p, 4),
    }
