"""The parts of a catalog within bounds: every call says for whom it is, and what lies outside is refused.

A session is bounded by its tenant, a caller by the repositories that exist for it. An engine may enforce the same by
itself (row-level security); this is what answers in words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from pincite.bookkeeping import Job, SourceElement, SourceItem, Usage
from pincite.errors import PermissionDenied
from pincite.protocols import (
    Baselines,
    Commits,
    ContextCache,
    Elements,
    EmbeddingQueue,
    Feed,
    Relations,
    Repositories,
    Session,
    Sources,
    UsageLedger,
    Vectors,
    WordVectors,
)
from pincite.types import (
    AliveState,
    Around,
    Baseline,
    Birth,
    Called,
    Callees,
    Commit,
    Committed,
    Content,
    CutVersion,
    Death,
    Definition,
    Derivation,
    Edges,
    ElementChange,
    Excerpt,
    Lifetime,
    LiveElement,
    Relation,
    RepositoryInfo,
    Revision,
    Scope,
    Tombstone,
    Version,
    View,
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """One tenant, or some repositories of one."""

    tenant: str
    exists: Callable[[Scope], bool] | None = None
    """Which repositories there are; None: all of the tenant."""

    def hides(self, scope: Scope) -> bool:
        """Whether the repository is answered like one that never was."""
        return self.exists is not None and not self.exists(scope)

    def require(self, scope: Scope) -> Scope:
        """The scope, if it lies within."""
        self.require_tenant(scope.tenant)
        if self.hides(scope):
            raise PermissionDenied(f"you may not use {scope.repository!r}", field="repository_id")
        return scope

    def require_each(self, scopes: Iterable[Scope]) -> None:
        """Nothing, if all of them lie within."""
        for scope in scopes:
            self.require(scope)

    def require_tenant(self, tenant: str) -> str:
        """The tenant, if it is this one."""
        if tenant != self.tenant:
            # Neither is named: the caller may not know that the other exists.
            raise PermissionDenied("this belongs to another tenant; open a session for that tenant", field="tenant")
        return tenant

    def require_jobs(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """The jobs, if all are this tenant's."""
        listed = tuple(jobs)
        for job in listed:
            self.require_tenant(job.tenant)
        return listed


class BoundSession:
    """The parts of a catalog or of a session, within bounds."""

    def __init__(self, parts: Session, bounds: Bounds) -> None:
        self._bounds = bounds
        self.library_id = parts.library_id
        self.repositories: Repositories = BoundRepositories(parts.repositories, bounds)
        self.commits: Commits = BoundCommits(parts.commits, bounds)
        self.elements: Elements = BoundElements(parts.elements, bounds)
        self.relations: Relations = BoundRelations(parts.relations, bounds)
        self.baselines: Baselines = BoundBaselines(parts.baselines, bounds)
        self.feed: Feed = BoundFeed(parts.feed, bounds)
        self.vectors: Vectors = BoundVectors(parts.vectors, bounds)
        self.queue: EmbeddingQueue = BoundQueue(parts.queue, bounds)
        self.contexts: ContextCache = BoundContexts(parts.contexts, bounds)
        self.words: WordVectors = BoundWords(parts.words, bounds)
        self.usage: UsageLedger = BoundUsage(parts.usage, bounds)
        self.sources: Sources = BoundSources(parts.sources, bounds)

    @contextmanager
    def session(self, tenant: str) -> Iterator[Session]:
        """This one again: the same state."""
        self._bounds.require_tenant(tenant)
        yield self


