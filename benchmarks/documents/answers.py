"""Are relevant places found, and what do words and names add to meaning? Asked of the libraries that `make eval` keeps.

Every judged question is asked once, as a caller would; what the dense leg alone would have answered is its own ranking.
A question has a relevant hit if one of the first ten documents or sections is judged relevant. A question that a leg
did not answer in time ends the run: its figures would be taken for the library's quality. A set whose library is not
there is built first, which takes minutes to hours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.__main__ import KEPT
from benchmarks.quality.sets import Corpus, present
from pincite.benches import Bench, BenchOptions, beir_bench
from pincite.eval.evaluate import evaluate
from pincite.eval.results import QuestionResult
from pincite.library import Library
from pincite.search.query import MAX_QUERY
from pincite.settings import Config
from pincite.settings.retrieval import Retrieval

SETS = ("site-policy", "k8s-docs", "contracts-aok-a", "swiss-statutes-de-a")
"""Policies, a manual, contracts, legislation."""
TIMED_SET = "swiss-statutes-de-a"
TOP = 10


class Answers(NamedTuple):
    """One set, or some of its questions."""

    name: str
    questions: int
    hit: float
    """Share with a relevant hit among the first ten."""
    hit_semantic: float
    ndcg: float
    ndcg_semantic: float

    @property
    def gain(self) -> float:
        """How much better hybrid is than semantic, in nDCG@10."""
        return self.ndcg / self.ndcg_semantic - 1 if self.ndcg_semantic else float("inf")


class Speed(NamedTuple):
    """Milliseconds of a search, hybrid, warm."""

    passages: int
    questions: int
    p50: float
    p95: float
    cpu_p50: float


def answers(data: Path) -> Iterator[Answers]:
    """The four sets, those with several kinds of question also kind by kind."""
    for corpus in present(data, SETS):
        with _bench(data, corpus) as bench:
            outcomes = evaluate(bench.library, bench.cases, bench.options).outcomes
        yield _of(corpus.folder, outcomes)
        kinds = sorted({tag for outcome in outcomes for tag in outcome.tags if tag.startswith("type:")})
        for kind in kinds if len(kinds) > 1 else ():
            yield _of(f"… {kind.removeprefix('type:')}", [item for item in outcomes if kind in item.tags])


def speed(data: Path) -> Iterator[Speed]:
    """Of one set, where it is there."""
    for corpus in present(data, (TIMED_SET,)):
        with _bench(data, corpus) as bench:
            yield _speed(bench.library, [case.query for case in bench.cases.cases])


def _bench(data: Path, corpus: Corpus) -> AbstractContextManager[Bench]:
    patient = Config(retrieval=Retrieval(deadline_seconds=600))
    options = BenchOptions(only=corpus.only, work=str(KEPT / "libraries" / "generic" / corpus.library))
    return beir_bench(data / corpus.folder, corpus.qrels, patient, options)


def _of(name: str, outcomes: Sequence[QuestionResult]) -> Answers:
    def mean(leg: str, metric: str) -> float:
        return sum(outcome.values[leg][metric] for outcome in outcomes if leg in outcome.values) / len(outcomes)

    def hits(leg: str) -> float:
        return sum(outcome.values[leg]["recall@10"] > 0 for outcome in outcomes if leg in outcome.values) / len(
            outcomes
        )

    return Answers(
        name, len(outcomes), hits("final"), hits("dense"), mean("final", "ndcg@10"), mean("dense", "ndcg@10")
    )


def _speed(library: Library, questions: list[str]) -> Speed:
    """Of a library as a new one would be: those that are kept carry every cut since they were made."""
    library.rebuild()
    walls, cpus = [], []
    for text in questions:
        wall, cpu = time.perf_counter(), time.process_time()
        library.search(text[:MAX_QUERY], limit=TOP)
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    walls, cpus = sorted(walls), sorted(cpus)
    passages = sum(status.chunks for _, status in library.status())
    return Speed(passages, len(walls), walls[len(walls) // 2], walls[len(walls) * 95 // 100], cpus[len(cpus) // 2])
