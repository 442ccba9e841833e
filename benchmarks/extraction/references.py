"""Cross-references against labels made by hand: how many are found, how many lead to the right place.

    python -m benchmarks.extraction references DATA

`labels/references-read.tsv` names the stretches of text that were read in full (half, corpus, document, from, to), also
those without any reference; `labels/references.tsv` the references in them (corpus, document, from, to, targets). A
target is a section of the document or of the work that it is a part of (`art.41(1)`), of another work (`or:art.41`), or
a document behind a link (`path#anchor`). Works as a whole ("this Act", "the AHVG") are not references to a section and
are not labelled. Rules were only changed after a look at the tuning half.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pincite.eval.beir import CorpusRow
from pincite.kinds.documents import cut, read_document
from pincite.kinds.documents.kind import DocumentsKind
from pincite.reading import Record
from pincite.text.identifiers import fold_name
from pincite.types import Content, Relation

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "samples" / "legislation"
FOLDERS = {"site-policy": "site-policy/docs", "k8s-docs": "k8s-docs/docs/en"}
STATUTES = "swiss-statutes-de-a"


@dataclass(frozen=True, slots=True)
class Label:
    start: int
    end: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A text that was read in full."""

    half: str
    corpus: str
    document: str
    start: int
    end: int
    labels: tuple[Label, ...]


@dataclass(slots=True)
class Counts:
    labelled: int = 0
    found: int = 0
    resolved: int = 0
    said: int = 0
    right: int = 0
    """Of what was said: how many mentions are labelled."""
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        for name in ("labelled", "found", "resolved", "said", "right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong += other.wrong


def main(data: Path | None) -> int:
    totals: dict[tuple[str, str], Counts] = {}
    for stretch in stretches():
        if data is None and stretch.corpus != "samples":
            continue
        counts = measure(stretch, data)
        for key in ((stretch.half, stretch.corpus), (stretch.half, "all")):
            totals.setdefault(key, Counts()).add(counts)
    print("| half | corpus | references | found | of these to the right place | precision of finding |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (half, corpus), counts in sorted(totals.items()):
        shares = (
            counts.found / counts.labelled,
            counts.resolved / max(1, counts.found),
            counts.right / max(1, counts.said),
        )
        print(f"| {half} | {corpus} | {counts.labelled} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    for (half, corpus), counts in sorted(totals.items()):
        for line in counts.wrong if corpus != "all" else ():
            print(f"{half}: {line}")
    return 0


def stretches() -> Iterator[Stretch]:
    labels: dict[tuple[str, str], list[Label]] = {}
    for corpus, document, start, end, targets in _rows("references.tsv"):
        labels.setdefault((corpus, document), []).append(Label(int(start), int(end), tuple(targets.split())))
    for half, corpus, document, start, end in _rows("references-read.tsv"):
        yield Stretch(half, corpus, document, int(start), int(end), tuple(labels.get((corpus, document), ())))


def _rows(name: str) -> Iterator[list[str]]:
    with (HERE / "labels" / name).open(encoding="utf-8", newline="") as file:
        yield from csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def measure(stretch: Stretch, data: Path | None) -> Counts:
    """Labels against what is extracted, by overlap of the mentions."""
    content, element_id, shift = content_of(stretch, data)
    said: dict[tuple[int, int], set[str]] = {}
    for relation in cut(content, element_id=element_id).relations:
        start, end = (int(str(at)) - shift for at in list(relation.metadata["span"]))  # type: ignore[arg-type]
        if stretch.start <= start < stretch.end:
            said.setdefault((start, end), set()).add(spelled(relation, element_id))
    counts = Counts(said=len(said), labelled=sum(len(label.targets) for label in stretch.labels))
    met: Counter[tuple[int, int]] = Counter()
    where = f"{stretch.corpus} {stretch.document}"
    for label in stretch.labels:
        overlapping = [span for span in said if span[0] < label.end and label.start < span[1]]
        met.update(overlapping)
        answers = set().union(*(said[span] for span in overlapping)) if overlapping else set()
        words = " ".join(content.text[label.start + shift : label.end + shift].split())
        if not overlapping:
            counts.wrong.append(f"{where}: not found {words!r}")
            continue
        counts.found += len(label.targets)
        for target in label.targets:
            if any(same(target, answer) for answer in answers):
                counts.resolved += 1
            else:
                counts.wrong.append(f"{where}: {words!r} is {target}, said {sorted(answers)}")
    counts.right = len(met)
    for span in said.keys() - met.keys():
        counts.wrong.append(f"{where}: no reference {content.text[span[0] + shift : span[1] + shift]!r}")
    return counts


def spelled(relation: Relation, element_id: str) -> str:
    """The target of a relation as labels spell it."""
    if relation.target == element_id:
        return relation.target_section
    if "address" in relation.metadata:
        return f"{relation.target}#{relation.target_section}"
    if "work" in relation.metadata:
        return f"{relation.target}:{relation.target_section}"
    return relation.target_section or relation.target.partition(".")[2]


def same(label: str, answer: str) -> bool:
    """Whether a label means what was said; the name of a work may go on ("Bundesgesetz vom …")."""
    work, colon, section = label.partition(":")
    if not colon or "#" in label:
        return label.lower() == answer.lower()
    said_work, _, said_section = answer.rpartition(":")
    return said_section == section and fold_name(said_work).startswith(fold_name(work))


def content_of(stretch: Stretch, data: Path | None) -> tuple[Content, str, int]:
    """The document as an ingest reads it, its id, and by how much its text is shifted against the labelled one."""
    if stretch.corpus == "samples":
        return read_document(SAMPLES / stretch.document, stretch.document).content, stretch.document, 0
    assert data is not None
    if stretch.corpus != STATUTES:
        path = data / FOLDERS[stretch.corpus] / stretch.document
        return read_document(path, stretch.document).content, stretch.document, 0
    document = _statutes(data)[stretch.document]
    read = DocumentsKind().interpret(Record(document.id, document.title, document.text))
    assert read is not None
    text = read.states[0].content.text
    metadata = {key: value for key, value in document.metadata.items() if isinstance(value, str)}
    content = Content("document", "document", document.title, text, "de", {**metadata, "file_type": "md"})
    return content, document.id, len(text) - len(document.text)


@cache
def _statutes(data: Path) -> dict[str, CorpusRow]:
    found = {}
    with (data / STATUTES / "corpus.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            found[row["_id"]] = CorpusRow(row["_id"], row["title"], row["text"], row["metadata"])
    return found
