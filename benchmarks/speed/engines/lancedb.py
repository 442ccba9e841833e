"""LanceDB: one table, its own full-text index, a vector index from 50,000 rows on, hybrid with its RRF reranker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import IvfRq
from lancedb.rerankers import RRFReranker

from benchmarks.speed.corpus import Asked, Block
from benchmarks.speed.engines.engine import DEPTH, RRF_K, TOP, Only, Powers
from benchmarks.speed.vectors import DIMENSIONS

INDEXED_FROM = 50_000
"""Its documentation finds an index unnecessary up to about 100,000 rows, and needed where latency counts."""
INDEX_TYPE = "IVF_RQ"
"""Its documentation advises IVF_RQ or IVF_PQ where questions carry filters; IVF_PQ built slower, with less recall."""

BLOCKS_PER_MERGE = 50

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("text", pa.string()),
        pa.field("share", pa.string()),
        pa.field("tenant", pa.string()),
        pa.field("vector", pa.list_(pa.float32(), DIMENSIONS)),
    ]
)


class LanceDb:
    powers = Powers(remembers=True)
    efforts: Sequence[Mapping[str, Any]] = tuple(
        {"nprobes": nprobes, "refine_factor": factor}
        for nprobes, factor in ((5, 1), (10, 1), (20, 1), (50, 1), (20, 5), (50, 5), (100, 5), (200, 10), (1_000, 10))
    )
    effort: Mapping[str, Any] = efforts[0]
    target = 0.95

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._table: Any = None
        if folder.exists():
            self.open()

    def open(self) -> None:
        database = lancedb.connect(self._folder)
        self._table = database.open_table("passages")

    def close(self) -> None:
        self._table = None

    def put(self, blocks: Iterable[Block]) -> None:
        stream = iter(blocks)
        if self._table is None:
            self._table = lancedb.connect(self._folder).create_table(
                "passages", pa.RecordBatchReader.from_batches(SCHEMA, map(_rows, stream))
            )
            return
        for part in _parts(stream):
            rows = pa.Table.from_batches([_rows(block) for block in part], SCHEMA)
            merge = self._table.merge_insert(["tenant", "id"])
            merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)
        self._table.optimize()  # until then new rows are found by scanning them

    def settle(self) -> None:
        if self._table.list_indices():
            self._table.optimize()
            return
        self._table.create_fts_index("text", with_position=True, stem=False, remove_stop_words=False)
        self._table.create_scalar_index("share", index_type="BITMAP")
        self._table.create_scalar_index("tenant", index_type="BITMAP")
        self._table.create_scalar_index("id")
        if self._is_indexed():
            self._table.create_index("vector", config=IvfRq(distance_type="cosine"))

    def _is_indexed(self) -> bool:
        return int(self._table.count_rows()) >= INDEXED_FROM

    def keyword(self, asked: Asked, only: Only) -> list[int]:
        return _ids(self._table.search(" ".join(asked.words), query_type="fts").where(_where(only)).limit(DEPTH))

    def dense(self, asked: Asked, only: Only) -> list[int]:
        query = self._table.search(asked.vector, vector_column_name="vector", query_type="vector")
        return _ids(self._tuned(query.distance_type("cosine")).where(_where(only), prefilter=True).limit(DEPTH))

    def hybrid(self, asked: Asked, only: Only) -> list[int]:
        query = self._table.search(query_type="hybrid").vector(asked.vector).text(" ".join(asked.words))
        query = self._tuned(query.distance_type("cosine")).where(_where(only), prefilter=True).limit(DEPTH)
        return _ids(query.rerank(RRFReranker(K=RRF_K)))[:TOP]

    def _tuned(self, query: Any) -> Any:
        return query.nprobes(self.effort["nprobes"]).refine_factor(self.effort["refine_factor"])

    def state(self) -> int:
        return int(self._table.version)

    def at(self, state: int | None) -> None:
        if state is None:
            self._table.checkout_latest()
        else:
            self._table.checkout(state)

    def merge(self) -> None:
        self._table.optimize()

    def describe(self) -> dict[str, Any]:
        index = INDEX_TYPE if self._is_indexed() else "none (exact scan)"
        return {"version": f"lancedb {version('lancedb')}", "vector_index": index, **self.effort}


def engine(folder: Path) -> LanceDb:
    return LanceDb(folder)


def _where(only: Only) -> str:
    return f"tenant = '{only.tenant}'" + (f" AND share = '{only.share}'" if only.share else "")


def _ids(query: Any) -> list[int]:
    ids: list[int] = query.select(["id"]).to_arrow()["id"].to_pylist()
    return ids


def _parts(blocks: Iterator[Block]) -> Iterator[list[Block]]:
    """Some blocks at a time."""
    while part := list(islice(blocks, BLOCKS_PER_MERGE)):
        yield part


def _rows(block: Block) -> pa.RecordBatch:
    passages = block.passages
    columns = [
        pa.array([passage.number for passage in passages], pa.int64()),
        pa.array([passage.text for passage in passages], pa.string()),
        pa.array([passage.share for passage in passages], pa.string()),
        pa.array([block.tenant] * len(passages), pa.string()),
        pa.FixedSizeListArray.from_arrays(pa.array(block.vectors.reshape(-1), pa.float32()), DIMENSIONS),
    ]
    return pa.record_batch(columns, schema=SCHEMA)
