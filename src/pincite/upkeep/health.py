"""Health: measured, not assumed. Every leg answers a real query whose answer is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pincite.advice import by_operator, either
from pincite.catalog.resolve import resolve
from pincite.errors import PinciteError
from pincite.fixed import question
from pincite.index.entries import passage
from pincite.protocols import Catalog, Index
from pincite.queries import IdentifierQuery, IndexStatus, Some, VectorQuery, Word, WordQuery
from pincite.search.promises import NO_MEANING
from pincite.search.query import Meaning
from pincite.text.words import tokens
from pincite.types import Chunk, LiveElement, RepositoryInfo, View

DEPTH = 200
"""How many results of the dense leg to check: many passages may be as close to a text as its own first lines."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check and its result."""

    what: str
    status: Literal["ok", "warning", "problem"]
    detail: str = ""
    advice: str = ""
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class RepositoryHealth:
    info: RepositoryInfo
    index: IndexStatus
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Health:
    findings: tuple[Finding, ...]
    repositories: tuple[RepositoryHealth, ...]

    @property
    def ok(self) -> bool:
        return not any(f.status == "problem" for f in self.all())

    def all(self) -> tuple[Finding, ...]:
        return (*self.findings, *(f for repository in self.repositories for f in repository.findings))


def examine(
    catalog: Catalog,
    index: Index,
    infos: Sequence[RepositoryInfo],
    *,
    deep: bool,
    meaning: Meaning,
    upkeep_problem: str = "",
    kind_problems: Mapping[str, str] | None = None,
    whole: bool = True,
) -> Health:
    """Check the catalog and, for each repository, its index and legs. Without `whole`, nothing else is reported."""
    findings = (
        [_check("catalog", catalog.check, by_operator("restore a backup with", "pincite restore BACKUP TARGET"))]
        if deep
        else []
    )
    if upkeep_problem:
        said = either(upkeep_problem, "the last merge in the background failed")  # in the operator's words
        findings.append(Finding("merging", "warning", said, _run("pincite doctor")))
    for name, problem in (kind_problems or {}).items() if whole else ():
        advice = by_operator("install its package again with", "pip install --upgrade PACKAGE")
        findings.append(Finding(f"kind {name}", "warning", problem, advice))
    findings += _model(catalog, meaning, whole=whole)
    each = (_examine(catalog, index, info, meaning, deep=deep, whole=whole) for info in infos)
    return Health(tuple(findings), tuple(each))


def _model(catalog: Catalog, meaning: Meaning, *, whole: bool) -> list[Finding]:
    """Problems with the embedding model: it is missing, the settings name another, texts wait for another."""
    if meaning.embedder is None:
        return [Finding("embedding model", "problem", meaning.note)] if meaning.note else []
    out = [Finding("embedding model", "warning", meaning.note)] if meaning.note else []
    if not whole:
        return out
    with catalog.operator() as operator:
        every, own = operator.queue.totals(), operator.queue.totals(meaning.fingerprint)
    waiting = sum(every[state] - own[state] for state in ("waiting", "claimed", "parked"))
    if waiting:
        detail = f"{waiting} text(s) wait for the vectors of a model that is not in use"
        advice = either(
            "finish the move: pincite reindex --embeddings --model M; or give it up: … --embeddings --drop-old",
            "the server's operator can finish the move to that model, or give it up",
        )
        out.append(Finding("embedding queue", "warning", detail, advice))
    return out


def _examine(
    catalog: Catalog, index: Index, info: RepositoryInfo, meaning: Meaning, *, deep: bool, whole: bool
) -> RepositoryHealth:
    status = index.status(info.scope)
    findings: list[Finding] = []
    if status.problem:
        findings.append(Finding("index", "problem", status.problem, _run("pincite rebuild")))
    elif status.revision < info.head:
        behind = info.head - status.revision
        advice = f"it catches up with the next search or ingest; {either('to force it: pincite rebuild', 'ask again')}"
        findings.append(Finding("index", "warning", f"{behind} revision(s) behind the catalog", advice))
    else:
        findings.append(Finding("index", "ok", f"at revision {status.revision}, {status.chunks} chunks"))
    if deep:
        findings.append(_check("checksums", lambda: index.check(info.scope), _run("pincite rebuild")))
        if meaning.lexicon is not None:
            words = meaning.lexicon
            findings.append(_check("words", lambda: words.check(info.scope), _run("pincite embed")))
    if status.revision and not status.problem:
        findings += _try_legs(catalog, index, info, meaning, status.revision, whole=whole)
    return RepositoryHealth(info, status, tuple(findings))


