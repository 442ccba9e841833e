"""Operations: what every door offers, each with the scope it needs, the request it takes and the method it calls.

Nothing here knows the caller: the library passed to an operation is the caller's view of it (`Desk.library_for`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pincite import wire
from pincite.errors import InvalidArgument, UnknownArgument
from pincite.library import Library
from pincite.serve import requests
from pincite.serve.concise import concise
from pincite.serve.deep_research import deep_fetch, deep_search
from pincite.serve.repositories import index_health, list_repositories
from pincite.serve.requests import Request, read_request
from pincite.serve.sources import check_source
from pincite.wire import Json

Progress = Callable[[str, int, int], None]
"""Receives the stage, how much of it is done, and how much there is."""
READ, WRITE, BASELINES, ADMIN = "search:read", "index:write", "baselines:write", "admin:read"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, with the same name at every door."""

    name: str
    scope: str
    """The scope the caller's token must have."""
    request: type[Request]
    run: Callable[[Library, Any], Json]
    """From the caller's library and the request to the wire JSON, as printed by the command line with --json."""
    is_long: bool = False
    """May take seconds; searches do not wait for it."""

    @property
    def reads_only(self) -> bool:
        return self.scope in (READ, ADMIN)


def parse(operation: Operation, arguments: Mapping[str, object]) -> Request:
    """The request in the arguments; otherwise `UnknownArgument` (with the closest name) or `InvalidArgument`."""
    return read_request(operation.request, arguments)


def operation_named(name: str) -> Operation:
    if name not in OPERATIONS:
        raise UnknownArgument.named("operation", name, OPERATIONS, field="operation")
    return OPERATIONS[name]


# --- reading --------------------------------------------------------------------------------------------------


def _search(library: Library, asked: requests.Search) -> Json:
    answer = library.search(
        asked.query,
        **asked.where(),
        mode=asked.mode,
        limit=asked.top_k,
        min_score=asked.min_score,
        filters=asked.filters,
        cursor=asked.cursor,
        group=asked.group,
        passages=asked.passages,
        sort=asked.sort,
        exact=asked.exact,
        explain=asked.explain,
    )
    body = wire.answer(answer, library.describe)
    return concise(body) if asked.response_format == "concise" else body


def _context(library: Library, asked: requests.GetContext) -> Json:
    found = library.context(
        asked.query,
        **asked.where(),
        max_tokens=asked.max_tokens,
        include_relationships=asked.include_relationships,
        include_definitions=asked.include_definitions,
        mode=asked.mode,
        limit=asked.top_k,
        filters=asked.filters,
    )
    return wire.context(found)


def _element(library: Library, asked: requests.GetElement) -> Json:
    if asked.span is not None and not 0 <= asked.span[0] <= asked.span[1]:
        raise InvalidArgument(f"span must be [start, end], counted in characters, not {asked.span}", field="span")
    found = library.get(
        asked.element,
        **asked.where(),
        section=asked.section,
        span=(asked.span[0], asked.span[1]) if asked.span is not None else None,
        version=asked.version_id,
        neighbours=asked.neighbours,
    )
    return wire.found(found, library.describe)


def _verify(library: Library, asked: requests.VerifyQuote) -> Json:
    return wire.verdict(library.verify(asked.quote, asked.citation, **asked.where()), library.describe)


def _verify_citations(library: Library, asked: requests.VerifyCitations) -> Json:
    if not asked.text and not asked.quotes:
        raise InvalidArgument("there is nothing to check; send a draft (text) or quotes", field="text")
    pairs = [(item.quote, item.citation) for item in asked.quotes]
    return wire.checked_draft(library.verify_draft(asked.text, pairs, **asked.where()), library.describe)


def _why_not(library: Library, asked: requests.WhyNot) -> Json:
    found = library.why_not(
        asked.element,
        asked.query,
        **asked.where(),
        mode=asked.mode,
        limit=asked.top_k,
        min_score=asked.min_score,
        filters=asked.filters,
    )
    return wire.why_not(found)


def _compare(library: Library, asked: requests.CompareBaselines) -> Json:
    found = library.compare(
        asked.query,
        asked.old,
        asked.new or "head",
        repository=asked.repository_id,
        mode=asked.mode,
        limit=asked.top_k,
        valid_at=asked.valid_at,
        filters=asked.filters,
    )
    return wire.comparison(found)


def _diff(library: Library, asked: requests.Diff) -> Json:
    found = library.diff(asked.old, asked.new or "head", repository=asked.repository_id)
    return {"from": asked.old, "to": asked.new or "head", "changes": [wire.change(item) for item in found]}


def _history(library: Library, asked: requests.History) -> Json:
    lives = [wire.life(life) for life in library.history(asked.element, repository=asked.repository_id)]
    return {"element_id": lives[0]["element_id"], "history": lives}


