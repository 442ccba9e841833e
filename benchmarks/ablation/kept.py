"""Kept: the libraries that `make eval` leaves in .eval, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality.__main__ import KEPT
from benchmarks.quality.sets import Corpus
from pincite.benches import Bench, BenchOptions, beir_bench
from pincite.library import Library
from pincite.settings import Config
from pincite.settings.retrieval import Retrieval

FOLDER = KEPT / "ablation"
CONFIG = Config(retrieval=Retrieval(deadline_seconds=600))
"""The defaults, but for a patience that a busy machine cannot wear out."""


@dataclass(frozen=True, slots=True)
class State:
    """What a library holds."""

    library_id: str
    revision: int
    model: str
    """Fingerprint of the embedder."""
    vectors: int
    """Texts that have their vectors …"""
    waiting: int
    """… and those that wait or were given up; -1 when some are not even queued."""

    @property
    def is_complete(self) -> bool:
        return self.vectors > 0 and self.waiting == 0


def state_of(corpus: Corpus, kind: str) -> State | None:
    """The state of the set's kept library; None when there is none."""
    if not (_folder(corpus, kind) / "catalog.db").is_file():
        return None
    with opened(corpus, kind) as library:
        return read_state(library)


def read_state(library: Library) -> State:
    scope, model = library.scope(), library.embedder.fingerprint
    info = library.catalog.repositories.get(scope)
    head = info.head if info else 0
    counts = library.catalog.queue.counts(model, tenant=scope.tenant)
    waiting = sum(counts.get(name, 0) for name in ("waiting", "claimed", "parked"))
    if library.catalog.queue.enqueued(scope, model) < head:
        waiting = -1
    vectors = library.catalog.vectors.counts(scope.tenant).get(model, 0)
    return State(library.catalog.library_id, head, model, vectors, waiting)


@contextmanager
def opened(corpus: Corpus, kind: str) -> Iterator[Library]:
    """The kept library of a set, to read."""
    with Library(CONFIG.model_copy(update={"library": str(_folder(corpus, kind))})) as library:
        yield library


@contextmanager
def built(data: Path, corpus: Corpus, kind: str) -> Iterator[Bench]:
    """The library of a set, brought in line with its corpus as `make eval` does, and its questions."""
    options = BenchOptions(kind, corpus.only, work=str(_folder(corpus, kind)))
    with beir_bench(data / corpus.folder, corpus.qrels, CONFIG, options) as bench:
        yield bench


def _folder(corpus: Corpus, kind: str) -> Path:
    return KEPT / "libraries" / kind / corpus.library
