"""Guard: golden queries decide about a release. A regression is refused, and what was in use stays in use."""

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
    """The golden queries of a repository and the bounds that a release must meet."""

    golden: CaseSet
    gates: Gates
    repository: str

    def measure(self, library: Library, read_context: Context) -> dict[str, Any]:
        """The report of the golden queries for one state of the repository."""
        options = EvaluateOptions(self.golden.name, repositories=(self.repository,), read_context=read_context)
        return report(evaluate(library.as_owner(), self.golden, options))

    def require(self, what: str, after: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """Raise `Refused` unless every bound is met."""
        comparison = compare(before, after) if before is not None else None
        verdict = check(after, self.gates, comparison)
        if not verdict["passed"]:
            raise Refused(_message(what, self.golden.name, verdict, comparison), field="gate")


def gate_publication(library: Library, scope: Scope, name: str) -> None:
    """Ask the golden queries of the baseline and of the published one; `Refused` if they get worse.

    Both are measured with the current settings. A report in the configuration replaces the published baseline.
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
    """The check of a new generation of the index before it is used: it must not be worse than the one in use.

    Its content is the same, so absolute bounds do not apply. None if there is no gate, or if the one in use cannot
    answer: nothing must prevent a repair.
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
    """Ask the golden queries with the model in use and with another; `Refused` if they get worse.

    Returns the repositories that were checked. `candidate` is the library with the other model. A report in the
    configuration replaces the model in use; if that cannot answer, only the bounds decide.
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
    """Raise for an unknown repository in the gate: it would go unguarded."""
    known = [info.scope.repository for info in library.repositories()]
    for name in library.config.gate.repositories:
        if name not in known:
            raise UnknownArgument.named("repository in gate.repositories", name, known, field="gate")


def gates_of(config: Config) -> Gates:
    """The bounds in the configuration."""
    gate = config.gate
    return Gates(gate.min_ndcg, gate.min_mrr, gate.min_recall, gate.require_tags, gate.max_drop)


def guard_of(library: Library, scope: Scope) -> Guard | None:
    """The guard of a repository, if any.

    Queries with their own read context are left out: they would be asked of that state, whatever is released.
    """
    if not library.is_gated(scope.repository):
        return None
    gate = library.config.gate
    golden = load_golden(Path(gate.golden))
    free = tuple(case for case in golden.cases if case.read_context is None)
    if not free:
        raise InvalidArgument(
            f"every query of {gate.golden} has its own read_context, so none checks what is released", field="gate"
        )
    return Guard(replace(golden, cases=free), gates_of(library.config), scope.repository)


def _message(what: str, name: str, verdict: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    lines = [f"{what} was refused by the golden queries {name!r}; what was in use stays in use"]
    lines += [f"  {item['text']}" for item in verdict["checks"] if not item["passed"]]
    dropped = [item for item in (comparison or {}).get("moved", ()) if item["difference"] < 0]
    lines += [f"  {m['id']}: {m['before']:.3f} → {m['after']:.3f}  {m['query']}" for m in dropped[:MAX_MOVED]]
    if len(dropped) > MAX_MOVED:
        lines.append(f"  … {len(dropped) - MAX_MOVED} more queries fell")
    return "\n".join(lines)
