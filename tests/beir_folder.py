"""A BEIR folder of a few documents, written for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCUMENTS: list[dict[str, Any]] = [
    {"_id": "dog", "title": "Liability of the keeper", "text": "The keeper of a dog is liable for damage by a bite."},
    {"_id": "cat", "title": "Cats", "text": "A cat may roam; its keeper is rarely liable."},
    {"_id": "rent", "title": "Deposit", "text": "The deposit must not exceed three months of rent."},
    {"_id": "leave", "title": "Leave", "text": "Employees receive 26 working days of paid annual leave."},
]
QUERIES: list[dict[str, Any]] = [
    {"_id": "q1", "text": "liable for a dog bite", "metadata": {"type": "question", "lang": "en"}},
    {"_id": "q2", "text": "how many months of rent as deposit", "metadata": {"type": "question", "lang": "en"}},
    {"_id": "q3", "text": "Cats", "metadata": {"type": "name"}},
    {"_id": "q4", "text": "not judged"},
]
QRELS = [("q1", "dog", 2), ("q1", "cat", 1), ("q2", "rent", 1), ("q3", "cat", 1)]


def write_beir(
    folder: Path,
    documents: list[dict[str, Any]] = DOCUMENTS,
    queries: list[dict[str, Any]] = QUERIES,
    qrels: dict[str, list[tuple[str, str, int]]] | None = None,
) -> Path:
    """The folder, ready to be evaluated."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", documents), ("queries", queries)):
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    for name, judged in (qrels or {"test": QRELS}).items():
        lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in judged)]
        (folder / "qrels" / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