def _definitions(library: Library, asked: requests.Definitions) -> Json:
    return wire.looked_up(library.definitions(asked.term, **asked.where()))


def _references(library: Library, asked: requests.References) -> Json:
    found = library.references(
        asked.element,
        **asked.where(),
        section=asked.section,
        incoming=asked.incoming,
        unresolved=asked.unresolved,
    )
    return wire.references(found)


def _replay(library: Library, asked: requests.Replay) -> Json:
    return wire.answer(library.replay(asked.token), library.describe)


def _filters(library: Library, asked: requests.FilterValues) -> Json:
    return {"filters": library.filters(asked.repository_id)}


def _revisions(library: Library, asked: requests.Revisions) -> Json:
    found = library.revisions(repository=asked.repository_id, limit=asked.limit)
    return {"revisions": [wire.revision(item) for item in found]}


def _doctor(library: Library, _asked: Request) -> Json:
    return wire.health(library.health(deep=True))


# --- writing --------------------------------------------------------------------------------------------------


def silent(_stage: str, _done: int, _total: int) -> None:
    """No progress."""


def ingest(library: Library, asked: requests.Ingest, progress: Progress = silent) -> Json:
    """Update a repository from a source that the settings allow; a door that waits can follow the progress."""
    check_source(library.config.serve, asked.source, is_at_home=library.is_at_home)
    if asked.take_over:
        check_source(library.config.serve, asked.take_over, is_at_home=library.is_at_home, field="take_over")
    report = library.ingest(
        asked.source,
        repository=asked.repository_id,
        include=asked.include,
        exclude=asked.exclude,
        prefix=asked.prefix,
        allow_empty=asked.allow_empty,
        take_over=asked.take_over,
        kind=asked.kind,
        message=asked.message,
        progress=progress,
    )
    return wire.ingest_report(report)


def _reindex(library: Library, asked: requests.Reindex) -> Json:
    made = library.rebuild(asked.repository_id)
    return {"rebuilt": [{"generation": m.generation, "revision": m.revision, "chunks": m.chunks} for m in made]}


def _list_baselines(library: Library, asked: requests.ListBaselines) -> Json:
    return {"baselines": [wire.baseline(item) for item in library.baselines.list(repository=asked.repository_id)]}


def _create_baseline(library: Library, asked: requests.CreateBaseline) -> Json:
    made = library.baselines.create(
        asked.baseline_id, repository=asked.repository_id, revision=asked.revision, note=asked.note
    )
    return wire.baseline(made)


def _publish_baseline(library: Library, asked: requests.PublishBaseline) -> Json:
    return wire.baseline(library.baselines.publish(asked.baseline_id, repository=asked.repository_id))


def _rollback_baseline(library: Library, asked: requests.RollbackBaseline) -> Json:
    return wire.baseline(library.baselines.rollback(repository=asked.repository_id))


# --- all of them ----------------------------------------------------------------------------------------------

OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("semanticSearch", READ, requests.Search, _search),
        Operation("getContext", READ, requests.GetContext, _context),
        Operation("getElement", READ, requests.GetElement, _element),
        Operation("verify", READ, requests.VerifyQuote, _verify, is_long=True),
        Operation("verifyCitations", READ, requests.VerifyCitations, _verify_citations, is_long=True),
        Operation("compareBaselines", READ, requests.CompareBaselines, _compare, is_long=True),
        Operation("whyNot", READ, requests.WhyNot, _why_not, is_long=True),
        Operation("replay", READ, requests.Replay, _replay),
        Operation("definitions", READ, requests.Definitions, _definitions),
        Operation("references", READ, requests.References, _references),
        Operation("history", READ, requests.History, _history),
        Operation("diff", READ, requests.Diff, _diff, is_long=True),
        Operation("revisions", READ, requests.Revisions, _revisions),
        Operation("filters", READ, requests.FilterValues, _filters),
        Operation("listRepositories", READ, requests.ListRepositories, list_repositories),
        Operation("indexHealth", READ, requests.IndexHealth, index_health),
        Operation("search", READ, requests.DeepSearch, deep_search),
        Operation("fetch", READ, requests.DeepFetch, deep_fetch),
        Operation("doctor", ADMIN, requests.Doctor, _doctor),
        Operation("ingest", WRITE, requests.Ingest, ingest),
        Operation("reindex", WRITE, requests.Reindex, _reindex),
        Operation("listBaselines", READ, requests.ListBaselines, _list_baselines),
        Operation("createBaseline", BASELINES, requests.CreateBaseline, _create_baseline),
        Operation("publishBaseline", BASELINES, requests.PublishBaseline, _publish_baseline),
        Operation("rollbackBaseline", BASELINES, requests.RollbackBaseline, _rollback_baseline),
    )
}