def _try_legs(
    catalog: Catalog, index: Index, info: RepositoryInfo, meaning: Meaning, reached: int, *, whole: bool
) -> list[Finding]:
    """Look up a known element by its words and by its id, and compare the counts of index and catalog."""
    view = resolve(catalog, info.scope, None, reached=reached).view
    element = _some_element(catalog, view)
    if element is None:
        return [Finding("legs", "ok", "nothing to look for: the repository is empty")]
    chunk = next(c for c in element.derivation.chunks if tokens(passage(element.version.content, c)))
    words = tuple(Word(word) for word in dict.fromkeys(tokens(passage(element.version.content, chunk))[:12]))
    wanted = element.version.element_id
    query = WordQuery(Some(words), depth=200)
    identifiers = IdentifierQuery((wanted,))
    return [
        _leg("keyword leg", lambda: [f.element_id for f in index.keyword([view], query).found], wanted),
        _leg("exact leg", lambda: [f.element_id for f in index.exact([view], identifiers).found], wanted),
        _dense_leg(catalog, index, view, meaning, element, chunk, whole=whole),
    ]


def _dense_leg(
    catalog: Catalog, index: Index, view: View, meaning: Meaning, element: LiveElement, chunk: Chunk, *, whole: bool
) -> Finding:
    """Search for a passage by its own words; also reports texts that wait for vectors or failed too often."""
    embedder = meaning.embedder
    if embedder is None:
        return Finding("dense leg", "warning" if meaning.note else "ok", meaning.off)
    if not index.features.dense:
        return Finding("dense leg", "warning" if meaning.required else "ok", NO_MEANING)
    if not index.has_vectors([view], embedder.fingerprint):
        return Finding("dense leg", "warning", f"no vectors of {embedder.name} yet", _run("pincite embed"))
    started = time.perf_counter()
    try:
        text = passage(element.version.content, chunk)
        vector = question(embedder.embed_query(text))
        asked = VectorQuery(vector, embedder.fingerprint, embedder.calibration, depth=DEPTH)
        ranking = index.dense([view], asked)
    except PinciteError as problem:
        return Finding("dense leg", "problem", problem.message, _run("pincite doctor, then pincite rebuild"))
    elapsed = round(1000 * (time.perf_counter() - started), 2)
    # The queue is counted by tenant, which may be more than the caller may see.
    parked = catalog.queue.counts(embedder.fingerprint, tenant=view.scope.tenant)["parked"] if whole else 0
    if ranking.status == "partial" or parked:
        detail = "; ".join(filter(None, (ranking.reason, f"{parked} texts were given up" if parked else "")))
        advice = either("run: pincite embed --retry-parked", "the server's operator can have them tried again")
        return Finding("dense leg", "warning", detail, advice, elapsed)
    wanted = element.version.element_id
    if wanted in [found.element_id for found in ranking.found]:
        return Finding("dense leg", "ok", f"found {wanted!r} by {embedder.name}", ms=elapsed)
    return Finding("dense leg", "problem", f"did not find {wanted!r}, which is there", _run("pincite rebuild"), elapsed)


def _some_element(catalog: Catalog, view: View) -> LiveElement | None:
    for element_id in catalog.elements.ids(view, limit=20):
        element = catalog.elements.get(view, element_id)
        if element and any(tokens(passage(element.version.content, c)) for c in element.derivation.chunks):
            return element
    return None


def _leg(name: str, ask: Callable[[], list[str]], wanted: str) -> Finding:
    started = time.perf_counter()
    try:
        found = ask()
    except PinciteError as problem:
        return Finding(name, "problem", problem.message, _run("pincite rebuild"))
    elapsed = round(1000 * (time.perf_counter() - started), 2)
    if wanted in found:
        return Finding(name, "ok", f"found {wanted!r}", ms=elapsed)
    return Finding(name, "problem", f"did not find {wanted!r}, which is there", _run("pincite rebuild"), elapsed)


def _run(command: str) -> str:
    return by_operator("run", command)


def _check(name: str, run: Callable[[], tuple[str, ...]], advice: str) -> Finding:
    started = time.perf_counter()
    problems = run()
    elapsed = round(1000 * (time.perf_counter() - started), 2)
    if problems:
        return Finding(name, "problem", "; ".join(problems), advice, elapsed)
    return Finding(name, "ok", "sound", ms=elapsed)
