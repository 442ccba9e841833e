"""BEIR folders: corpus.jsonl {_id, title, text, metadata}, queries.jsonl {_id, text, metadata}, qrels/NAME.tsv."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.errors import InvalidArgument, NotFound
from pincite.eval.cases import Case, CaseSet, Judgement
from pincite.filters import filter_values
from pincite.ids import normalise_id

TAGS = ("type", "lang")
"""Metadata of a query by which results are reported separately."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one evaluation."""

    name: str
    corpus: Path
    queries: Path
    qrels: Path


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A row of a corpus."""

    id: str
    title: str
    text: str
    metadata: Mapping[str, Any]


def open_folder(folder: Path, qrels: str = "") -> Folder:
    """The files of a BEIR folder; judgements by name, `test` if there are several and none is named."""
    for name in ("corpus.jsonl", "queries.jsonl"):
        if not (folder / name).is_file():
            raise NotFound(f"{folder} is not a BEIR folder: it has no {name}", field="beir")
    found = {path.stem: path for path in sorted((folder / "qrels").glob("*.tsv"))}
    wanted = qrels.removesuffix(".tsv") or ("test" if "test" in found else next(iter(found)) if len(found) == 1 else "")
    if wanted not in found:
        known = ", ".join(found) or "none"
        what = f"no judgements {wanted!r}" if wanted else "several judgements and no test.tsv"
        raise NotFound(f"{folder} has {what}; choose one with --qrels: {known}", field="qrels", suggestions=list(found))
    return Folder(folder.resolve().name, folder / "corpus.jsonl", folder / "queries.jsonl", found[wanted])


def load_cases(queries: Path, qrels: Path, name: str) -> CaseSet:
    """The judged questions, in the order of the file; tags come from `metadata.type` and `metadata.lang`."""
    judged = load_qrels(qrels)
    cases = []
    seen: set[str] = set()
    for row in _rows(queries):
        case_id = _id(row)
        if case_id in seen:
            raise InvalidArgument(f"{queries.name}: two queries have the id {case_id!r}", field="queries")
        seen.add(case_id)
        if case_id not in judged:
            continue
        metadata = _metadata(queries, row)
        tags = tuple(f"{tag}:{value}" for tag in TAGS for value in filter_values(metadata.get(tag)))
        relevant = tuple(Judgement(normalise_id(doc), grade) for doc, grade in judged[case_id].items())
        cases.append(Case(case_id, str(row.get("text") or ""), relevant, tags))
    absent = judged.keys() - {case.id for case in cases}
    if not cases:
        raise InvalidArgument(f"{qrels.name} judges no query of {queries.name}", field="qrels")
    notes = (f"{len(absent)} judged queries are not in {queries.name}: {_few(absent)}",) if absent else ()
    return CaseSet(name, tuple(cases), notes=notes, qrels=qrels.stem)


def load_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Grades by query and document: three columns as in BEIR or four as in TREC; a header line is recognised."""
    out: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), start=1):
        columns = line.split("\t") if "\t" in line else line.split()
        if len(columns) == 4:
            columns = [columns[0], columns[2], columns[3]]
        if len(columns) == 3 and _is_grade(columns[2]):
            out.setdefault(columns[0].strip(), {})[columns[1].strip()] = int(float(columns[2]))
        elif number > 1 or len(columns) != 3:
            raise InvalidArgument(
                f"{path.name}, line {number}: expected query, document and grade, not {line[:80]!r}", field="qrels"
            )
    if not out:
        raise InvalidArgument(f"{path} contains no judgements", field="qrels")
    return out


def load_documents(corpus: Path) -> Iterator[CorpusRow]:
    """The documents of a corpus."""
    for row in _rows(corpus):
        metadata = _metadata(corpus, row)
        yield CorpusRow(normalise_id(_id(row)), str(row.get("title") or ""), str(row.get("text") or ""), metadata)


def _metadata(path: Path, row: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = row.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise InvalidArgument(f"{path.name}: metadata of {row['_id']!r} must be an object", field=path.stem)
    return metadata


def _id(row: Mapping[str, Any]) -> str:
    return str(row["_id"])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(path), start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidArgument(f"{path.name}, line {number} is not JSON: {error}", field=path.stem) from error
        if not isinstance(row, dict) or row.get("_id") in (None, ""):
            raise InvalidArgument(f"{path.name}, line {number}: expected an object with an `_id`", field=path.stem)
        yield row


def _lines(path: Path) -> Iterator[str]:
    """Non-empty lines. Only a newline ends one: texts may contain the other line separators of Unicode."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for line in file:
                if line.strip():
                    yield line.rstrip("\r\n")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {str(path)!r}", field=path.stem) from error
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8: {error}", field=path.stem) from error


def _is_grade(text: str) -> bool:
    try:
        return float(text) == int(float(text))
    except (ValueError, OverflowError):
        return False


def _few(names: set[str]) -> str:
    shown = sorted(names)[:3]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")
