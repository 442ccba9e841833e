"""Scores equal those of bm25s, and rankings are as good as the literature says, on public corpora."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bm25s
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.fields import STRUCTURAL
from pincite.index.segments.index import SegmentIndex
from pincite.queries import Ranking, Scoring, Some, Word, WordQuery
from pincite.text.stopwords import QUERY_STOPWORDS
from pincite.text.words import analyse, term_of, tokens
from pincite.types import Chunk, Commit, Content, Derivation, PutElement, Scope, Span, State, View

pytestmark = pytest.mark.data

DATA = Path(__file__).parents[3] / "shared" / "data"
ONE_FIELD = Scoring(k1=1.2, b=0.75, boosts={**dict.fromkeys(STRUCTURAL, 0.0), "content": 1.0}, literal=0.0)


def lines(corpus: str, name: str) -> list[dict[str, Any]]:
    if not (DATA / corpus).is_dir():
        pytest.skip(f"the corpus {corpus} is not at {DATA}")
    with (DATA / corpus / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def qrels(corpus: str, name: str) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in (DATA / corpus / "qrels" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    return grades


def whole(document: dict[str, Any]) -> str:
    return f"{document['title']}\n{document['text']}"


@contextmanager
def indexed(documents: list[dict[str, Any]], language: str) -> Iterator[tuple[SegmentIndex, View]]:
    """Documents of one chunk each: title and text; the title is also the heading."""
    with TemporaryDirectory() as folder:
        catalog = SqliteCatalog(Path(folder) / "catalog.db")
        index = SegmentIndex(Path(folder) / "index", catalog)
        catalog.commits.commit(Scope(), Commit(tuple(_put(document, language) for document in documents)))
        try:
            yield index, View(Scope(), index.advance(Scope()), date(2026, 1, 1))
        finally:
            catalog.close()


def _put(document: dict[str, Any], language: str) -> PutElement:
    text = whole(document)
    chunk = Chunk(0, Span(0, len(text)), parent_chain=(document["title"],))
    content = Content("document", "page", document["title"], text, language)
    return PutElement(document["_id"], (State(content, Derivation("r", (chunk,))),))


# --- equal scores ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("corpus", ["cranfield", "scifact"])
def test_scores_equal_bm25s(corpus: str) -> None:
    documents = lines(corpus, "corpus.jsonl")
    numbers = {document["_id"]: number for number, document in enumerate(documents)}
    terms = [[term for token in tokens(whole(d)) for term in analyse(token, "en").terms] for d in documents]
    reference = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    reference.index(terms, show_progress=False)
    known = {term for document in terms for term in document}
    compared = 0
    with indexed(documents, "en") as (index, view):
        for query in lines(corpus, "queries.jsonl"):
            words = plain_words(query["text"], known)
            asked = WordQuery(Some(tuple(map(Word, words))), depth=100, scoring=ONE_FIELD)
            ranking = index.keyword([view], asked)
            expected = reference.get_scores([term_of(word, "en") for word in words]) if words else []
            for found in ranking.found:
                assert found.raw == pytest.approx(expected[numbers[found.element_id]], abs=1e-5)
            best = sorted(expected, reverse=True)[: len(ranking.found)]
            assert [found.raw for found in ranking.found] == pytest.approx(best, abs=1e-5)
            assert ranking.total == sum(score > 0 for score in expected)
            compared += len(ranking.found)
    assert compared > 10_000


def plain_words(query: str, known: set[str]) -> list[str]:
    """Words for which exactly one term stands: known, in lower case, each stem once."""
    words = {term_of(word, "en"): word for word in query.lower().split() if word.isascii() and word.isalpha()}
    return [word for term, word in words.items() if term in known]


# --- quality --------------------------------------------------------------------------------------------------


def ndcg(ranking: Ranking, grades: dict[str, int], depth: int = 10) -> float:
    gains = [grades.get(found.element_id, 0) for found in ranking.found[:depth]]
    ideal = sorted(grades.values(), reverse=True)[:depth]
    return _discounted(gains) / _discounted(ideal)


def _discounted(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def mean_ndcg(
    index: SegmentIndex,
    view: View,
    queries: dict[str, str],
    judged: dict[str, dict[str, int]],
    language: str,
    **options: Any,
) -> float:
    stops = QUERY_STOPWORDS[language]
    total = 0.0
    for name, grades in judged.items():
        tree = Some(tuple(Word(token, stop=token.lower() in stops) for token in tokens(queries[name])))
        total += ndcg(index.keyword([view], WordQuery(tree, **options)), grades)
    return total / len(judged)


def test_scifact_is_as_good_as_published() -> None:
    """Pyserini reaches 0.679 with flat BM25, bm25s with stop words and stems 0.679."""
    queries = {query["_id"]: query["text"] for query in lines("scifact", "queries.jsonl")}
    with indexed(lines("scifact", "corpus.jsonl"), "en") as (index, view):
        reached = mean_ndcg(index, view, queries, qrels("scifact", "test"), "en", scoring=ONE_FIELD)
    assert reached >= 0.675


@pytest.mark.slow
@pytest.mark.parametrize(("language", "bm25"), [("de", 0.565), ("fr", 0.597), ("it", 0.611)])
def test_swiss_law_is_no_worse_than_plain_bm25(language: str, bm25: float) -> None:
    documents = [d for d in lines("swiss-xl-a", "corpus.jsonl") if d["metadata"]["lang"] == language]
    queries = {query["_id"]: query["text"] for query in lines("swiss-xl-a", "queries.jsonl")}
    with indexed(documents, language) as (index, view):
        reached = mean_ndcg(index, view, queries, qrels("swiss-xl-a", f"{language}-{language}"), language)
    assert reached >= bm25