class BoundRepositories:
    """A repository outside the bounds is not there; what may not be known is answered like what never was."""

    def __init__(self, inner: Repositories, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def ensure(self, scope: Scope) -> RepositoryInfo:
        if self._bounds.hides(scope):
            raise PermissionDenied(f"you may not write to {scope.repository!r}", field="repository_id")
        return self._inner.ensure(self._bounds.require(scope))

    def get(self, scope: Scope) -> RepositoryInfo | None:
        return None if self._bounds.hides(scope) else self._inner.get(self._bounds.require(scope))

    def list(self, tenant: str, organization: str, names: Collection[str] | None = None) -> tuple[RepositoryInfo, ...]:
        if self._bounds.exists is None:
            return self._inner.list(self._bounds.require_tenant(tenant), organization, names)
        found = self._inner.list(tenant, organization, names) if tenant == self._bounds.tenant else ()
        return tuple(info for info in found if not self._bounds.hides(info.scope))


class BoundCommits:
    def __init__(self, inner: Commits, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def commit(self, scope: Scope, commit: Commit) -> Committed:
        return self._inner.commit(self._bounds.require(scope), commit)

    def revision(self, scope: Scope, number: int) -> Revision | None:
        return self._inner.revision(self._bounds.require(scope), number)

    def revision_at(self, scope: Scope, time: int) -> Revision | None:
        return self._inner.revision_at(self._bounds.require(scope), time)

    def revision_of_each(self, numbers: Mapping[Scope, int]) -> dict[Scope, Revision]:
        self._bounds.require_each(numbers)
        return self._inner.revision_of_each(numbers)

    def revision_of_each_at(self, scopes: Collection[Scope], time: int) -> dict[Scope, Revision]:
        self._bounds.require_each(scopes)
        return self._inner.revision_of_each_at(scopes, time)

    def revisions(self, scope: Scope, *, limit: int = 100, before: int | None = None) -> tuple[Revision, ...]:
        return self._inner.revisions(self._bounds.require(scope), limit=limit, before=before)

    def purge(self, scope: Scope, element_ids: Sequence[str], *, reason: str = "", author: str = "") -> Committed:
        return self._inner.purge(self._bounds.require(scope), element_ids, reason=reason, author=author)


class BoundElements:
    def __init__(self, inner: Elements, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def get(self, view: View, element_id: str) -> LiveElement | None:
        self._bounds.require(view.scope)
        return self._inner.get(view, element_id)

    def alive(self, scope: Scope, revision: int, element_ids: Collection[str]) -> dict[str, tuple[AliveState, ...]]:
        return self._inner.alive(self._bounds.require(scope), revision, element_ids)

    def get_many(self, wanted: Mapping[View, Collection[str]]) -> dict[View, dict[str, LiveElement]]:
        self._bounds.require_each(view.scope for view in wanted)
        return self._inner.get_many(wanted)

    def excerpts(
        self, wanted: Mapping[CutVersion, Collection[int]], *, names: bool = False
    ) -> dict[CutVersion, Excerpt]:
        self._bounds.require_each(cut.scope for cut in wanted)
        return self._inner.excerpts(wanted, names=names)

    def headers(self, wanted: Collection[CutVersion]) -> dict[CutVersion, Content]:
        self._bounds.require_each(cut.scope for cut in wanted)
        return self._inner.headers(wanted)

    def version(self, scope: Scope, element_id: str, version_id: str) -> Version | None:
        return self._inner.version(self._bounds.require(scope), element_id, version_id)

    def derivation(self, scope: Scope, element_id: str, version_id: str, recipe: str = "") -> Derivation | None:
        return self._inner.derivation(self._bounds.require(scope), element_id, version_id, recipe)

    def history(self, scope: Scope, element_id: str) -> tuple[Lifetime, ...]:
        return self._inner.history(self._bounds.require(scope), element_id)

    def ids(self, view: View, *, prefix: str = "", after: str = "", limit: int | None = None) -> tuple[str, ...]:
        self._bounds.require(view.scope)
        return self._inner.ids(view, prefix=prefix, after=after, limit=limit)

    def diff(self, scope: Scope, old: int, new: int) -> tuple[ElementChange, ...]:
        return self._inner.diff(self._bounds.require(scope), old, new)

    def tombstone(self, scope: Scope, element_id: str) -> Tombstone | None:
        return self._inner.tombstone(self._bounds.require(scope), element_id)

    def tombstones(self, scope: Scope, element_ids: Collection[str]) -> dict[str, Tombstone]:
        return self._inner.tombstones(self._bounds.require(scope), element_ids)


class BoundRelations:
    def __init__(self, inner: Relations, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def of(self, view: View, element_id: str, direction: Literal["out", "in", "both"] = "both") -> tuple[Relation, ...]:
        self._bounds.require(view.scope)
        return self._inner.of(view, element_id, direction)

    def stated(
        self, scope: Scope, revision: int, *, element_ids: Collection[str] = (), relation_ids: Collection[str] = ()
    ) -> tuple[Relation, ...]:
        own = self._bounds.require(scope)
        return self._inner.stated(own, revision, element_ids=element_ids, relation_ids=relation_ids)

    def of_many(self, wanted: Iterable[Around]) -> tuple[Edges, ...]:
        asked = tuple(wanted)
        self._bounds.require_each(around.view.scope for around in asked)
        return self._inner.of_many(asked)

    def called(self, wanted: Iterable[Called]) -> tuple[Callees, ...]:
        asked = tuple(wanted)
        self._bounds.require_each(called.view.scope for called in asked)
        return self._inner.called(asked)

    def definitions(self, view: View, term: str) -> tuple[tuple[str, str, Definition], ...]:
        self._bounds.require(view.scope)
        return self._inner.definitions(view, term)

    def terms(self, view: View) -> tuple[str, ...]:
        self._bounds.require(view.scope)
        return self._inner.terms(view)

    def resolve(self, view: View, identifier: str) -> tuple[tuple[str, str], ...]:
        self._bounds.require(view.scope)
        return self._inner.resolve(view, identifier)


class BoundBaselines:
    def __init__(self, inner: Baselines, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def create(
        self, scope: Scope, name: str, *, revision: int | None = None, author: str = "", note: str = ""
    ) -> Baseline:
        return self._inner.create(self._bounds.require(scope), name, revision=revision, author=author, note=note)

    def get(self, scope: Scope, name: str) -> Baseline | None:
        return self._inner.get(self._bounds.require(scope), name)

    def list(self, scope: Scope) -> tuple[Baseline, ...]:
        return self._inner.list(self._bounds.require(scope))

    def of_each(self, scopes: Collection[Scope], name: str | None) -> dict[Scope, Baseline]:
        self._bounds.require_each(scopes)
        return self._inner.of_each(scopes, name)

    def publish(self, scope: Scope, name: str, *, author: str = "") -> Baseline:
        return self._inner.publish(self._bounds.require(scope), name, author=author)

    def rollback(self, scope: Scope, *, author: str = "") -> Baseline:
        return self._inner.rollback(self._bounds.require(scope), author=author)

    def published(self, scope: Scope) -> Baseline | None:
        return self._inner.published(self._bounds.require(scope))


class BoundFeed:
    def __init__(self, inner: Feed, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def births(self, scope: Scope, after: int, upto: int) -> Iterator[Birth]:
        return self._inner.births(self._bounds.require(scope), after, upto)

    def deaths(self, scope: Scope, after: int, upto: int) -> Iterator[Death]:
        return self._inner.deaths(self._bounds.require(scope), after, upto)

    def erased(self, scope: Scope, since: int) -> frozenset[str]:
        return self._inner.erased(self._bounds.require(scope), since)


class BoundVectors:
    def __init__(self, inner: Vectors, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def put(self, tenant: str, fingerprint: str, vectors: Mapping[str, bytes]) -> None:
        self._inner.put(self._bounds.require_tenant(tenant), fingerprint, vectors)

    def get(self, tenant: str, fingerprint: str, hashes: Iterable[str]) -> dict[str, bytes]:
        return self._inner.get(self._bounds.require_tenant(tenant), fingerprint, hashes)

    def counts(self, tenant: str) -> dict[str, int]:
        return self._inner.counts(self._bounds.require_tenant(tenant))


class BoundQueue:
    def __init__(self, inner: EmbeddingQueue, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def add(self, scope: Scope, fingerprint: str, texts: Mapping[str, str], *, upto: int) -> int:
        return self._inner.add(self._bounds.require(scope), fingerprint, texts, upto=upto)

    def enqueued(self, scope: Scope, fingerprint: str) -> int:
        return self._inner.enqueued(self._bounds.require(scope), fingerprint)

    def claim(self, tenant: str, fingerprint: str, limit: int, *, lease_seconds: float) -> tuple[Job, ...]:
        own = self._bounds.require_tenant(tenant)
        return self._inner.claim(own, fingerprint, limit, lease_seconds=lease_seconds)

    def start(self, jobs: Iterable[Job], *, lease_seconds: float) -> tuple[Job, ...]:
        return self._inner.start(self._bounds.require_jobs(jobs), lease_seconds=lease_seconds)

    def finish(self, vectors: Mapping[Job, bytes]) -> int:
        self._bounds.require_jobs(vectors)
        return self._inner.finish(vectors)

    def release(self, jobs: Iterable[Job]) -> None:
        self._inner.release(self._bounds.require_jobs(jobs))

    def failed(self, job: Job, error: str, *, retry_seconds: float | None) -> None:
        self._bounds.require_jobs((job,))
        self._inner.failed(job, error, retry_seconds=retry_seconds)

    def parked(self, tenant: str, fingerprint: str, limit: int) -> tuple[Job, ...]:
        return self._inner.parked(self._bounds.require_tenant(tenant), fingerprint, limit)

    def retry_parked(self, tenant: str, fingerprint: str) -> int:
        return self._inner.retry_parked(self._bounds.require_tenant(tenant), fingerprint)

    def counts(self, fingerprint: str = "", *, tenant: str) -> dict[str, int]:
        return self._inner.counts(fingerprint, tenant=self._bounds.require_tenant(tenant))


class BoundContexts:
    def __init__(self, inner: ContextCache, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def get(self, tenant: str, key: str) -> str | None:
        return self._inner.get(self._bounds.require_tenant(tenant), key)

    def put(self, tenant: str, key: str, chunk_hash: str, context: str) -> None:
        self._inner.put(self._bounds.require_tenant(tenant), key, chunk_hash, context)


class BoundWords:
    def __init__(self, inner: WordVectors, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def get(self, scope: Scope, fingerprint: str, forms: Iterable[str]) -> dict[str, bytes]:
        return self._inner.get(self._bounds.require(scope), fingerprint, forms)

    def put(self, scope: Scope, fingerprint: str, vectors: Mapping[str, bytes], *, purges: int) -> bool:
        return self._inner.put(self._bounds.require(scope), fingerprint, vectors, purges=purges)

    def forget(self, scope: Scope, fingerprint: str = "") -> None:
        self._inner.forget(self._bounds.require(scope), fingerprint)


class BoundUsage:
    def __init__(self, inner: UsageLedger, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def add(self, tenant: str, day: str, usage: Usage) -> None:
        self._inner.add(self._bounds.require_tenant(tenant), day, usage)

    def total(self, tenant: str, *, since: str = "", until: str = "") -> tuple[Usage, ...]:
        return self._inner.total(self._bounds.require_tenant(tenant), since=since, until=until)


class BoundSources:
    def __init__(self, inner: Sources, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    def items(self, scope: Scope, source: str) -> dict[str, SourceItem]:
        return self._inner.items(self._bounds.require(scope), source)

    def elements(
        self, scope: Scope, source: str, items: Collection[str], *, after: str = "", limit: int | None = None
    ) -> tuple[SourceElement, ...]:
        return self._inner.elements(self._bounds.require(scope), source, items, after=after, limit=limit)

    def owners(self, scope: Scope, element_ids: Collection[str]) -> dict[str, tuple[str, SourceElement]]:
        return self._inner.owners(self._bounds.require(scope), element_ids)
