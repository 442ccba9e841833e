"""Which questions are asked of what: golden or judged queries, of the library or of a corpus with its own library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.cli.session import GlobalOptions, Update, parse_filters
from pincite.errors import InvalidArgument

if TYPE_CHECKING:
    from pincite.benches import Bench
    from pincite.eval.cases import CaseSet


@dataclass(frozen=True, slots=True)
class Corpus:
    """Options for questions that are asked of a corpus instead of the library."""

    beir: str
    qrels: str
    corpus: str
    queries: str
    kind: str
    only: tuple[str, ...]
    mixed: bool
    work: str


@dataclass(frozen=True, slots=True)
class EvaluationTarget:
    """Which questions to ask, and of which library or corpus."""

    here: GlobalOptions
    golden: str
    corpus: Corpus
    repositories: tuple[str, ...]
    read_context: str
    progress: Update

    @contextmanager
    def bench(self, *, asks: bool = True) -> Iterator[Bench]:
        """The library and the questions; without `asks` there are no questions."""
        from pincite.benches import Bench, BenchOptions, beir_bench, corpus_bench
        from pincite.eval.evaluate import EvaluateOptions

        given = self.corpus
        if given.beir and (given.corpus or given.queries or self.golden):
            raise InvalidArgument("--beir has its own corpus and queries; remove the other options", field="beir")
        only = {
            key: value if isinstance(value, list) else [value]
            for key, value in parse_filters(given.only, "--only").items()
        }
        config = self.here.settings()
        if given.beir:
            options = BenchOptions(given.kind or "generic", only, given.mixed, given.work)
            with beir_bench(Path(given.beir).expanduser(), given.qrels, config, options, self.progress) as bench:
                yield bench
        elif given.corpus:
            fallback = "generic" if given.corpus.endswith(".jsonl") else "documents"
            options = BenchOptions(given.kind or fallback, only, given.mixed, given.work)
            cases = self._cases(config.gate.golden, asks=asks)
            with corpus_bench(given.corpus, cases, config, options, self.progress) as bench:
                yield bench
        else:
            cases = self._cases(config.gate.golden, asks=asks)
            with self.here.open() as library:
                yield Bench(
                    library,
                    cases,
                    EvaluateOptions(
                        cases.name, given.kind or "documents", self.repositories, self.read_context or None
                    ),
                )

    def asks_the_gate(self) -> bool:
        """Whether the golden queries of the configuration are asked; then its bounds apply too."""
        given = self.corpus
        return not (self.golden or given.beir or given.queries) and bool(self.here.settings().gate.golden)

    def _cases(self, configured: str, *, asks: bool) -> CaseSet:
        from pincite.eval.beir import load_cases
        from pincite.eval.cases import CaseSet
        from pincite.eval.golden import load_golden

        given = self.corpus
        if not asks:
            return CaseSet("", ())
        if bool(given.queries) != bool(given.qrels):
            raise InvalidArgument(
                "--queries and --qrels must be given together: questions and their judgements (--beir FOLDER has both)",
                field="queries",
            )
        if given.queries:
            return load_cases(Path(given.queries), Path(given.qrels), Path(given.queries).stem)
        golden = self.golden or configured
        if not golden:
            raise InvalidArgument(
                "there are no questions: pass a golden file, a BEIR folder (--beir), or --queries with --qrels; create"
                " a first golden file with: pincite eval --suggest --out golden.yaml",
                field="golden",
            )
        return load_golden(Path(golden).expanduser())
