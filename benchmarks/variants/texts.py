"""The same questions and the same corpora, written differently."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_NO_WORD = re.compile(r"[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def without_punctuation(text: str) -> str:
    return " ".join(_NO_WORD.sub(" ", text).split())


def quoted(text: str) -> str:
    """Two neighbouring words in quotation marks, the longest ones, where there are others beside them."""
    words = text.split()
    if len(words) < 4:
        return text
    at = max(range(len(words) - 1), key=lambda at: (len(words[at]) + len(words[at + 1]), -at))
    phrase = f'"{words[at]} {words[at + 1].rstrip("?.,;:")}"'
    return " ".join([*words[:at], phrase, *words[at + 2 :]])


QUESTIONS: Mapping[str, Callable[[str], str]] = {
    "as given": str,
    "capitals": str.upper,
    "no punctuation": without_punctuation,
    "quoted": quoted,
}


def _shuffled(text: str) -> str:
    sentences = _SENTENCE.split(text)
    random.Random(len(text)).shuffle(sentences)
    return " ".join(sentences)


def _each(change: Callable[[str], str]) -> Callable[[Row], Row]:
    return lambda row: {**row, "title": change(row.get("title") or ""), "text": change(row["text"])}


CORPORA: Mapping[str, Callable[[Row], Row]] = {
    "lower": _each(str.lower),
    "bare": _each(without_punctuation),
    "untitled": lambda row: {**row, "title": ""} if row["text"].strip() else row,
    "shuffled": lambda row: {**row, "text": _shuffled(row["text"])},
}


def write_corpus(source: Path, target: Path, change: Callable[[Row], Row]) -> None:
    """A folder with the corpus changed and the same questions and judgements."""
    if (target / "corpus.jsonl").exists():
        return
    target.mkdir(parents=True, exist_ok=True)
    for name in ("queries.jsonl", "qrels"):
        if not (target / name).exists():
            (target / name).symlink_to((source / name).resolve())
    part = target / "corpus.part"
    with (source / "corpus.jsonl").open(encoding="utf-8") as given, part.open("w", encoding="utf-8") as file:
        rows = (json.loads(line) for line in given if line.strip())
        file.writelines(json.dumps(change(row), ensure_ascii=False) + "\n" for row in rows)
    part.rename(target / "corpus.jsonl")
