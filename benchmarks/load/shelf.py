"""The library that is served: the corpus of `benchmarks.speed`, searched with a real model.

Embedding a corpus of this size takes hours on two cores. So its planted vectors, which look like those of the model
(`speed/vectors.py`), stand in for the passages' own, and questions are embedded by the model itself. A request costs
what it would cost; which passages the dense leg finds near means nothing, and no figure here depends on it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import pincite
from benchmarks.speed.corpus import BIG, PER_ELEMENT, blocks, questions
from benchmarks.speed.engines import open_engine
from benchmarks.speed.engines.projected import MODEL
from benchmarks.speed.vectors import DIMENSIONS
from pincite.types import Scope

READY = "load.json"
SCOPE = Scope(tenant=BIG)
SEED = 5
"""Of the questions; others than those of `make bench`."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is served, and how."""

    folder: str
    chunks: int
    model: str

    @property
    def environ(self) -> dict[str, str]:
        return {
            "PINCITE_LIBRARY": self.folder,
            "PINCITE_TENANT": BIG,
            "PINCITE_DENSE": "auto",
            "PINCITE_EMBEDDING__MODEL": self.model,
        }

    def open(self) -> pincite.Library:
        return pincite.open(self.folder, tenant=BIG, dense="auto", embedding={"model": self.model})


def shelf(folder: Path, chunks: int, model: str, copied: Path | None = None) -> Shelf:
    """The library in a folder: the one that an earlier run left there, or a new one, which takes minutes."""
    wanted = Shelf(str(folder.resolve()), chunks, model)
    ready = folder / READY
    if ready.exists():
        if json.loads(ready.read_text(encoding="utf-8")) == {"chunks": chunks, "model": model}:
            return wanted
        raise SystemExit(f"{folder} holds another library ({ready.read_text(encoding='utf-8')}); name another folder")
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} holds something else, or what a run left unfinished; remove it or name another")
    if copied is None:
        print(f"building {chunks:,} chunks", flush=True)
        engine = open_engine("segments", folder)
        engine.put(blocks(chunks))
        engine.settle()
        engine.close()
    else:
        shutil.copytree(copied, folder, dirs_exist_ok=True)
    _adopt(wanted)
    made = {key: value for key, value in asdict(wanted).items() if key != "folder"}
    ready.write_text(json.dumps(made), encoding="utf-8")
    return wanted


def _adopt(made: Shelf) -> None:
    """Give the planted vectors to the model, and have it learn the corpus's words, as `pincite embed` does."""
    print(f"giving it to {made.model} and learning words", flush=True)
    with made.open() as library:
        embedder = library.embedder
        if embedder.dimensions != DIMENSIONS:
            raise SystemExit(f"{made.model} has {embedder.dimensions} dimensions, the corpus {DIMENSIONS}")
        count = library.index.status(SCOPE).chunks
        if count != made.chunks:
            raise SystemExit(f"{made.folder} holds {count:,} chunks, not {made.chunks:,}")
    with closing(sqlite3.connect(Path(made.folder) / "catalog.db")) as catalog, catalog:
        catalog.execute("UPDATE vectors SET fingerprint = ? WHERE fingerprint = ?", (embedder.fingerprint, MODEL))
    with made.open() as library:
        library.index.drop_vectors(SCOPE, MODEL)
        report = library.embed()
        if report.embedded or report.waiting or report.parked:
            raise SystemExit(f"texts without a planted vector: {report}")


def asked(chunks: int, count: int) -> list[tuple[str, str]]:
    """Questions, and the element that holds the passage each was made from."""
    return [(one.text, f"e{one.answer // PER_ELEMENT:07d}") for one in questions(chunks, count, seed=SEED)]
