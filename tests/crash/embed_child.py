"""What runs in the embedding workers that get killed: a slow embedder that writes down what it embeds."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
from crash_child import die_at

from pincite.catalog.sqlite import SqliteCatalog
from pincite.fixed import pack, to_fixed
from pincite.ids import text_hash
from pincite.ingest.embed import EmbedOptions, embed
from pincite.meaning import Calibration, Floats
from pincite.protocols import Index
from pincite.types import EmbeddedText, Scope

SCOPE = Scope("acme", "legal", "decisions")
BATCH = 8


def text_of(number: int) -> str:
    """All of one length, so that batches hold the same number of texts."""
    return f"passage number {number:05d} says something of its own"


def vector_of(text: str) -> Floats:
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    row = np.frombuffer(digest, dtype=np.uint8).astype(np.float32) - 127.5
    return cast("Floats", row / np.linalg.norm(row))


def expected_vectors(texts: int) -> dict[str, bytes]:
    """Text hash → what must be stored in the end."""
    return {text_hash(text): pack(to_fixed(vector_of(text)[np.newaxis])) for text in map(text_of, range(texts))}


class LoggingEmbedder:
    """Embeds slowly; each text is on disk, in the log, before its vector is given."""

    name = "logging"
    fingerprint = "logging-32"
    dimensions = 32
    deterministic = True
    calibration = Calibration(0.0, 1.0)

    def __init__(self, log: Path, seconds_per_text: float) -> None:
        self._log = log
        self._seconds = seconds_per_text

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return (passage.text,)

    def embed(self, texts: Sequence[str]) -> Floats:
        with self._log.open("a", encoding="utf-8") as file:
            for text in texts:
                file.write(f"{os.getpid()} {text_hash(text)}\n")
                file.flush()
                os.fdatasync(file.fileno())  # no step at which to die
                time.sleep(self._seconds)
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        return vector_of(text)


class NoIndex:
    def take_vectors(self, _scope: Scope, _fingerprint: str) -> int:
        return 0


def prepare(home: Path, texts: int) -> None:
    """A catalog whose passages wait to be queued; four revisions, and passages that two elements share."""
    from pincite.testing.catalog import commit, put  # not in the children: pytest and hypothesis take half a second

    home.mkdir(parents=True)
    (home / "log").touch()
    catalog = SqliteCatalog(home / "catalog.db")
    for start in range(0, texts, texts // 4):
        numbers = range(start, start + texts // 4)
        commit(catalog, *(put(f"e{n}", text_of(n)) for n in numbers), put(f"twin{start}", text_of(start)), scope=SCOPE)
    catalog.close()


def embed_slowly(home: Path, lease_seconds: float, seconds_per_text: float = 0.002) -> None:
    """Queue and embed until nothing waits any more, and say what was done."""
    catalog = SqliteCatalog(home / "catalog.db")
    size = BATCH * len(EmbeddedText(text_of(0), "", "en").stored)
    options = EmbedOptions(size, size, claim_texts=4 * BATCH, lease_seconds=lease_seconds)
    embedder = LoggingEmbedder(home / "log", seconds_per_text)
    report = embed(catalog, cast("Index", NoIndex()), [SCOPE], embedder, options)
    catalog.close()
    (home / "outcome").write_text(json.dumps({"embedded": report.embedded, "parked": report.parked}))


def embed_and_die(home: Path, step: int, lease_seconds: float) -> None:
    """The same, killed right before its n-th durable step."""
    die_at(step)
    embed_slowly(home, lease_seconds, 0.0)
