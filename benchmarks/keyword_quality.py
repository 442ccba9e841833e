"""nDCG@10 and recall@100 of the keyword leg on BEIR folders (corpus.jsonl, queries.jsonl, qrels/*.tsv).

    python -m benchmarks.keyword_quality DATA [SET …]

One document is one element with one chunk: its title is the heading, title and text are the content. Scoring, query
parser and stop words are the product's defaults.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.queries import Scoring, WordQuery
from pincite.index.segments.index import SegmentIndex
from pincite.search.query import Query
from pincite.search.understand import understand
from pincite.text.language import identify
from pincite.types import Chunk, Commit, Content, Derivation, PutElement, Scope, Span, State, View

SCOPE = Scope()
DEPTH = 100


def main() -> None:
    if len(sys.argv) < 2:
        print("  skipped: name a folder of BEIR sets: python -m benchmarks.keyword_quality DATA")
        return
    data = Path(sys.argv[1])
    print(f"{'set':<34}{'queries':>8}{'nDCG@10':>9}{'R@100':>8}")
    for folder in [data / name for name in sys.argv[2:]] or sorted(data.iterdir()):
        if (folder / "corpus.jsonl").exists():
            measure(folder)


def measure(folder: Path) -> None:
    """One row per qrels file; one named like `fr-de` is asked of the German documents only."""
    texts = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    for qrels in sorted((folder / "qrels").glob("*.tsv")):
        tail = qrels.stem.rpartition("-")[2]
        language = tail if len(tail) == 2 and "-" in qrels.stem else ""
        documents = [row for row in _rows(folder / "corpus.jsonl") if not language or _language(row) in ("", language)]
        with tempfile.TemporaryDirectory() as place:
            catalog = SqliteCatalog(Path(place) / "catalog.db")
            index = SegmentIndex(Path(place) / "index", catalog)
            catalog.commits.commit(SCOPE, Commit(tuple(map(_element, documents))))
            index.advance(SCOPE)
            judged = _judgements(qrels)
            known = [(texts[query], relevant) for query, relevant in judged.items() if query in texts]
            gains = [_evaluate(index, text, relevant) for text, relevant in known]
            catalog.close()
        if not gains:
            continue
        ndcg, recall = (sum(values) / len(gains) for values in zip(*gains, strict=True))
        print(f"{folder.name + ' ' + qrels.stem:<34}{len(gains):>8}{ndcg:>9.4f}{recall:>8.4f}", flush=True)


def _evaluate(index: SegmentIndex, text: str, relevant: dict[str, int]) -> tuple[float, float]:
    view = View(SCOPE, index.reached(SCOPE), date.today())
    plan = understand(Query(text[:4000], mode="keyword"))
    assert plan.words is not None
    query = WordQuery(plan.words, depth=DEPTH, scoring=Scoring(), max_words=plan.max_words)
    found = [item.element_id for item in index.keyword([view], query).found]
    gain = sum(relevant.get(element, 0) / math.log2(rank + 2) for rank, element in enumerate(found[:10]))
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(sorted(relevant.values(), reverse=True)[:10]))
    wanted = {element for element, grade in relevant.items() if grade > 0}
    return (gain / ideal if ideal else 0.0), len(wanted & set(found)) / max(1, len(wanted))


def _element(row: dict[str, Any]) -> PutElement:
    text = f"{row['title']}\n{row['text']}".strip() or "-"
    language = _language(row) or identify(text)
    chunk = Chunk(0, Span(0, len(text)), parent_chain=(row["title"],), language=language)
    content = Content("document", "document", row["title"], text, language)
    return PutElement(row["_id"], (State(content, Derivation("beir", (chunk,))),))


def _language(row: dict[str, Any]) -> str:
    return str(row.get("metadata", {}).get("lang", ""))


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        out.setdefault(query, {})[document] = int(grade)
    return out


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
