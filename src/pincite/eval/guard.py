"""Guard: a release depends on golden queries. What regresses is refused, and what was there before stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.config import Config
from pincite.errors import Refused, Unavailable
from pincite.eval.cases import CaseSet, Context
from pincite.eval.compare import compare
from pincite.eval.evaluate import EvaluateOptions, evaluate
from pincite.eval.gates import Gates, check
from pincite.eval.golden import load_golden
from pincite.eval.report import report
from pincite.library import Library
from pincite.protocols import Index
from pincite.types import Scope

MAX_MOVED = 10


@dataclass(frozen=True, slots=True)
class Guard:
    """The golden queries of a repository and the bounds that a release of it must keep."""

    golden: CaseSet
    gates: Gates
    repository: str

    def measure(self, library: Library, read_context: Context) -> dict[str, Any]:
        """The report of the golden queries, asked of one state of the repository."""
        options = EvaluateOptions(self.golden.name, repositories=(self.repository,), read_context=read_context)
        return report(evaluate(library, self.golden, options))

    def require(self, what: str, after: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """`Refused` unless every bound is kept."""
        comparison = compare(before, after) if before is not None else None
        verdict = check(after, self.gates, comparison)
        if not verdict["passed"]:
            raise Refused(_message(what, self.golden.name, verdict, comparison), field="gate")


def gate_publication(library: Library, scope: Scope, name: str) -> None:
    """Ask the golden queries of the baseline and of what is published now; `Refused` if they fall."""
    guard = _guard(library.config, scope)
    if guard is not None:
        is_published = any(item.published for item in library.catalog.baselines.list(scope))
        after = guard.measure(library, f"baseline:{name}")
        before = guard.measure(library, "published") if is_published else None
        guard.require(f"publishing {name!r}", after, before)


def gate_generation(library: Library, scope: Scope) -> Callable[[Index], None] | None:
    """What a new generation of the index must pass before it is taken up; None where nothing guards it."""
    guard = _guard(library.config, scope)
    if guard is None:
        return None
    try:
        before = guard.measure(library, None)
    except Unavailable:  # what cannot answer cannot be better than its replacement
        before = None

    def accept(candidate: Index) -> None:
        after = guard.measure(library.with_index(candidate), None)
        guard.require(f"the new generation of the index of {scope.repository!r}", after, before)

    return accept


def _guard(config: Config, scope: Scope) -> Guard | None:
    gate = config.gate
    if not gate.golden or scope.repository not in (gate.repositories or (config.repository,)):
        return None
    gates = Gates(gate.min_ndcg, gate.min_mrr, gate.min_recall, gate.require_tags, gate.max_drop)
    return Guard(load_golden(Path(gate.golden)), gates, scope.repository)


def _message(what: str, name: str, verdict: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    failed = "; ".join(item["text"] for item in verdict["checks"] if not item["passed"])
    lines = [f"{what} is refused by the golden queries {name!r}: {failed}; what is in use stays"]
    dropped = [item for item in (comparison or {}).get("moved", ()) if item["difference"] < 0]
    lines += [f"  {m['id']}: {m['before']:.3f} → {m['after']:.3f}  {m['query']}" for m in dropped[:MAX_MOVED]]
    if len(dropped) > MAX_MOVED:
        lines.append(f"  … {len(dropped) - MAX_MOVED} more queries fell")
    return "\n".join(lines)
