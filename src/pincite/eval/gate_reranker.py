"""Gate a reranker: asks the golden queries with and without it. It passes if it helps and makes nothing much worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pincite.errors import InvalidArgument, Unavailable
from pincite.eval.compare import compare
from pincite.eval.gates import MAX_DROP, Gates, check
from pincite.eval.guard import Guard, guard_of
from pincite.eval.results import HEADLINE
from pincite.search.reranking import Reranking, RerankPin
from pincite.upkeep.reranker_gate import RerankerVerdict, case_of

if TYPE_CHECKING:
    from pincite.library import Library


def gate_reranker(library: Library) -> RerankerVerdict:
    """The verdict of the golden queries on the configured reranker; nothing is stored.

    nDCG@10 must rise in every guarded repository, and no metric may fall by more than `gate.max_drop`. Absolute bounds
    apply to releases, not to the reranker.
    """
    config = library.config
    if not config.reranker.model:
        raise InvalidArgument(
            "no reranker is configured; set one with: reranker: {model: onnx:FOLDER}", field="reranker"
        )
    if not config.gate.golden:
        raise InvalidArgument("no golden queries are configured; set a file with: gate: {golden: FILE}", field="gate")
    slot = library.reranking
    if slot.reranker is None:
        raise Unavailable(f"the reranker cannot be used: {slot.off}")
    pin = RerankPin(slot.reranker.fingerprint, config.reranker.weight, config.reranker.depth)
    slot.reranker.score("ready?", ["ready"])  # loads the model, which must not count against the deadline for answers
    with_it = library.with_reranking(replace(slot, pin=pin, off="", note=""))
    without = library.with_reranking(Reranking())
    figures = {}
    for name in config.gate.repositories or (config.repository,):
        guard = guard_of(library, library.scope(name))
        assert guard is not None
        figures[name] = _figures(guard, guard.measure(without, None), guard.measure(with_it, None))
    return RerankerVerdict(
        case=case_of(config, pin),
        model=slot.reranker.name,
        passed=all(item["passed"] for item in figures.values()),
        figures=figures,
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _figures(guard: Guard, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    missed = [note for note in after["notes"] if note.startswith("rerank: ")]
    if missed:
        raise Unavailable(
            f"the reranker did not answer every golden query, so there is no verdict: {'; '.join(missed)}"
        )
    comparison = compare(before, after)
    allowed = MAX_DROP if guard.gates.max_drop is None else guard.gates.max_drop
    harm = check(after, Gates(max_drop=allowed), comparison)
    checks = [_helps(comparison), *harm["checks"]]
    return {
        "passed": all(item["passed"] for item in checks),
        "queries": comparison["queries"],
        "checks": checks,
        "moved": comparison["moved"],
    }


def _helps(comparison: Mapping[str, Any]) -> dict[str, Any]:
    found = comparison["metrics"]["final"][HEADLINE]
    low, high = found["interval"]
    doubt = "" if low > 0 or high < 0 else ", not significant"
    passed = found["difference"] > 0
    text = (
        f"nDCG@10 {found['before']:.4f} → {found['after']:.4f} ({found['difference']:+.4f}, {low:+.4f} to {high:+.4f},"
        f" p {found['p']:.3g}{doubt}){'' if passed else ' does not rise'}"
    )
    return {"name": "helps", "wanted": 0, "reached": found["difference"], "passed": passed, "text": text}
