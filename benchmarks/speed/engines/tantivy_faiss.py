"""tantivy for words and a faiss HNSW graph for vectors, glued in Python as a user would."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import tantivy
from numpy.typing import NDArray

from benchmarks.speed.corpus import Asked, Block
from benchmarks.speed.engines.engine import DEPTH, Forgets, Only, Powers, fuse
from benchmarks.speed.vectors import DIMENSIONS

M = 32
EF_CONSTRUCTION = 80
HEAP_BYTES = 256_000_000
BUILD_THREADS = 2


class TantivyFaiss(Forgets):
    """A graph cannot let go of a vector: what was replaced stays in it and is left out by the selector of a search."""

    powers = Powers()
    efforts: Sequence[Mapping[str, Any]] = tuple({"efSearch": ef} for ef in (200, 300, 500, 800, 1_200, 2_000))
    effort: Mapping[str, Any] = efforts[0]
    target = 0.99

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._selectors: dict[Only, tuple[Any, NDArray[np.int64]]] = {}
        if (folder / "graph").exists():
            self.open()
        else:
            builder = tantivy.SchemaBuilder()
            builder.add_text_field("text", stored=True)
            builder.add_text_field("share", tokenizer_name="raw", index_option="basic")
            builder.add_text_field("tenant", tokenizer_name="raw", index_option="basic")
            builder.add_unsigned_field("id", indexed=True, fast=True)
            builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
            (folder / "words").mkdir(exist_ok=True)
            self._words = tantivy.Index(builder.build(), path=str(folder / "words"))
            self._graph = faiss.IndexHNSWFlat(DIMENSIONS, M, faiss.METRIC_INNER_PRODUCT)
            self._graph.hnsw.efConstruction = EF_CONSTRUCTION
            self._ids = np.empty(0, np.int64)
            self._shares = np.empty(0, "U4")
            self._tenants = np.empty(0, "U16")
            self._live = np.empty(0, bool)

    def open(self) -> None:
        self._words = tantivy.Index.open(str(self._folder / "words"))
        self._graph = faiss.read_index(str(self._folder / "graph"))
        with np.load(self._folder / "rows.npz") as rows:
            self._ids, self._shares = rows["ids"], rows["shares"]
            self._tenants, self._live = rows["tenants"], rows["live"]
        self._selectors = {}
        faiss.omp_set_num_threads(1)

    def close(self) -> None:
        pass

    def put(self, blocks: Iterable[Block]) -> None:
        faiss.omp_set_num_threads(BUILD_THREADS)
        writer = self._words.writer(HEAP_BYTES, BUILD_THREADS)
        known = dict(
            zip(zip(self._tenants.tolist(), self._ids.tolist(), strict=True), range(len(self._ids)), strict=True)
        )
        fresh: list[tuple[int, str, str]] = []
        for block in blocks:
            for passage in block.passages:
                key = f"{block.tenant}/{passage.number}"
                if (block.tenant, passage.number) in known:
                    writer.delete_documents_by_term("key", key)
                    self._live[known[block.tenant, passage.number]] = False
                document = tantivy.Document(text=passage.text, share=passage.share, tenant=block.tenant, key=key)
                document.add_unsigned("id", passage.number)
                writer.add_document(document)
                fresh.append((passage.number, passage.share, block.tenant))
            self._graph.add(block.vectors)
        writer.commit()
        writer.wait_merging_threads()
        ids, shares, tenants = zip(*fresh, strict=True)
        self._ids = np.concatenate((self._ids, np.array(ids, np.int64)))
        self._shares = np.concatenate((self._shares, np.array(shares, "U4")))
        self._tenants = np.concatenate((self._tenants, np.array(tenants, "U16")))
        self._live = np.concatenate((self._live, np.ones(len(ids), bool)))
        self._store()
        self._words.reload()
        self._selectors = {}
        faiss.omp_set_num_threads(1)

    def _store(self) -> None:
        """The whole graph is rewritten: it has no other way to become durable."""
        unfinished = self._folder / "graph.part"
        faiss.write_index(self._graph, str(unfinished))
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(self._folder / "graph")
        rows = {"ids": self._ids, "shares": self._shares, "tenants": self._tenants, "live": self._live}
        np.savez(self._folder / "rows.npz", **rows)  # type: ignore[arg-type]

    def settle(self) -> None:
        pass

    def keyword(self, asked: Asked, only: Only) -> list[int]:
        query = self._words.parse_query(" ".join(asked.words), ["text"])
        must = [tantivy.Query.const_score_query(self._term("tenant", only.tenant), 0.0)]
        must += [tantivy.Query.const_score_query(self._term("share", only.share), 0.0)] if only.share else []
        parts = [(tantivy.Occur.Must, part) for part in (query, *must)]
        searcher = self._words.searcher()
        found = searcher.search(tantivy.Query.boolean_query(parts), DEPTH, count=False)
        return [int(values) for values in searcher.fast_field_values("id", [place for _, place in found.hits])]

    def _term(self, field: str, value: str) -> Any:
        return tantivy.Query.term_query(self._words.schema, field, value, index_option="basic")

    def dense(self, asked: Asked, only: Only) -> list[int]:
        selector = self._selector(only)
        settings = faiss.SearchParametersHNSW(efSearch=self.effort["efSearch"])
        if selector is not None:
            settings.sel = selector
        _, places = self._graph.search(asked.vector[None, :], DEPTH, params=settings)
        found: list[int] = self._ids[places[0][places[0] >= 0]].tolist()
        return found

    def hybrid(self, asked: Asked, only: Only) -> list[int]:
        return fuse((self.keyword(asked, only), self.dense(asked, only)))

    def _selector(self, only: Only) -> Any:
        """Kept once made; None where everything is asked."""
        if only not in self._selectors:
            chosen = self._live & (self._tenants == only.tenant)
            if only.share:
                chosen &= self._shares == only.share
            places = np.flatnonzero(chosen)
            selector = None if chosen.all() else faiss.IDSelectorBatch(places)
            self._selectors[only] = (selector, places)
        return self._selectors[only][0]

    def describe(self) -> dict[str, Any]:
        versions = f"tantivy {version('tantivy')}, faiss-cpu {version('faiss-cpu')}"
        return {"version": versions, "M": M, "efConstruction": EF_CONSTRUCTION, **self.effort}


def engine(folder: Path) -> TantivyFaiss:
    return TantivyFaiss(folder)
