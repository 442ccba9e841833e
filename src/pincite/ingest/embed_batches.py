"""From claimed jobs to vectors: which texts go together, what an embedder made of them, and what was wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from pincite.advice import by_operator
from pincite.bookkeeping import Job
from pincite.errors import EmbeddingFailed, PinciteError
from pincite.fixed import NORM_TOLERANCE, pack, to_fixed
from pincite.meaning import Floats
from pincite.protocols import Embedder, PassageEmbedder
from pincite.types import EmbeddedText

MAX_REASON = 500
PROBE = "A text that any model can embed."


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of a batch: every job is in one of the two."""

    vectors: dict[Job, bytes] = field(default_factory=dict)
    reasons: dict[Job, str] = field(default_factory=dict)


def batches(jobs: Iterable[Job], max_characters: int) -> Iterator[tuple[Job, ...]]:
    """Texts of like length together, long ones first, so that little is padded; each batch holds at least one.

    What was tried before goes alone: it may be what fails its batch, or what its last worker died of.
    """
    batch: list[Job] = []
    characters = 0
    for job in sorted(jobs, key=lambda job: (bool(job.attempts), -len(job.text), job.text_hash)):
        if batch and (job.attempts or characters + len(job.text) > max_characters):
            yield tuple(batch)
            batch, characters = [], 0
        batch.append(job)
        characters += len(job.text)
    if batch:
        yield tuple(batch)


def embed_batch(embedder: Embedder, jobs: Sequence[Job]) -> Embedded:
    """All windows in one call. If it fails, the text at fault is found by halving; the others get their vectors.

    `EmbeddingFailed` when the embedder fails for any text: then no text is at fault.
    """
    try:
        return _embed_together(embedder, jobs)
    except Exception as error:  # noqa: BLE001  (models raise what they like)
        probe(embedder)
        return _halve(embedder, jobs, error)


def probe(embedder: Embedder) -> None:
    """Raise `EmbeddingFailed` unless the embedder can embed a plain sentence."""
    try:
        _call(embedder, (PROBE,))
    except Exception as error:
        raise EmbeddingFailed(
            f"{embedder.name} cannot embed at present: {reason_of(error)}; waiting texts stay in the queue; when that"
            f" is fixed, {by_operator('continue with', 'pincite embed')}"
        ) from error


def reason_of(error: BaseException) -> str:
    """Why something failed, in words that can be stored."""
    said = error.message if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"
    return said.encode("utf-8", "backslashreplace").decode()[:MAX_REASON]


def _embed_together(embedder: Embedder, jobs: Sequence[Job]) -> Embedded:
    out = Embedded()
    passages = [EmbeddedText.load(job.text) for job in jobs]
    for job, vectors in zip(jobs, _vectors(embedder, passages), strict=True):
        if flaw := _flaw(vectors):
            out.reasons[job] = flaw
        else:
            out.vectors[job] = pack(to_fixed(vectors))
    return out


def _vectors(embedder: Embedder, passages: Sequence[EmbeddedText]) -> Sequence[Floats]:
    """The vectors of each passage's windows."""
    windows = [embedder.windows(passage) for passage in passages]
    if not isinstance(embedder, PassageEmbedder):
        rows = _call(embedder, [window for texts in windows for window in texts])
        return np.split(rows, list(accumulate(map(len, windows)))[:-1])
    found = embedder.embed_passages(passages)
    for texts, vectors in zip(windows, found, strict=True):
        _check_shape(embedder, vectors, len(texts))
    return found


def _halve(embedder: Embedder, jobs: Sequence[Job], error: Exception) -> Embedded:
    """What the halves of a batch give that failed as a whole."""
    if len(jobs) == 1:
        return Embedded(reasons={jobs[0]: reason_of(error)})
    out = Embedded()
    middle = len(jobs) // 2
    for half in (jobs[:middle], jobs[middle:]):
        try:
            found = _embed_together(embedder, half)
        except Exception as trouble:  # noqa: BLE001
            found = _halve(embedder, half, trouble)
        out.vectors.update(found.vectors)
        out.reasons.update(found.reasons)
    return out


def _call(embedder: Embedder, texts: Sequence[str]) -> Floats:
    rows = embedder.embed(texts)
    _check_shape(embedder, rows, len(texts))
    return rows


def _check_shape(embedder: Embedder, rows: Floats, texts: int) -> None:
    if rows.shape != (texts, embedder.dimensions):
        raise EmbeddingFailed(
            f"{embedder.name} returned an array of shape {rows.shape} for {texts} text(s) of {embedder.dimensions}"
            " dimensions"
        )


def _flaw(vectors: Floats) -> str:
    """What keeps vectors from being stored; empty when nothing does."""
    if not len(vectors):
        return "it cannot be embedded: it has no windows"
    if not np.isfinite(vectors).all():
        return "its vector holds NaN or infinity"
    lengths = np.linalg.norm(np.asarray(vectors, dtype=np.float64), axis=1)
    worst = float(lengths[np.argmax(np.abs(lengths - 1))])
    return "" if abs(worst - 1) <= NORM_TOLERANCE else f"its vector has length {worst:.4f} instead of 1"
