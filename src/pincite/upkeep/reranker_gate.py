"""Whether the configured reranker is used for answers: golden queries decide, because rerankers can hurt.

Verdicts are kept beside the catalog, where every node reads them. A verdict applies to one model, weight and depth, to
exactly these golden queries, and to the repositories that were asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pincite.advice import by_operator, place
from pincite.errors import PinciteError, UnknownArgument
from pincite.protocols import Catalog, Reranker
from pincite.search.reranking import Reranking, RerankPin
from pincite.settings import Config

COMMAND = "pincite models gate-reranker"
NOT_GATED = "not gated: no golden queries configured (gate.golden)"


@dataclass(frozen=True, slots=True)
class RerankerCase:
    """What a verdict applies to; another model, weight, question or repository is another case."""

    reranker: RerankPin
    golden: str
    """Hash of the golden file."""
    scopes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self.reranker), "golden": self.golden, "scopes": list(self.scopes)}


@dataclass(frozen=True, slots=True)
class RerankerVerdict:
    """The result of the golden queries for a reranker."""

    case: RerankerCase
    model: str
    passed: bool
    figures: Mapping[str, Any]
    """By repository: every check with its figures, and the queries that moved."""
    measured: str
    """Time in ISO format."""

    def to_json(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "model": self.model,
            "measured": self.measured,
            **self.case.to_json(),
            "figures": dict(self.figures),
        }


def reranking_of(config: Config, catalog: Catalog, opened: Callable[[], Reranker]) -> Reranking:
    """The reranker in the settings, and whether it is used. Only an unknown name is an error."""
    given = config.reranker
    if not given.model:
        return Reranking()
    try:
        reranker = opened()
        pin = RerankPin(reranker.fingerprint, given.weight, given.depth)
    except UnknownArgument:
        raise
    except PinciteError as problem:
        return Reranking(off=problem.message, status="unavailable")
    except OSError as problem:
        return Reranking(off=f"{given.model} cannot be read: {problem.strerror}", status="unavailable")
    deadline = given.deadline_seconds
    if not config.gate.golden:
        return Reranking(reranker, pin, deadline, note=NOT_GATED)
    off = _why_not(config, catalog, pin)
    return Reranking(reranker, None if off else pin, deadline, off=off)


def case_of(config: Config, pin: RerankPin) -> RerankerCase:
    """The case that the golden queries of the configuration would decide; `OSError` if their file cannot be read."""
    golden = hashlib.sha256(Path(config.gate.golden).read_bytes()).hexdigest()
    names = config.gate.repositories or (config.repository,)
    return RerankerCase(pin, golden, tuple(f"{config.tenant}/{config.organization}/{name}" for name in names))


def keep(catalog: Catalog, verdict: RerankerVerdict) -> None:
    """Keep the verdict, in place of one on the same case."""
    catalog.server.verdicts.keep(verdict.case.to_json(), verdict.to_json())


def _why_not(config: Config, catalog: Catalog, pin: RerankPin) -> str:
    """Why the reranker is off; empty if the golden queries have passed it."""
    golden = place(config.gate.golden)
    try:
        case = case_of(config, pin)
    except OSError as problem:
        return f"the golden queries {golden} that must pass it cannot be read: {problem.strerror}"
    try:
        verdict = catalog.server.verdicts.get(case.to_json())
    except PinciteError as problem:
        return problem.message
    if verdict is None:
        return (
            f"the golden queries {golden}, as they are, have not passed it with weight {pin.weight:g} and depth"
            f" {pin.depth}; {by_operator('ask them with', COMMAND)}"
        )
    if not verdict.get("passed"):
        return (
            f"the golden queries {golden} refused it on {str(verdict.get('measured'))[:10]};"
            f" {by_operator('choose another model or weight and ask them again with', COMMAND)}"
        )
    return ""
