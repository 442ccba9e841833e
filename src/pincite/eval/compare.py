"""Compare: two reports of the same questions, paired query by query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from pincite.errors import InvalidArgument, NotFound
from pincite.eval.bootstrap import Difference, paired
from pincite.eval.metrics import METRICS
from pincite.eval.results import HEADLINE, LEGS

STILL = 1e-6
"""Smaller differences of a query are ignored: metrics are rounded to six digits."""

Report = Mapping[str, Any]


def load_report(path: Path) -> Report:
    """A report that an earlier run wrote (`pincite eval … --json > run.json`)."""
    loaded: Report | None
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"there is no report {str(path)!r}", field="baseline") from error
    except (OSError, ValueError):
        loaded = None
    if not _is_report(loaded):
        raise InvalidArgument(
            f"{path} is not a report of an evaluation; make one with: pincite eval … --json > {path.name}",
            field="baseline",
        )
    return loaded


def _is_report(loaded: Any) -> TypeGuard[Report]:
    """Whether it has everything that a comparison needs."""
    try:
        return (
            all(
                isinstance(item["query"], str)
                and isinstance(item["tags"], list)
                and all(0 <= item[leg][metric] <= 1 for leg in loaded["metrics"] for metric in METRICS)
                for item in loaded["per_query"].values()
            )
            and {"final"} <= loaded["metrics"].keys()
            and {"queries", "index", "cases"} <= loaded.keys()
        )
    except (KeyError, TypeError, AttributeError):
        return False


def compare(before: Report, after: Report) -> dict[str, Any]:
    """What changed from one report to the other, over the queries in both."""
    old, new = _matched(before["per_query"], after["per_query"]), after["per_query"]
    shared = [name for name in new if name in old]
    if not shared:
        raise InvalidArgument("the two runs have no query in common; compare runs of the same set", field="baseline")
    legs = [leg for leg in LEGS if leg in before["metrics"] and leg in after["metrics"]]
    moved = [_movement(name, old[name], new[name]) for name in shared]
    return {
        "queries": len(shared),
        "gone": before["queries"] - len(shared),
        "metrics": {leg: {metric: _wire(_paired(old, new, shared, leg, metric)) for metric in METRICS} for leg in legs},
        "by": _by_tag(old, new, shared),
        "moved": sorted(
            (item for item in moved if abs(item["difference"]) > STILL),
            key=lambda item: (item["difference"], item["id"]),
        ),
        "before": {name: old[name]["final"][HEADLINE] for name in shared},
        "after": {name: new[name]["final"][HEADLINE] for name in shared},
        "settings": _settings(before["index"], after["index"]),
        "notes": _notes(before, after, len(shared)),
    }


def _matched(old: Report, new: Report) -> dict[str, Any]:
    """The earlier results under the ids of the later run: matched by id, or by question if ids have shifted."""
    by_question: dict[str, list[str]] = {}
    for name, item in old.items():
        by_question.setdefault(item["query"], []).append(name)
    out = {}
    for name, item in new.items():
        same = by_question.get(item["query"], [])
        known = name if name in same else same[0] if len(same) == 1 else ""
        if known and old[known].get("judged") == item["judged"]:
            out[name] = old[known]
    return out


def _paired(old: Report, new: Report, names: Sequence[str], leg: str, metric: str) -> Difference:
    return paired([old[name][leg][metric] for name in names], [new[name][leg][metric] for name in names])


def _by_tag(old: Report, new: Report, shared: Sequence[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for tag in sorted({tag for name in shared for tag in new[name]["tags"]}):
        names = [name for name in shared if tag in new[name]["tags"]]
        out[tag] = _wire(_paired(old, new, names, "final", HEADLINE)) | {"queries": len(names)}
    return out


def _movement(name: str, old: Report, new: Report) -> dict[str, Any]:
    before, after = old["final"][HEADLINE], new["final"][HEADLINE]
    return {
        "id": name,
        "query": new["query"],
        "before": before,
        "after": after,
        "difference": round(after - before, 6),
    }


def _wire(found: Difference) -> dict[str, Any]:
    return {
        "before": round(found.before, 6),
        "after": round(found.after, 6),
        "difference": round(found.difference, 6),
        "interval": [round(found.low, 4), round(found.high, 4)],
        "p": round(found.p, 4),
    }


def _settings(before: Report, after: Report, path: str = "") -> dict[str, list[Any]]:
    """Differences in how the two libraries were built and searched: name → [before, after]."""
    out: dict[str, list[Any]] = {}
    for key in sorted(before.keys() | after.keys()):
        old, new, name = before.get(key), after.get(key), f"{path}{key}"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            out |= _settings(old, new, f"{name}.")
        elif old != new:
            out[name] = [old, new]
    return out


def _notes(before: Report, after: Report, shared: int) -> list[str]:
    notes = []
    if before["cases"] != after["cases"]:
        notes.append(
            f"the questions or judgements differ from those of the other run; compared over the {shared} that are the"
            f" same in both, of {before['queries']} then and {after['queries']} now"
        )
    return notes
