"""Second look: a reranker reads the best passages together with the question, and its judgement is blended in.

Below the exact tier every score becomes (1 - weight) · score + weight · judgement. The first `depth` candidates are
judged; what lies beyond counts as judged with 0. So nothing that was not read can pass what was, scores still fall from
the first to the last, and the order beyond the depth stays. The depth does not follow the page: pages are stable.

A reranker that fails or takes too long changes nothing: the answer goes without it and its report says why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass, replace

from pincite import telemetry
from pincite.errors import PinciteError, Unavailable
from pincite.index.entries import embedded_text
from pincite.protocols import Reranker
from pincite.queries import Found
from pincite.search.candidates import Candidate
from pincite.search.excerpts import Excerpts
from pincite.search.query import LegReport, LegScore, Query, Reader
from pincite.search.reranking import MODES
from pincite.types import Excerpt

GRID = 65_536
"""Judgements are rounded to so many steps: finer than a model can judge, coarser than the last bits of a sum."""
AT_ONCE = 4
"""Passages given to the reranker in one call; between calls it notices that nobody waits any more."""

_SIDE = ThreadPoolExecutor(max_workers=4, thread_name_prefix="pincite-rerank")


@dataclass(frozen=True, slots=True)
class Looked:
    """The order after the second look, and how that went."""

    candidates: Sequence[Candidate]
    reports: tuple[LegReport, ...] = ()
    before: Sequence[Candidate] = ()
    """The order without the reranker; empty where none takes part."""


def look_again(reader: Reader, query: Query, text: str, candidates: Sequence[Candidate], read: Excerpts) -> Looked:
    """The candidates in the order that the reranker gives them, or as they are, with the reason."""
    pin, reranking = reader.ranking.reranker, reader.reranking
    if pin is None:
        idle = (LegReport("rerank", reranking.status, reason=reranking.off),) if reranking.off else ()
        return Looked(candidates, idle)
    if query.mode not in MODES:
        return Looked(candidates, (LegReport("rerank", "off", reason=f"not part of mode {query.mode}"),))
    assert reranking.reranker is not None
    exact = [candidate for candidate in candidates if "exact" in candidate.legs]
    below = candidates[len(exact) :]
    started = time.perf_counter()
    try:
        texts = _texts(read, below[: pin.depth])
        about: telemetry.Attributes = {
            telemetry.RERANKER: reranking.reranker.name,
            telemetry.RERANKED: len(texts),
        }
        with telemetry.span(f"rerank {reranking.reranker.name}", about):
            judged = _within(reranking.deadline_seconds, reranking.reranker, text, texts)
    except PinciteError as problem:
        failed = LegReport("rerank", "unavailable", 0, _since(started), problem.message)
        return Looked(candidates, (failed,), candidates)
    ranked = (*exact, *blend(below, judged, pin.weight))
    report = LegReport("rerank", "ok", len(judged), _since(started), reranking.note)
    return Looked(ranked, (report,), candidates)


def blend(candidates: Sequence[Candidate], judged: Sequence[float], weight: float) -> list[Candidate]:
    """The candidates with blended scores: the judged ones, which come first, in their new order, then the others."""
    by_judgement = sorted(range(len(judged)), key=lambda at: (-judged[at], at))
    ranks = {at: rank for rank, at in enumerate(by_judgement, start=1)}
    read = []
    for at, score in enumerate(judged):
        plain = _scaled(candidates[at], 1 - weight)
        found = LegScore(ranks[at], score, score, plain.found.chunk)
        read.append(
            replace(
                plain,
                score=plain.score + weight * score,
                legs={**plain.legs, "rerank": found},
                signals={**plain.signals, "rerank": weight * score},
            )
        )
    beyond = [_scaled(candidate, 1 - weight) for candidate in candidates[len(judged) :]]
    return [*sorted(read, key=Candidate.order), *beyond]


def _scaled(candidate: Candidate, share: float) -> Candidate:
    signals = {name: share * value for name, value in candidate.signals.items()}
    return replace(candidate, score=share * candidate.score, signals=signals)


def _within(seconds: float, reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """The judgements, if they come in time."""
    nobody_waits = threading.Event()

    def judge() -> list[float]:
        out: list[float] = []
        for start in range(0, len(texts), AT_ONCE):
            if nobody_waits.is_set():
                break
            some = texts[start : start + AT_ONCE]
            out += _checked(reranker, len(some), [float(value) for value in reranker.score(query, some)])
        return out

    try:
        return _SIDE.submit(judge).result(timeout=seconds)
    except TooLate:
        nobody_waits.set()
        raise Unavailable(f"it took longer than {seconds:g} s") from None


def _checked(reranker: Reranker, count: int, scores: Sequence[float]) -> list[float]:
    """On the grid. One number outside 0 to 1, or one too few, would spoil every score."""
    if len(scores) != count or not all(0 <= score <= 1 for score in scores):
        raise Unavailable(f"{reranker.name} gave {list(scores)} for {count} passages; scores lie between 0 and 1")
    return [round(score * GRID) / GRID for score in scores]


def _texts(read: Excerpts, candidates: Sequence[Candidate]) -> list[str]:
    """Each passage under its headings, as the dense leg sees it; nothing for one that was erased a moment ago."""
    read.fetch(candidate.found for candidate in candidates)
    return [_text(candidate.found, read.of(candidate.found)) for candidate in candidates]


def _text(found: Found, excerpt: Excerpt | None) -> str:
    if excerpt is None or found.chunk not in excerpt.chunks:
        return ""
    seen = embedded_text(excerpt.version.content, excerpt.chunks[found.chunk])
    return f"{seen.context}\n\n{seen.text}" if seen.context else seen.text


def _since(started: float) -> float:
    return round(1000 * (time.perf_counter() - started), 3)
