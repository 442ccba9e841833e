"""Exact references first: the share of citations whose place is the first hit, with words and identifiers alone.

    python -m benchmarks.extraction exact DATA

Four sets: citations of swiss-statutes-de-a, each language apart; the same articles in the acts as whole documents, with
paragraph and letter where the article has some; the numbered headings of site-policy together with their document's
name; and `labels/exact.tsv`, written by hand for the acts and the agreement in samples/legislation.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pincite.eval.beir import load_cases, load_documents, open_folder
from pincite.eval.corpus import fill
from pincite.kinds.documents.numbering import heading_number
from pincite.library import Library, open_library
from pincite.search.query import Hit
from pincite.text.identifiers import normalise_identifier
from pincite.types import LiveElement

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "samples" / "legislation"
PLACES_PER_ACT = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A citation and the place that it means."""

    query: str
    element_id: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    asked: int
    missed: tuple[str, ...]

    @property
    def share(self) -> float:
        return 1 - len(self.missed) / self.asked if self.asked else 0.0


def main(data: Path | None) -> int:
    print("| set | citations | first |\n| --- | --- | --- |")
    results = []
    for result in results(data):
        print(f"| {result.name} | {result.asked} | {result.share:.1%} |", flush=True)
        results.append(result)
    for result in results:
        for line in result.missed:
            print(f"missed, {result.name}: {line}")
    return 0


def results(data: Path | None) -> Iterator[Result]:
    """The sets one after the other; without data our own sample alone."""
    yield sample()
    if data:
        yield policies(data / "site-policy")
        yield from statutes(data / "swiss-statutes-de-a")
        yield acts(data / "swiss-statutes-de-a")


def sample() -> Result:
    with (HERE / "labels" / "exact.tsv").open(encoding="utf-8", newline="") as file:
        asked = [Asked(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    with _library() as library:
        library.ingest(SAMPLES, embedding=False)
        return measure("samples/legislation", library, asked)


def statutes(folder: Path) -> Iterator[Result]:
    """Citations of single articles, by the language in which they name the act."""
    files = open_folder(folder)
    cases = load_cases(files.queries, files.qrels, folder.name).cases
    for kind in ("documents", "generic"):
        with _library() as library:
            fill(library, load_documents(files.corpus), kind)
            for language in ("de", "fr", "it"):
                chosen = [case for case in cases if {"type:citation", f"lang:{language}"} <= set(case.tags)]
                asked = [Asked(case.query, case.relevant[0].target) for case in chosen]
                yield measure(f"{folder.name}, {language}, read as {kind}", library, asked)


def acts(folder: Path) -> Result:
    """Whole acts: places inside articles, evenly over each act, by its abbreviation."""
    with _library() as library:
        library.ingest(folder / "docs", embedding=False)
        asked = [item for live in _all(library) for item in _places(live)]
        return measure("swiss-statutes-de-a, places in whole acts", library, asked)


def _all(library: Library) -> Iterable[LiveElement]:
    return filter(None, map(library.live, library.elements()))


def _places(live: LiveElement) -> Iterable[Asked]:
    short = str(live.version.content.metadata.get("short_title", ""))
    unique = [alias for alias in live.derivation.aliases if alias.span and alias.identifier.startswith("art.")]
    names = [alias.identifier for alias in unique]
    chosen = [
        alias
        for alias in unique
        if names.count(alias.identifier) == 1 and alias.section_id == alias.identifier.partition("(")[0]
    ]
    step = max(1, len(chosen) // PLACES_PER_ACT)
    for alias in chosen[::step][:PLACES_PER_ACT] if short else ():
        yield Asked(f"{_german(alias.identifier)} {short}", live.version.element_id, alias.identifier)


def _german(identifier: str) -> str:
    """`art.41(1)(b)` → `Art. 41 Abs. 1 lit. b`."""
    article, *levels = re.split(r"[()]+", identifier.removeprefix("art.").rstrip(")"))
    words = [f"Art. {article}"]
    for level in levels:
        words.append(f"lit. {level}" if level[0].isalpha() else f"Ziff. {level}" if len(words) > 2 else f"Abs. {level}")
    return " ".join(words)


def policies(folder: Path) -> Result:
    """Numbers of headings that occur once in their document, together with its name."""
    with _library() as library:
        library.ingest(folder / "docs", embedding=False)
        asked = [item for live in _all(library) for item in _headings(live)]
        return measure("site-policy, numbered headings", library, asked)


def _headings(live: LiveElement) -> Iterable[Asked]:
    numbered: dict[str, str] = {}
    for chunk in live.derivation.chunks:
        number = heading_number(chunk.parent_chain[-1]) if chunk.parent_chain else None
        if number and any(map(str.isdigit, number.section_id)):
            numbered.setdefault(chunk.section_id, number.section_id)
    counts = list(numbered.values())
    for section_id, named in numbered.items():
        if counts.count(named) == 1 and section_id == named:
            yield Asked(f"Section {named} {live.version.content.name}", live.version.element_id, section_id)


def measure(name: str, library: Library, asked: list[Asked]) -> Result:
    missed = []
    for one in asked:
        answer = library.search(one.query, limit=1)
        if not answer.hits or not _is_there(library, answer.hits[0], one):
            got = (
                f"{answer.hits[0].passage.element_id}#{answer.hits[0].passage.section_id}" if answer.hits else "nothing"
            )
            missed.append(f"{one.query!r} wants {one.element_id}#{one.section}, got {got}")
    return Result(name, len(asked), tuple(missed))


def _is_there(library: Library, hit: Hit, asked: Asked) -> bool:
    """Whether the hit is a passage of the element and holds where the place begins."""
    if hit.passage.element_id != asked.element_id:
        return False
    if not asked.section:
        return True
    place = library.get(asked.element_id, section=asked.section).passage
    span = hit.passage.span
    if normalise_identifier(place.section_id) != normalise_identifier(asked.section) or not span or not place.span:
        return False
    return span.start <= place.span.start < span.end


@contextmanager
def _library() -> Iterator[Library]:
    with tempfile.TemporaryDirectory(prefix="pincite-exact-") as folder, open_library(folder, dense="off") as library:
        yield library
