"""Guard: a release depends on golden queries. What regresses is refused, and what was there before stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.errors import InvalidArgument, NotFound, Refused, Unavailable, UnknownArgument
from pincite.eval.cases import CaseSet, Context
from pincite.eval.compare import compare, load_report
from pincite.eval.evaluate import EvaluateOptions, evaluate
from pincite.eval.gates import MAX_DROP, Gates, check
from pincite.eval.golden import load_golden
from pincite.eval.report import report
from pincite.protocols import Index
from pincite.settings import Config
from pincite.types import Scope

if TYPE_CHECKING:
    from pincite.library import Library

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
        return report(evaluate(library.as_owner(), self.golden, options))

    def require(self, what: str, after: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """`Refused` unless every bound is kept."""
        comparison = compare(before, after) if before is not None else None
        verdict = check(after, self.gates, comparison)
        if not verdict["passed"]:
            raise Refused(_message(what, self.golden.name, verdict, comparison), field="gate")


def gate_publication(library: Library, scope: Scope, name: str) -> None:
    """Ask the golden queries of the baseline and of what is published now; `Refused` if they fall.

    Both are measured with the settings of today. A report in the configuration takes the place of what is published.
    """
    _require_known(library)
    guard = guard_of(library, scope)
    if guard is None:
        return
    after = guard.measure(library, f"baseline:{name}")
    if library.config.gate.baseline:
        before: Mapping[str, Any] | None = load_report(Path(library.config.gate.baseline))
    else:
        is_published = any(item.published for item in library.catalog.baselines.list(scope))
        before = guard.measure(library, "published") if is_published else None
    guard.require(f"publishing {name!r}", after, before)


def gate_generation(library: Library, scope: Scope) -> Callable[[Index], None] | None:
    """What a new generation of the index must pass before it is taken up: not to be worse than the one in use.

    What it holds is the same, so bounds on the figures themselves do not concern it. None where nothing guards it, or
    where the one in use cannot answer: nothing must stand in the way of a repair.
    """
    guard = guard_of(library, scope)
    if guard is None:
        return None
    guard = replace(guard, gates=Gates(max_drop=MAX_DROP if guard.gates.max_drop is None else guard.gates.max_drop))
    try:
        before = guard.measure(library, None)
    except (Unavailable, NotFound):
        return None
    if library.config.gate.baseline:
        before = dict(load_report(Path(library.config.gate.baseline)))

    def accept(candidate: Index) -> None:
        after = guard.measure(library.with_index(candidate), None)
        guard.require(f"the new generation of the index of {scope.repository!r}", after, before)

    return accept


def gate_model(library: Library, candidate: Library, name: str) -> tuple[str, ...]:
    """Ask the golden queries with the model in use and with another; `Refused` if they fall. Which repositories guard.

    `candidate` is the library as the other model would search it. A report in the configuration takes the place of
    what is in use; where that cannot answer, the bounds alone decide.
    """
    _require_known(library)
    guarded = []
    for info in library.repositories():
        guard = guard_of(library, info.scope)
        if guard is None:
            continue
        after = guard.measure(candidate, None)
        before: Mapping[str, Any] | None = None
        if library.config.gate.baseline:
            before = load_report(Path(library.config.gate.baseline))
        else:
            with suppress(Unavailable):
                before = guard.measure(library, None)
        guard.require(f"searching {info.scope.repository!r} with {name}", after, before)
        guarded.append(info.scope.repository)
    return tuple(guarded)


def _require_known(library: Library) -> None:
    """A repository that the gate misspells would go unguarded."""
    known = [info.scope.repository for info in library.repositories()]
    for name in library.config.gate.repositories:
        if name not in known:
            raise UnknownArgument.named("repository in gate.repositories", name, known, field="gate")


def gates_of(config: Config) -> Gates:
    """The bounds in the configuration."""
    gate = config.gate
    return Gates(gate.min_ndcg, gate.min_mrr, gate.min_recall, gate.require_tags, gate.max_drop)


def guard_of(library: Library, scope: Scope) -> Guard | None:
    """What guards a repository, if anything does.

    Queries that name a state themselves would be asked of that one, whatever is to be released: they are left out.
    """
    if not library.is_gated(scope.repository):
        return None
    gate = library.config.gate
    golden = load_golden(Path(gate.golden))
    free = tuple(case for case in golden.cases if case.read_context is None)
    if not free:
        raise InvalidArgument(
            f"every query of {gate.golden} names its own read_context, so none looks at what is released", field="gate"
        )
    return Guard(replace(golden, cases=free), gates_of(library.config), scope.repository)


def _message(what: str, name: str, verdict: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    lines = [f"{what} is refused by the golden queries {name!r}; what is in use stays"]
    lines += [f"  {item['text']}" for item in verdict["checks"] if not item["passed"]]
    dropped = [item for item in (comparison or {}).get("moved", ()) if item["difference"] < 0]
    lines += [f"  {m['id']}: {m['before']:.3f} → {m['after']:.3f}  {m['query']}" for m in dropped[:MAX_MOVED]]
    if len(dropped) > MAX_MOVED:
        lines.append(f"  … {len(dropped) - MAX_MOVED} more queries fell")
    return "\n".join(lines)
