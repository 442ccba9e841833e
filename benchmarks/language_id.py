"""How often `pincite.text.language.identify` is right on real texts, by corpus, language and length.

    python benchmarks/language_id.py ../shared/data

Prints one line per corpus, language and kind of text: how many, right, wrong, unsure, microseconds per text.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pincite.text.language import identify

PASSAGE_CHARS = 100
SHORT_WORDS = 3


class Labelled(NamedTuple):
    corpus: str
    language: str
    kind: str
    text: str


def main() -> None:
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    show = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    tallies: dict[tuple[str, str, str], list[float]] = {}
    for row in labelled(data):
        started = time.perf_counter()
        answer = identify(row.text)
        spent = time.perf_counter() - started
        outcome = 0 if answer == row.language else 2 if answer == "" else 1
        for key in (row[:3], ("ALL", "", row.kind)):
            tally = tallies.setdefault(key, [0, 0, 0, 0.0])
            tally[outcome] += 1
            tally[3] += spent
        if show and outcome:
            print(f"    {row.corpus} {row.language} -> {answer or '?'}: {row.text[:show]!r}")
    print(f"{'corpus':<22}{'lang':<6}{'kind':<10}{'texts':>8}{'right':>9}{'wrong':>9}{'unsure':>9}{'µs':>7}")
    for (corpus, language, kind), (right, wrong, unsure, spent) in sorted(
        tallies.items(), key=lambda item: (item[0][2], item[0])
    ):
        texts = right + wrong + unsure
        print(
            f"{corpus:<22}{language:<6}{kind:<10}{texts:>8.0f}{right / texts:>9.4f}{wrong / texts:>9.4f}"
            f"{unsure / texts:>9.4f}{spent / texts * 1e6:>7.0f}"
        )


def labelled(data: Path) -> Iterator[Labelled]:
    """Texts whose language is known: passages of 100 characters, headings and queries of three words, or more."""
    for corpus in ("swiss-xl-a", "xquad-xl", "k8s-docs", "swiss-statutes-de-a", "swiss-caselaw-a", "site-policy"):
        for row in _rows(data / corpus / "corpus.jsonl"):
            language = row["metadata"].get("lang")
            if language:
                yield from _passage(corpus, language, row["text"])
                yield from _short(corpus, language, "heading", _heading(corpus, row))
        for row in _rows(data / corpus / "queries.jsonl"):
            if row.get("metadata", {}).get("lang"):
                yield from _short(corpus, row["metadata"]["lang"], "query", row["text"])
    for corpus in ("cranfield", "scifact"):
        for row in _rows(data / corpus / "corpus.jsonl"):
            yield from _passage(corpus, "en", row["text"])
            yield from _short(corpus, "en", "heading", row.get("title", ""))
        for row in _rows(data / corpus / "queries.jsonl"):
            yield from _short(corpus, "en", "query", row["text"])
    for corpus in ("archimate-a/gemma", "archimate-a/vera41"):
        for row in _rows(data / corpus / "corpus.jsonl"):
            yield from _passage(corpus, "nl", row["metadata"].get("documentation", ""))
            yield from _short(corpus, "nl", "heading", row.get("title", ""))
        for row in _rows(data / corpus / "queries.jsonl"):
            yield from _short(corpus, row["metadata"]["lang"], "query", row["text"])


def _heading(corpus: str, row: dict) -> str:  # type: ignore[type-arg]
    """The heading of a row, "" where its title is a citation (Swiss law) or a name in another language (XQuAD)."""
    if corpus.startswith("swiss"):
        return str(row["metadata"].get("heading") or "")
    return "" if corpus == "xquad-xl" else str(row.get("title", ""))


def _rows(path: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _passage(corpus: str, language: str, text: str) -> Iterator[Labelled]:
    if len(text) >= PASSAGE_CHARS:
        yield Labelled(corpus, language, "passage", text)


def _short(corpus: str, language: str, kind: str, text: str) -> Iterator[Labelled]:
    # Citations ("BGE 140 IV 74") are not words of any language.
    if sum(len(word) > 1 and not word.isupper() for word in re.findall(r"[^\W\d_]+", text)) >= SHORT_WORDS:
        yield Labelled(corpus, language, kind, text)


if __name__ == "__main__":
    main()
