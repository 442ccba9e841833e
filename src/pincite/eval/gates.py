"""Gates: what a run must reach before something is released. All figures are of the final order, at 10."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.eval.results import HEADLINE

MAX_DROP = 0.01
"""How much a metric may fall compared with another run, by default."""

_TITLES = {"ndcg@10": "nDCG@10", "mrr@10": "MRR@10", "recall@10": "recall@10"}


@dataclass(frozen=True, slots=True)
class Gates:
    """Bounds; None means no bound."""

    min_ndcg: float | None = None
    min_mrr: float | None = None
    min_recall: float | None = None
    require_tags: Mapping[str, float] = field(default_factory=dict)
    """Minimum nDCG@10 of the queries with a tag."""
    max_drop: float | None = None
    """How much each metric may fall below the run that is compared with."""

    def __bool__(self) -> bool:
        bounds = (self.min_ndcg, self.min_mrr, self.min_recall, self.max_drop)
        return bool(self.require_tags) or any(bound is not None for bound in bounds)


def parse_tag(text: str) -> tuple[str, float]:
    """`type:citation:0.9` → ("type:citation", 0.9)."""
    tag, sign, bound = text.rpartition(":")
    try:
        value = float(bound)
    except ValueError:
        value = -1.0
    if not (sign and tag) or not 0 <= value <= 1:
        raise InvalidArgument(f"--require-tag {text!r}: write it as TAG:MIN, e.g. lang:de:0.6", field="require_tag")
    return tag, value


def check(report: Mapping[str, Any], gates: Gates, comparison: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every bound with the value reached: {passed, checks: [{name, wanted, reached, passed, text}]}."""
    final = report["metrics"]["final"]
    checks = []
    for name, metric, bound in (
        ("min-ndcg", "ndcg@10", gates.min_ndcg),
        ("min-mrr", "mrr@10", gates.min_mrr),
        ("min-recall", "recall@10", gates.min_recall),
    ):
        if bound is not None:
            checks.append(_at_least(name, _TITLES[metric], final[metric], bound))
    for tag, bound in gates.require_tags.items():
        if tag not in report["by"]:
            raise UnknownArgument.named("tag", tag, report["by"], field="require_tag")
        reached = report["by"][tag]["final"][HEADLINE]
        checks.append(_at_least(f"require-tag {tag}", f"{_TITLES[HEADLINE]} of {tag}", reached, bound))
    if comparison is not None and gates.max_drop is not None:
        checks += [_no_drop(metric, comparison, gates.max_drop) for metric in _TITLES]
        if gone := comparison["gone"]:
            text = f"{gone} earlier queries are gone or were judged differently; make a new report to compare with"
            checks.append({"name": "same queries", "wanted": 0, "reached": gone, "passed": False, "text": text})
    return {"passed": all(item["passed"] for item in checks), "checks": checks}


def _at_least(name: str, title: str, reached: float, wanted: float) -> dict[str, Any]:
    passed = reached >= wanted
    text = f"{title} {reached:.4f} {'reaches' if passed else 'is below'} {wanted:g}"
    return {"name": name, "wanted": wanted, "reached": reached, "passed": passed, "text": text}


def _no_drop(metric: str, comparison: Mapping[str, Any], allowed: float) -> dict[str, Any]:
    moved = comparison["metrics"]["final"][metric]
    passed = moved["difference"] >= -allowed
    text = f"{_TITLES[metric]} {moved['before']:.4f} → {moved['after']:.4f} ({moved['difference']:+.4f})" + (
        "" if passed else f" falls by more than {allowed:g}"
    )
    return {
        "name": f"max-drop {metric}",
        "wanted": -allowed,
        "reached": moved["difference"],
        "passed": passed,
        "text": text,
    }
