"""The table in docs/laboratory.md: one line per corpus, one per kind of query, beside BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.page import markdown, put
from benchmarks.quality.sets import POOLED, Corpus
from pincite.eval.bootstrap import paired

Measured = tuple[Corpus, dict[str, Any]]
LEGS = ("keyword", "dense", "related", "exact", "graph", "rrf", "final")
ALONE = ("keyword", "dense")
"""Legs that could answer alone: the final order must not be worse than the better of them."""


def write_table(path: Path, measured: Sequence[Measured], place: str) -> None:
    """Put both tables between the markers of their place; the rest of the page stays."""
    put(path, f"make eval: {place}", (by_set(measured), by_tag(measured)))


def by_set(measured: Sequence[Measured]) -> str:
    """nDCG@10 of each leg, with the final order's interval and recall, and what it gains on the better leg."""
    legs = _legs(measured)
    head = ["set", "queries", "BM25", *legs, "final within (95 %)", "final R@100", "to the better leg (95 %)"]
    rows = []
    for corpus, body in measured:
        low, high = body["intervals"]["final"]["ndcg@10"]
        values = _best(
            [body["metrics"][leg]["ndcg@10"] if leg in body["metrics"] else None for leg in legs], corpus.bm25
        )
        rows.append(
            [corpus.name, f"{body['queries']:,}", _figure(corpus.bm25), *values, f"{low:.3f}–{high:.3f}",
             _figure(body["metrics"]["final"]["recall@100"]), to_better_leg(body)]
        )  # fmt: skip
    for pool in POOLED:
        if queries := _pool(pool, measured):
            values = _best([_mean(queries, leg) for leg in legs], pool.bm25)
            rows.append([f"{pool.name}, all", f"{len(queries):,}", _figure(pool.bm25), *values, "", "", ""])
    return markdown(head, rows)


def to_better_leg(body: dict[str, Any]) -> str:
    """Difference of the final order to the better of the legs that could answer alone, with its paired interval.

    ▲ and ▼ mark a difference whose interval excludes 0. The better leg is chosen by its mean on the same questions,
    which favours it.
    """
    queries = list(body["per_query"].values())
    legs = {leg: [query[leg]["ndcg@10"] for query in queries] for leg in (*ALONE, "final") if leg in body["metrics"]}
    best = max((leg for leg in legs if leg != "final"), key=lambda leg: sum(legs[leg]))
    found = paired(legs[best], legs["final"])
    mark = " ▲" if found.low > 0 else " ▼" if found.high < 0 else ""
    return f"{found.difference:+.3f} ({found.low:+.3f} … {found.high:+.3f}){mark}".replace("-", "−")


def by_tag(measured: Sequence[Measured]) -> str:
    """The same by kind of query, where BM25 is known."""
    legs = _legs(measured)
    rows = []
    sources = [(corpus, list(body["per_query"].values())) for corpus, body in measured]
    sources += [(pool, _pool(pool, measured)) for pool in POOLED]
    for corpus, queries in sources:
        for tags, bm25 in corpus.by.items():
            chosen = [query for query in queries if set(tags.split()) <= set(query["tags"])]
            if chosen:
                values = _best([_mean(chosen, leg) for leg in legs], bm25)
                rows.append([corpus.name, tags, f"{len(chosen):,}", _figure(bm25), *values])
    return markdown(["set", "queries of", "queries", "BM25", *legs], rows)


def _legs(measured: Sequence[Measured]) -> list[str]:
    return [leg for leg in LEGS if any(leg in body["metrics"] for _, body in measured)]


def _pool(pool: Corpus, measured: Sequence[Measured]) -> list[dict[str, Any]]:
    bodies = [body for corpus, body in measured if corpus.folder.startswith(f"{pool.folder}/")]
    return [query for body in bodies for query in body["per_query"].values()]


def _mean(queries: Iterable[dict[str, Any]], leg: str) -> float | None:
    values = [query[leg]["ndcg@10"] for query in queries if leg in query]
    return sum(values) / len(values) if values else None


def _best(values: Sequence[float | None], bm25: float | None) -> list[str]:
    """Figures; the final order is bold where it is not below BM25."""
    out = [_figure(value) for value in values]
    if values[-1] is not None and bm25 is not None and round(values[-1], 3) >= bm25:
        out[-1] = f"**{out[-1]}**"
    return out


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
