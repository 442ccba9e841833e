"""The report: every figure of a run, with the options and the libraries it was made with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.ablation.kept import State
from benchmarks.defaults.choose import Choice
from benchmarks.defaults.tried import Tried
from pincite.search.weights import RankingOptions


@dataclass(slots=True)
class Run:
    """What was tried so far."""

    options: RankingOptions
    """What is shipped now."""
    tried: list[Tried] = field(default_factory=list)
    states: dict[str, State] = field(default_factory=dict)
    """Of the sets' libraries."""


def write_report(
    path: Path, run: Run, tried: Sequence[Tried], choices: Sequence[Choice], left_out: Mapping[str, str]
) -> None:
    """JSON; `tried` by corpus, `left_out` says which sets are not in it, and why."""
    body = {
        "options": asdict(run.options),
        "classes": [_choice(choice) for choice in choices],
        "corpora": [_corpus(item) for item in tried],
        "libraries": {name: asdict(state) for name, state in run.states.items()},
        "left_out": dict(left_out),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _choice(choice: Choice) -> dict[str, Any]:
    found = choice.difference
    return {
        "class": choice.query_class,
        "corpora": choice.corpora,
        "queries": choice.queries,
        "with_related_words": choice.related,
        "current": asdict(choice.current),
        "best": asdict(choice.best),
        "taken": choice.taken,
        "weights": asdict(choice.weights),
        "difference": {**asdict(found), "difference": found.difference} if found else None,
        "held_out": [asdict(held) for held in choice.held_out],
        "too_small": dict(choice.too_small),
    }


def _corpus(item: Tried) -> dict[str, Any]:
    means = [{**asdict(weights), "ndcg@10": round(item.mean(weights), 6)} for weights in item.values]
    return {"corpus": item.corpus, "class": item.query_class, "queries": item.queries, "tried": means}
