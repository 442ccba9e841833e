"""FTS5 and sqlite-vec as one would first write them: whole vectors in `vec0`, the words of a question joined by OR.

The design that Pincite set out from, without what `index: sqlite_vec` adds to it: sign bits that choose what is scored.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import sqlite_vec

from benchmarks.speed.corpus import Asked, Block
from benchmarks.speed.engines.engine import DEPTH, Forgets, Only, Powers, fuse
from benchmarks.speed.vectors import DIMENSIONS

SCHEMA = f"""
    CREATE TABLE passages(id INTEGER PRIMARY KEY, number INTEGER, tenant TEXT, share TEXT, language TEXT, text TEXT);
    CREATE UNIQUE INDEX passage_numbers ON passages(tenant, number);
    CREATE VIRTUAL TABLE words USING fts5(
        text, content='passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE vectors USING vec0(
        id INTEGER PRIMARY KEY, language TEXT partition key, embedding float[{DIMENSIONS}] distance_metric=cosine,
        tenant TEXT, share TEXT
    );
"""
KNOWN = "SELECT id, text FROM passages WHERE tenant = ? AND number = ?"
FORGET_WORDS = "INSERT INTO words(words, rowid, text) VALUES ('delete', ?, ?)"
ADD_PASSAGE = "INSERT INTO passages(number, tenant, share, language, text) VALUES (?, ?, ?, ?, ?)"
ADD_WORDS = "INSERT INTO words(rowid, text) VALUES (?, ?)"
ADD_VECTOR = "INSERT INTO vectors(id, language, embedding, tenant, share) VALUES (?, ?, ?, ?, ?)"
BY_WORDS = """
    SELECT p.number FROM words JOIN passages p ON p.id = words.rowid
    WHERE words MATCH ? AND p.tenant = ? AND (? = '' OR p.share = ?) ORDER BY bm25(words), p.number LIMIT ?
"""
BY_VECTOR = "SELECT id FROM vectors WHERE embedding MATCH ? AND k = ? AND tenant = ?"
NUMBER = "SELECT number FROM passages WHERE id = ?"


class Fts5Vec0(Forgets):
    """Everything in one file; every vector is compared with the question."""

    powers = Powers(scanned_bytes=DIMENSIONS * 4)
    efforts: Sequence[Mapping[str, Any]] = ({},)
    effort: Mapping[str, Any] = {}
    target = 0.999

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "library.db"
        self.open()

    def open(self) -> None:
        fresh = not self._file.exists()
        self._threads = threading.local()
        if fresh:
            self._db.execute("PRAGMA page_size = 16384")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(SCHEMA)

    @property
    def _db(self) -> apsw.Connection:
        """One for each thread: they cannot share it."""
        db: apsw.Connection | None = getattr(self._threads, "db", None)
        if db is None:
            db = self._threads.db = apsw.Connection(str(self._file))
            db.enable_load_extension(True)
            db.load_extension(sqlite_vec.loadable_path())
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA mmap_size = 8000000000")
        return db

    def close(self) -> None:
        self._db.close()
        self._threads = threading.local()

    def put(self, blocks: Iterable[Block]) -> None:
        with self._db:
            for block in blocks:
                for passage, vector in zip(block.passages, block.vectors, strict=True):
                    for known, text in self._db.execute(KNOWN, (block.tenant, passage.number)).fetchall():
                        self._db.execute(FORGET_WORDS, (known, text))
                        self._db.execute("DELETE FROM vectors WHERE id = ?", (known,))
                        self._db.execute("DELETE FROM passages WHERE id = ?", (known,))
                    about = (passage.number, block.tenant, passage.share, passage.language, passage.text)
                    self._db.execute(ADD_PASSAGE, about)
                    row = self._db.last_insert_rowid()
                    self._db.execute(ADD_WORDS, (row, passage.text))
                    blob = np.ascontiguousarray(vector, np.float32).tobytes()
                    self._db.execute(ADD_VECTOR, (row, passage.language, blob, block.tenant, passage.share))

    def settle(self) -> None:
        self._db.execute("INSERT INTO words(words) VALUES ('optimize')")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def keyword(self, asked: Asked, only: Only) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in asked.words)
        found = self._db.execute(BY_WORDS, (words, only.tenant, only.share, only.share, DEPTH))
        return [number for (number,) in found]

    def dense(self, asked: Asked, only: Only) -> list[int]:
        blob = np.ascontiguousarray(asked.vector, np.float32).tobytes()
        where = (blob, DEPTH, only.tenant)
        found = (
            self._db.execute(f"{BY_VECTOR} AND share = ?", (*where, only.share))
            if only.share
            else self._db.execute(BY_VECTOR, where)
        )
        return [number for (row,) in found.fetchall() for (number,) in self._db.execute(NUMBER, (row,))]

    def hybrid(self, asked: Asked, only: Only) -> list[int]:
        return fuse((self.keyword(asked, only), self.dense(asked, only)))

    def describe(self) -> dict[str, Any]:
        return {"version": f"sqlite-vec {version('sqlite-vec')}, SQLite {apsw.sqlite_lib_version()}"}


def engine(folder: Path) -> Fts5Vec0:
    return Fts5Vec0(folder)
