"""What a catalog keeps besides its elements: vectors, the queue for them, models, contexts, costs, sources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from pincite.bookkeeping import EmbeddingModel, Forgotten, Job, SourceElement, SourceItem, Usage
from pincite.types import Scope


class Vectors(Protocol):
    """Embeddings, stored once per (tenant, hash of the embedded text, model fingerprint)."""

    def put(self, tenant: str, fingerprint: str, vectors: Mapping[str, bytes]) -> None: ...

    def get(self, tenant: str, fingerprint: str, hashes: Iterable[str]) -> dict[str, bytes]: ...

    def counts(self, tenant: str) -> dict[str, int]:
        """Number of vectors by fingerprint."""


class EmbeddingQueue(Protocol):
    """Durable: what was added waits until it has its vector or is parked with a reason, however often workers die."""

    def add(self, scope: Scope, fingerprint: str, texts: Mapping[str, str], *, upto: int) -> int:
        """Queue texts by hash, and remember that births up to revision `upto` are in the queue; how many are new.

        One transaction. Left out: what has a vector or a job, and what no chunk of the tenant says any more.
        """

    def enqueued(self, scope: Scope, fingerprint: str) -> int:
        """The revision up to which births are in the queue or have their vectors; 0 at first."""

    def claim(self, tenant: str, fingerprint: str, limit: int, *, lease_seconds: float) -> tuple[Job, ...]:
        """Jobs that nobody holds, those that are due longest first; a claim lapses after the lease."""

    def start(self, jobs: Iterable[Job], *, lease_seconds: float) -> tuple[Job, ...]:
        """Count an attempt and renew the lease of claimed jobs that are about to be embedded; those still claimed.

        An attempt that neither finishes nor fails is one over which a worker died.
        """

    def finish(self, vectors: Mapping[Job, bytes]) -> int:
        """Store vectors and take their jobs out of the queue, in one transaction; how many.

        What left the queue meanwhile (finished by another worker, purged) is not stored.
        """

    def release(self, jobs: Iterable[Job]) -> None:
        """Give claimed jobs back as they were when they were claimed: others get them at once."""

    def failed(self, job: Job, error: str, *, retry_seconds: float | None) -> None:
        """Try again later, or, with None, park it with its reason."""

    def parked(self, tenant: str, fingerprint: str, limit: int) -> tuple[Job, ...]:
        """Jobs that were given up, oldest first, with their reasons."""

    def retry_parked(self, tenant: str, fingerprint: str) -> int:
        """Let parked jobs wait again, as if never tried; how many."""

    def counts(self, fingerprint: str = "", *, tenant: str) -> dict[str, int]:
        """Of a tenant, by state: waiting, claimed, parked; and `oldest_seconds`. Of all models unless one is named."""


class WholeQueue(EmbeddingQueue, Protocol):
    """The queue as the operator sees it."""

    def totals(self, fingerprint: str = "") -> dict[str, int]:
        """As `counts`, of all tenants together."""


class EmbeddingModels(Protocol):
    """Which model the library is searched with: one for all repositories, because a question has one vector.

    The operator's: a switch concerns every tenant.
    """

    def in_use(self) -> EmbeddingModel | None:
        """The model that was switched to last; None before the first switch: then the settings decide."""

    def history(self) -> tuple[EmbeddingModel, ...]:
        """All that were in use, oldest first; each until the next one's `since`."""

    def switch(self, to: EmbeddingModel, *, instead_of: EmbeddingModel | None = None) -> bool:
        """Use a model from now on; whether it was not in use before. `to.since` is set here.

        One transaction, in which the jobs of the model before leave the queue, so that none waits for ever; going back
        queues them again. `instead_of`: what was used before the first switch.
        """

    def stored(self) -> tuple[str, ...]:
        """Fingerprints of all models that have vectors or jobs, of any tenant, in order."""

    def forget(self, fingerprint: str) -> Forgotten:
        """Remove a model's vectors and jobs, of all tenants. `Conflict` for the model in use."""


class ContextCache(Protocol):
    """Contexts that a model wrote. A purge removes those of the erased passages and those that no passage carries."""

    def get(self, tenant: str, key: str) -> str | None: ...

    def put(self, tenant: str, key: str, chunk_hash: str, context: str) -> None: ...


class WordVectors(Protocol):
    """What a model says of the words of a repository, so that each is embedded once and not by every node.

    Only words of passages that everybody may read. A purge forgets those of the whole repository in its transaction.
    """

    def get(self, scope: Scope, fingerprint: str, forms: Iterable[str]) -> dict[str, bytes]:
        """The vectors that are known, by form."""

    def put(self, scope: Scope, fingerprint: str, vectors: Mapping[str, bytes], *, purges: int) -> bool:
        """Keep vectors by form; those already there stay as they are.

        False, and nothing is kept, when the repository was purged since it had `purges`: a word may be an erased one.
        """

    def forget(self, scope: Scope, fingerprint: str = "") -> None:
        """Remove the words of a repository, or only those of one model."""


class UsageLedger(Protocol):
    def add(self, tenant: str, day: str, usage: Usage) -> None: ...

    def total(self, tenant: str, *, since: str = "", until: str = "") -> tuple[Usage, ...]:
        """Sums per (provider, model, purpose) over ISO days, both ends included."""


class Sources(Protocol):
    """What is remembered of the sources that feed a repository. It is written by commits (`Commit.sources`)."""

    def items(self, scope: Scope, source: str) -> dict[str, SourceItem]:
        """All items of the source, by name."""

    def elements(
        self, scope: Scope, source: str, items: Collection[str], *, after: str = "", limit: int | None = None
    ) -> tuple[SourceElement, ...]:
        """What these items gave, in order of the element ids, from the first beyond `after`."""

    def owners(self, scope: Scope, element_ids: Collection[str]) -> dict[str, tuple[str, SourceElement]]:
        """By element id the one source that gave it, and what is remembered of that; no entry: no source did."""
