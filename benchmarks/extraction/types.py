"""Types of passages against labels made by hand: which are called rightly so, and which are missed.

    python -m benchmarks.extraction types DATA

`labels/types.tsv` names 150 passages by corpus, document and the hash of their text, with the number of passages that
each stands for and its type. They were drawn by the hash of their place, a fixed number of each type that the rules
gave, so that the rare types are judged by more than a handful; the number undoes that. They stand for all of
site-policy and samples/legislation, and for 250 pages of k8s-docs and 250 articles of swiss-statutes-de-a, drawn
likewise. The label was given by reading, without sight of the rules' answer: a requirement if at least half of the
sentences oblige or forbid (also in the words "hat zu", "is responsible for", and the plain indicative in which statutes
charge an authority), a reference if the passage does little but point elsewhere. Of long passages the first 520
characters were read, of doubtful ones 1,500.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.extraction.references import Stretch, content_of
from pincite.kinds.documents import cut

LABELS = Path(__file__).parent / "labels" / "types.tsv"
TYPES = ("requirement", "reference")


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled passage and what the rules say of it."""

    corpus: str
    weight: float
    label: str
    said: str


def main(data: Path | None) -> int:
    judged, lost = [], 0
    for corpus, document, text_hash, weight, label in _rows():
        if data is None and corpus != "samples":
            continue
        said = _types(corpus, document, data).get(text_hash)
        lost += said is None
        if said is not None:
            judged.append(Judged(corpus, float(weight), label, said))
    print("| type | corpus | labelled so | called so | precision | recall (weighted) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in TYPES:
        for corpus in ("all", *sorted({one.corpus for one in judged})):
            print(_line(name, corpus, [one for one in judged if corpus in ("all", one.corpus)]))
    if lost:
        print(f"{lost} passages are cut differently now and were not counted")
    return 0


def _line(name: str, corpus: str, judged: Sequence[Judged]) -> str:
    precision, recall = shares(name, judged)
    labelled, called = sum(one.label == name for one in judged), sum(one.said == name for one in judged)
    return f"| {name} | {corpus} | {labelled} | {called} | {_percent(precision)} | {_percent(recall)} |"


def shares(name: str, judged: Sequence[Judged]) -> tuple[float | None, float | None]:
    """Precision and recall of a type, each passage counted for as many as it stands for; None of nothing."""
    called = sum(one.weight for one in judged if one.said == name)
    labelled = sum(one.weight for one in judged if one.label == name)
    both = sum(one.weight for one in judged if one.said == one.label == name)
    return both / called if called else None, both / labelled if labelled else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _rows() -> Iterator[list[str]]:
    with LABELS.open(encoding="utf-8", newline="") as file:
        yield from csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def _types(corpus: str, document: str, data: Path | None) -> dict[str, str]:
    """The passages of a document: hash of the text → type."""
    content, _, _ = content_of(Stretch("", corpus, document, 0, 0, ()), data)
    chunks = [chunk for chunk in cut(content).chunks if chunk.span]
    return {
        text_hash(content.text[chunk.span.start : chunk.span.end]): chunk.chunk_type for chunk in chunks if chunk.span
    }


def text_hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
