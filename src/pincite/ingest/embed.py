"""Embedding, apart from ingest: texts wait in the catalog's queue, any number of workers give them their vectors.

Enqueue → claim → embed → store. A vector is stored and its job removed in one transaction, so that a worker may die at
any instant: what it held is claimed again when its lease lapses, and what it had stored is never embedded again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pincite import telemetry
from pincite.bookkeeping import Job
from pincite.errors import Locked
from pincite.index.entries import embedded_key, embedded_text
from pincite.ingest.embed_batches import Embedded, batches, embed_batch
from pincite.ingest.report import Progress, silent
from pincite.protocols import Catalog, Embedder, Index, Lexicon
from pincite.types import EmbeddedText, Scope

MAX_ENQUEUED_CHARACTERS = 8_000_000
"""Text per transaction while enqueuing."""
MAX_CLAIM = 4096
CLAIM_SECONDS = 5.0
"""How much work a fast worker claims at once; little enough that others get their share."""
BATCH_SECONDS = 0.25
"""How much work a fast worker puts into a batch: two transactions go with each."""
POLL_SECONDS = 0.25
TELL_SECONDS = 0.5
MAX_INDEX_SHARE, MAX_TELL_SHARE = 0.1, 0.05
"""Of the time, at most so much goes into showing the index what is there so far, and into counting what is left."""
MAX_LISTED = 20
MAX_EXCERPT = 80


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    batch_characters: int = 16_000
    """Text per call of the embedder, stored together; a kill costs no more than that."""
    max_batch_characters: int = 128_000
    """The same for an embedder that is so fast that storing would take longer than embedding."""
    claim_texts: int = 256
    """Texts claimed at once, at least: enough to put those of like length into one batch."""
    lease_seconds: float = 120.0
    """For how long a worker that says nothing is taken to be alive; no batch may take longer."""
    max_attempts: int = 5
    backoff_seconds: tuple[float, ...] = (1.0, 5.0, 20.0, 60.0)
    """How long a text waits after its first failure, its second, …"""
    index_seconds: float = 5.0
    """How often answers learn of new vectors."""
    retry_parked: bool = False
    """Whether texts that were given up are tried again."""


@dataclass(frozen=True, slots=True)
class Parked:
    """A text that was given up."""

    text: str
    """How it begins."""
    reason: str


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What a run did, and what is there now of the tenants that it worked for."""

    embedded: int = 0
    already_there: int = 0
    """Had their vectors before it was their turn."""
    failed: int = 0
    """Attempts that failed; each is tried again or parked."""
    parked: int = 0
    """Given up, in this run or before; answers do without them."""
    reasons: tuple[Parked, ...] = ()
    """Why, of the first few."""
    waiting: int = 0
    """Not embedded yet, because the run was stopped."""
    vectors: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Texts per second."""
        return self.embedded / self.seconds if self.seconds else 0.0

    @property
    def coverage(self) -> float:
        """Which share of the texts has its vectors; 1 when there are none."""
        texts = self.vectors + self.waiting + self.parked
        return self.vectors / texts if texts else 1.0


def enqueue(
    catalog: Catalog,
    scope: Scope,
    fingerprint: str,
    *,
    progress: Progress = silent,
    stop: threading.Event | None = None,
) -> int:
    """How many texts of the repository now wait for a vector that did not before; dead lifetimes count too.

    Only what was born since the last call is read; so also when `stop` cut that one short.
    """
    found = catalog.repositories.get(scope)
    head = found.head if found else 0
    after = catalog.queue.enqueued(scope, fingerprint)
    if after >= head:
        return 0
    added = characters = 0
    texts: dict[str, str] = {}
    for birth in catalog.feed.births(scope, after, head):
        if characters >= MAX_ENQUEUED_CHARACTERS:
            complete = birth.lifetime.born - 1  # of this revision there is more to come
            added += catalog.queue.add(scope, fingerprint, texts, upto=complete)
            progress("queueing", complete, head)
            texts, characters = {}, 0
            if stop and stop.is_set():
                return added
        for chunk in birth.derivation.chunks:
            key = embedded_key(birth.content, chunk)
            if key not in texts:
                texts[key] = embedded_text(birth.content, chunk).stored
                characters += len(texts[key])
    added += catalog.queue.add(scope, fingerprint, texts, upto=head)
    progress("queueing", head, head)
    return added


def embed(
    catalog: Catalog,
    index: Index,
    scopes: Sequence[Scope],
    embedder: Embedder,
    options: EmbedOptions | None = None,
    progress: Progress = silent,
    *,
    lexicon: Lexicon | None = None,
    stop: threading.Event | None = None,
) -> EmbedReport:
    """Give every text of the repositories its vectors, make them known to the index, and learn the words.

    Comes back when nothing waits any more, also not for other workers or for a retry; or, between two batches, when
    `stop` is set. `EmbeddingFailed` when the embedder itself does not work.
    """
    stop = stop or threading.Event()
    run = _Run(catalog, index, scopes, embedder, options or EmbedOptions(), progress, stop)
    with telemetry.span("embed", {telemetry.MODEL: embedder.name}):
        for scope in scopes:
            enqueue(catalog, scope, embedder.fingerprint, progress=progress, stop=stop)
        run.retry_parked()
        run.drain()
        run.show_index()
        if lexicon is not None and embedder.calibration.words is not None:
            for scope in scopes:
                lexicon.learn(scope, embedder, progress=progress, stop=stop)
        return run.report()


class _Run:
    """One worker under way: what it has done so far."""

    def __init__(
        self,
        catalog: Catalog,
        index: Index,
        scopes: Sequence[Scope],
        embedder: Embedder,
        options: EmbedOptions,
        progress: Progress,
        stop: threading.Event,
    ) -> None:
        self._catalog, self._queue, self._index = catalog, catalog.queue, index
        self._scopes, self._tenants = scopes, sorted({scope.tenant for scope in scopes})
        self._embedder, self._fingerprint = embedder, embedder.fingerprint
        self._options, self._progress, self._stop = options, progress, stop
        self._started = self._shown = self._told = time.monotonic()
        self._show_seconds = 0.0
        self._tell_seconds = 0.0
        self._total = 0
        self._claim_size, self._batch_size = options.claim_texts, options.batch_characters
        self._embedded = self._already_there = self._failed = 0

    def retry_parked(self) -> None:
        if self._options.retry_parked:
            for tenant in self._tenants:
                self._queue.retry_parked(tenant, self._fingerprint)

    def drain(self) -> None:
        """Work until nothing waits and nobody else holds anything that could come back."""
        self._tell()
        while not self._stop.is_set():
            if any(self._work(tenant) for tenant in self._tenants):
                continue
            if not self._tell():
                return
            self._stop.wait(POLL_SECONDS)

    def show_index(self) -> None:
        """Make the vectors that are there known to the index."""
        began = time.monotonic()
        for scope in self._scopes:
            self._index.take_vectors(scope, self._fingerprint)
        self._shown = time.monotonic()
        self._show_seconds = self._shown - began

    def report(self) -> EmbedReport:
        counts = self._counts()
        parked = [job for tenant in self._tenants for job in self._queue.parked(tenant, self._fingerprint, MAX_LISTED)]
        return EmbedReport(
            embedded=self._embedded,
            already_there=self._already_there,
            failed=self._failed,
            parked=counts["parked"],
            reasons=tuple(Parked(_excerpt(job), job.error) for job in parked[:MAX_LISTED]),
            waiting=counts["waiting"] + counts["claimed"],
            vectors=sum(self._catalog.vectors.counts(t).get(self._fingerprint, 0) for t in self._tenants),
            seconds=round(time.monotonic() - self._started, 3),
        )

    def _work(self, tenant: str) -> bool:
        """Claim some jobs and see to them; whether there were any. What is not begun goes back at once."""
        began = time.monotonic()
        lease = self._options.lease_seconds
        claimed = self._queue.claim(tenant, self._fingerprint, self._claim_size, lease_seconds=lease)
        held = deque(batches(self._set_aside(tenant, claimed), self._batch_size))
        texts = characters = 0
        try:
            # After half a lease the rest is claimed again: nobody must think that this worker is dead.
            while held and not self._stop.is_set() and time.monotonic() < began + lease / 2:
                self._embed(held[0])
                texts += len(held[0])
                characters += sum(len(job.text) for job in held.popleft())
                self._tell_sometimes()
                self._show_index_sometimes()
        finally:
            if time.monotonic() < began + lease:  # later they may be another's
                self._queue.release(job for batch in held for job in batch)
        self._adapt(texts, characters, time.monotonic() - began)
        return bool(claimed)

    def _adapt(self, texts: int, characters: int, seconds: float) -> None:
        """Claim and batch more where the embedder is fast."""
        options, seconds = self._options, max(seconds, 1e-6)
        self._claim_size = max(options.claim_texts, min(round(texts / seconds * CLAIM_SECONDS), MAX_CLAIM))
        wanted = min(round(characters / seconds * BATCH_SECONDS), options.max_batch_characters)
        self._batch_size = max(options.batch_characters, wanted)

    def _set_aside(self, tenant: str, jobs: Sequence[Job]) -> list[Job]:
        """The jobs that are to be embedded: without those that have vectors and those that kill their workers."""
        there = self._catalog.vectors.get(tenant, self._fingerprint, [job.text_hash for job in jobs])
        if there:
            found = {job: there[job.text_hash] for job in jobs if job.text_hash in there}
            self._already_there += self._queue.finish(found)
        todo = []
        for job in jobs:
            if job.text_hash in there:
                continue
            if job.attempts < self._options.max_attempts:
                todo.append(job)
                continue
            reason = f"its worker died while embedding it, at attempt {job.attempts} of {self._options.max_attempts}"
            self._queue.failed(job, f"{reason}; earlier: {job.error}" if job.error else reason, retry_seconds=None)
        return todo

    def _embed(self, batch: Sequence[Job]) -> None:
        jobs = self._queue.start(batch, lease_seconds=self._options.lease_seconds)
        if not jobs:
            return
        began = time.perf_counter()
        with telemetry.embedding(self._embedder.name, texts=len(jobs)) as span:
            made = embed_batch(self._embedder, jobs)
            span.set({telemetry.DIMENSIONS: self._embedder.dimensions, telemetry.FAILED: len(made.reasons)})
        self._tell_observers(made, time.perf_counter() - began)
        if made.vectors:
            self._embedded += self._queue.finish(made.vectors)
        for job, reason in made.reasons.items():
            self._failed += 1
            self._queue.failed(job, reason, retry_seconds=self._pause(job))

    def _tell_observers(self, made: Embedded, seconds: float) -> None:
        name = self._embedder.name
        telemetry.tell(telemetry.EMBEDDED, name, seconds, amount=len(made.vectors))
        if made.reasons:
            telemetry.tell(telemetry.EMBEDDED, name, 0.0, "failed", len(made.reasons))

    def _pause(self, job: Job) -> float | None:
        """How long a job waits after it failed; None when it was the last attempt."""
        if job.attempts >= self._options.max_attempts:
            return None
        pauses = self._options.backoff_seconds
        return pauses[min(job.attempts, len(pauses)) - 1]

    def _show_index_sometimes(self) -> None:
        pause = max(self._options.index_seconds, self._show_seconds / MAX_INDEX_SHARE)
        if time.monotonic() >= self._shown + pause:
            with suppress(Locked):  # another process works at the index; there is a next time
                self.show_index()
            self._shown = time.monotonic()

    def _tell_sometimes(self) -> None:
        if time.monotonic() >= self._told + max(TELL_SECONDS, self._tell_seconds / MAX_TELL_SHARE):
            self._tell()

    def _tell(self) -> int:
        """How many texts are left. Progress is that of all workers; what is added meanwhile raises the total."""
        began = time.monotonic()
        counts = self._counts()
        left = counts["waiting"] + counts["claimed"]
        self._total = max(self._total, left)
        self._progress("embedding", self._total - left, self._total)
        self._told = time.monotonic()
        self._tell_seconds = self._told - began
        return left

    def _counts(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for tenant in self._tenants:
            found.update(self._queue.counts(self._fingerprint, tenant=tenant))
        return found


def _excerpt(job: Job) -> str:
    return EmbeddedText.load(job.text).text[:MAX_EXCERPT]
