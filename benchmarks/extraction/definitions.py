"""Definitions against the labelled sample: which were found, which were missed, which are none.

Labels name a document, the stretch of it that was read in full, and for every definition in that stretch the term
and where it stands. A definition is found if one of the same term (but for case and accents) has a span that holds
that place. Texts of the corpora are not in this repository: labels point into the folder DATA.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pincite.catalog.folding import fold_term
from pincite.kinds.documents import CutOptions, cut
from pincite.kinds.documents.read import read_document
from pincite.text.language import identify
from pincite.types import Content, Definition

LABELS = Path(__file__).parents[2] / "tests" / "kinds" / "labelled" / "definitions"
PARTS = ("tuning", "held-out")


@dataclass(frozen=True, slots=True)
class Label:
    term: str
    at: int
    scope: str = ""
    """Empty where the sample does not say."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A stretch of a document in which every definition is labelled."""

    document: str
    part: str
    start: int
    end: int
    labels: tuple[Label, ...]

    @property
    def group(self) -> str:
        """The corpus, or "own text"."""
        name = self.document.split("/", 1)[0]
        return "own text" if name == "texts" else name


@dataclass
class Counts:
    """What became of the labels, and what was found beside them."""

    right: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + len(self.missed))

    def add(self, other: Counts) -> None:
        self.right += other.right
        self.missed += other.missed
        self.wrong += other.wrong


def labelled(name: str) -> list[Labelled]:
    """The labels of one file: `own` or `corpora`."""
    rows = [json.loads(line) for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Labelled(row["document"], row["part"], row["from"], row["to"], tuple(Label(*d) for d in row["definitions"]))
        for row in rows
    ]


def content_of(document: str, root: Path) -> Content:
    """A labelled document: a file, or with `#id` a line of a corpus."""
    name, _, wanted = document.partition("#")
    if not wanted:
        return read_document(root / name, document).content
    lines = (root / name).read_text(encoding="utf-8").splitlines()
    row = next(row for line in lines if wanted in line and (row := json.loads(line))["_id"] == wanted)
    text = str(row["text"])
    metadata = {"file_type": "txt", "source_path": wanted}
    return Content("document", "document", str(row["title"]), text, identify(text), metadata)


def extracted(content: Content) -> tuple[Definition, ...]:
    return cut(content, CutOptions()).definitions


def compare(sample: Labelled, found: tuple[Definition, ...]) -> Counts:
    """Labels and finds of one stretch, each used once."""
    counts = Counts()
    here = [d for d in found if d.span and sample.start <= d.span.start < sample.end]
    left = list(here)
    for label in sample.labels:
        match = next((d for d in left if _is(d, label)), None)
        if match is None:
            counts.missed.append(f"{sample.document}: {label.term}")
        else:
            counts.right += 1
            left.remove(match)
    counts.wrong += [f"{sample.document}: {d.term}: {' '.join(d.text.split())[:80]}" for d in left]
    return counts


def _is(definition: Definition, label: Label) -> bool:
    span = definition.span
    assert span is not None
    in_scope = not label.scope or definition.scope == label.scope
    return in_scope and span.start <= label.at < span.end and fold_term(definition.term) == fold_term(label.term)


def measure(samples: list[Labelled], root: Path) -> dict[tuple[str, str], Counts]:
    """Counts by corpus and by half."""
    out: dict[tuple[str, str], Counts] = {}
    for sample in samples:
        counts = compare(sample, extracted(content_of(sample.document, root)))
        out.setdefault((sample.group, sample.part), Counts()).add(counts)
    return out


def table(results: dict[tuple[str, str], Counts]) -> Iterator[str]:
    yield "| sample | half | labelled | precision | recall |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for part in PARTS:
        total = Counts()
        for (group, half), counts in sorted(results.items()):
            if half == part:
                total.add(counts)
                yield _row(group, part, counts)
        yield _row("all", part, total)


def _row(name: str, part: str, counts: Counts) -> str:
    labels = counts.right + len(counts.missed)
    return f"| {name} | {part} | {labels} | {counts.precision:.3f} | {counts.recall:.3f} |"


def main(data: Path | None) -> int:
    """Print the table, and on stderr every miss and every find that is none."""
    results = measure(labelled("own"), LABELS)
    if data is not None:
        results |= measure(labelled("corpora"), data)
    print("\n".join(table(results)))
    for (_, part), counts in sorted(results.items()):
        for kind, names in (("missed", counts.missed), ("wrong", counts.wrong)):
            for name in names:
                print(f"{part} {kind}: {name}", file=sys.stderr)
    return 0
