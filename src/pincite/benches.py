"""Benches: libraries built for questions that come with their own corpus; temporary unless a folder is given."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.eval import beir
from pincite.eval.cases import CaseSet
from pincite.eval.corpus import check_kind, chosen, fill
from pincite.eval.evaluate import EvaluateOptions
from pincite.ingest.report import Progress, silent
from pincite.library import Library, check_source
from pincite.settings import Config

MARK = "evaluation"
"""File in a kept library that says which corpus it was built from."""
_PAIR = re.compile(r"[a-z]{2}-([a-z]{2})")
"""How judgements across languages are named: language of the queries, language of the documents."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A library with a corpus, and the questions to ask."""

    library: Library
    cases: CaseSet
    options: EvaluateOptions


@dataclass(frozen=True, slots=True)
class BenchOptions:
    kind: str = "generic"
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Only documents whose metadata has one of these values are put into the library."""
    mixed: bool = False
    """Keep documents of all languages even if the judgements name one."""
    work: str = ""
    """Folder in which the library is kept for the next run; empty: the library is temporary."""


@contextmanager
def beir_bench(
    folder: Path, qrels: str, config: Config, options: BenchOptions, progress: Progress = silent
) -> Iterator[Bench]:
    """A BEIR folder. Queries judged in `fr-de` search the German documents, unless `mixed` or `only` is set."""
    files = beir.open_folder(folder, qrels)
    cases = beir.load_cases(files.queries, files.qrels, files.name)
    only, unstated = options.only, False
    pair = _PAIR.fullmatch(files.qrels.stem)
    if pair and not only and not options.mixed:
        only, unstated = {"lang": (pair[1],)}, True
    with _library(
        config, options.work, f"beir {files.name} {files.corpus.resolve()} {options.kind} {dict(only)}"
    ) as library:
        documents = beir.load_documents(files.corpus)
        total = sum(1 for _ in documents) if only else 0
        documents = chosen(beir.load_documents(files.corpus), only, unstated=unstated)
        filled = fill(library, documents, options.kind, progress)
        notes = [f"{filled.empty} documents have no text"] if filled.empty else []
        if only and filled.documents < total:
            wanted = ", ".join(f"{key}={'|'.join(values)}" for key, values in only.items())
            why = f", because of the judgements {files.qrels.stem} (--mixed searches all)" if unstated else ""
            notes.append(f"searched the {filled.documents:,} of {total:,} documents with {wanted}{why}")
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
        if options.kind != "documents":
            raise UnknownArgument.named("kind of files", options.kind, ["documents"], field="kind")
        if options.only:
            raise InvalidArgument("--only checks the metadata of rows; files have none", field="only")
    with _library(config, options.work, f"corpus {path.resolve()} {options.kind} {dict(options.only)}") as library:
        if is_rows:
            fill(library, chosen(beir.load_documents(path), options.only), options.kind, progress)
            notes: list[str] = []
        else:
            report = library.ingest(source, embedding=False, progress=progress)
            if library.config.dense != "off":
                library.embed(progress=progress)
            notes = [f"not read: {item.path}: {item.reason}" for item in report.failed]
            notes += [f"{len(report.skipped)} files were skipped"] if report.skipped else []
        yield Bench(library, replace(cases, notes=(*cases.notes, *notes)), EvaluateOptions(cases.name, options.kind))


@contextmanager
def _library(config: Config, work: str, corpus: str) -> Iterator[Library]:
    """A library with the given settings in a separate folder."""
    with tempfile.TemporaryDirectory(prefix="pincite-eval-") as place:
        folder = _claimed(Path(work).expanduser(), corpus) if work else Path(place) / "library"
        with Library(config.model_copy(update={"library": str(folder)})) as library:
            yield library


def _claimed(folder: Path, corpus: str) -> Path:
    """The folder, if it is new or was built from this corpus: nobody's own library is ever changed."""
    mark = folder / MARK
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(corpus, encoding="utf-8")
    if not mark.is_file() or mark.read_text(encoding="utf-8") != corpus:
        what = "was built from another corpus" if mark.is_file() else "was not created by an evaluation"
        raise InvalidArgument(f"--work {str(folder)!r} {what}; choose a new folder", field="work")
    return folder
