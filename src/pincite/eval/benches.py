"""Benches: where questions are asked that bring their own corpus — a library made for them, kept only when asked to."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pincite.config import Config
from pincite.errors import InvalidArgument, NotFound
from pincite.eval import beir
from pincite.eval.cases import CaseSet
from pincite.eval.corpus import check_kind, chosen, fill
from pincite.eval.evaluate import EvaluateOptions
from pincite.ingest.spine import Progress, silent
from pincite.library import Library, check_source

_PAIR = re.compile(r"[a-z]{2}-([a-z]{2})")
"""How judgements between languages are named: language of the queries, language of the documents."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A library that holds a corpus, and the questions to ask of it."""

    library: Library
    cases: CaseSet
    options: EvaluateOptions


@dataclass(frozen=True, slots=True)
class BenchOptions:
    kind: str = "generic"
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Documents whose metadata has one of these values; others are left out of the library."""
    mixed: bool = False
    """Keep documents of all languages though the judgements are named after one."""
    work: str = ""
    """Folder in which the library is kept for the next run; empty: it is temporary."""


@contextmanager
def beir_bench(
    folder: Path, qrels: str, config: Config, options: BenchOptions, progress: Progress = silent
) -> Iterator[Bench]:
    """A BEIR folder. Judgements named `fr-de` are asked of the German documents, unless `mixed` or `only` say else."""
    files = beir.open_folder(folder, qrels)
    cases = beir.load_cases(files.queries, files.qrels, files.name)
    only, unstated = options.only, False
    pair = _PAIR.fullmatch(files.qrels.stem)
    if pair and not only and not options.mixed:
        only, unstated = {"lang": (pair[1],)}, True
    with _library(config, options.work) as library:
        documents = beir.load_documents(files.corpus)
        total = sum(1 for _ in documents) if only else 0
        documents = chosen(beir.load_documents(files.corpus), only, unstated=unstated)
        filled = fill(library, documents, options.kind, progress)
        notes = [f"{filled.empty} documents have no text"] if filled.empty else []
        if only and filled.documents < total:
            wanted = ", ".join(f"{key}={'|'.join(values)}" for key, values in only.items())
            why = f", as the judgements {files.qrels.stem} say (--mixed asks all)" if unstated else ""
            notes.append(f"asked of the {filled.documents:,} documents with {wanted} among {total:,}{why}")
        if not filled.passages:
            raise InvalidArgument(f"no document of {files.corpus} has text to search", field="corpus")
        cases = replace(cases, notes=(*cases.notes, *notes))
        yield Bench(library, cases, EvaluateOptions(files.name, options.kind))


@contextmanager
def corpus_bench(
    source: str, cases: CaseSet, config: Config, options: BenchOptions, progress: Progress = silent
) -> Iterator[Bench]:
    """Any source that can be ingested, or a file of documents (`.jsonl`), with questions from elsewhere."""
    path = Path(source).expanduser()
    is_rows = path.suffix.lower() == ".jsonl"
    check_kind(options.kind)
    if is_rows and not path.is_file():
        raise NotFound(f"there is no corpus {source!r}", field="corpus")
    if not is_rows:
        check_source(source)
    with _library(config, options.work) as library:
        if is_rows:
            fill(library, chosen(beir.load_documents(path), options.only), options.kind, progress)
            notes: list[str] = []
        else:
            report = library.ingest(source, progress=progress)
            notes = [f"not read: {item.path}: {item.reason}" for item in report.failed]
            notes += [f"{len(report.skipped)} files were passed over"] if report.skipped else []
        kind = options.kind if is_rows else "documents"
        yield Bench(library, replace(cases, notes=(*cases.notes, *notes)), EvaluateOptions(cases.name, kind))


@contextmanager
def _library(config: Config, work: str) -> Iterator[Library]:
    """A library with the given settings in a place of its own."""
    with tempfile.TemporaryDirectory(prefix="pincite-eval-") as place:
        folder = Path(work).expanduser() if work else Path(place) / "library"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with Library(config.model_copy(update={"library": str(folder)})) as library:
            yield library
