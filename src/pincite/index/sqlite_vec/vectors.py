"""Vectors in the file: in full once per text, and the signs of their components once per chunk, for `vec0` to scan.

The key of a chunk's vector is the chunk's number times `MAX_WINDOWS`, plus the number of the window.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from pincite.fixed import MAX_WINDOWS, Fixed, count_of, dimensions_of, unpack
from pincite.index.nearness import Windows, windows_of
from pincite.index.sqlite_vec.schema import VECTOR_TABLES
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.protocols import Catalog
from pincite.types import Scope

FETCH = 2_000
"""Texts whose vectors are read from the catalog at once."""


def model_id(store: SqliteVecFile, fingerprint: str) -> tuple[int, int] | None:
    """Number and dimensions of a model that has vectors here."""
    rows = store.all("SELECT id, dimensions FROM models WHERE fingerprint = ?", (fingerprint,))
    return (int(rows[0][0]), int(rows[0][1])) if rows else None


def model_ids(store: SqliteVecFile) -> list[int]:
    return [model for (model,) in store.all("SELECT id FROM models ORDER BY id")]


def has_vectors(store: SqliteVecFile, repository: int, fingerprint: str) -> bool:
    return store.one(_TAKEN, (repository, fingerprint)) is not None


_TAKEN = "SELECT 1 FROM taken WHERE repository = ? AND fingerprint = ?"


# --- taking in ------------------------------------------------------------------------------------------------


def take(store: SqliteVecFile, repository: int, scope: Scope, fingerprint: str, catalog: Catalog) -> int:
    """Bring in what the catalog has and the file has not; how many texts. Inside a write transaction."""
    known = model_id(store, fingerprint)
    missing = store.all(_MISSING if known is None else _MISSING_OF.format(model=known[0]), (repository,))
    added = 0
    for start in range(0, len(missing), FETCH):
        batch = {key: text for text, key in missing[start : start + FETCH]}
        found = catalog.vectors.get(scope.tenant, fingerprint, list(batch))
        if not found:
            continue
        known = known or _new_model(store, fingerprint, next(iter(found.values())))
        store.connection.executemany(
            f"INSERT INTO exact_{known[0]} (text, vectors) VALUES (?, ?)",
            [(batch[key], _checked(key, blob, known[1])) for key, blob in found.items()],
        )
        added += len(found)
    if known is not None:
        _scan_new(store, repository, *known)
    if added:
        store.run("INSERT OR IGNORE INTO taken VALUES (?, ?)", (repository, fingerprint))
    return added


_MISSING = "SELECT id, key FROM texts WHERE repository = ? ORDER BY id"
_MISSING_OF = """
SELECT id, key FROM texts t WHERE repository = ? AND NOT EXISTS (SELECT 1 FROM exact_{model} e WHERE e.text = t.id)
ORDER BY id
"""


def _scan_new(store: SqliteVecFile, repository: int, model: int, dimensions: int) -> None:
    """Give `vec0` the signs of chunks whose text has vectors and that it does not know yet."""
    new = [chunk for (chunk,) in store.all(_NEW.format(model=model), (repository,))]
    for start in range(0, len(new), FETCH):
        rows = []
        for *facts, blob in store.all(_FACTS.format(model=model), (json.dumps(new[start : start + FETCH]),)):
            for window, vector in enumerate(unpack(blob, dimensions)):
                rows.append((facts[0] * MAX_WINDOWS + window, repository, *facts[1:], signs(vector)))
        store.connection.executemany(_NEAR.format(model=model), rows)
        store.connection.executemany(
            "INSERT INTO scanned VALUES (?, ?)", [(model, chunk) for chunk in new[start : start + FETCH]]
        )


_NEW = """
SELECT c.id FROM texts t CROSS JOIN chunks c ON c.text = t.id
WHERE t.repository = ? AND EXISTS (SELECT 1 FROM exact_{model} e WHERE e.text = t.id)
AND NOT EXISTS (SELECT 1 FROM scanned s WHERE s.model = {model} AND s.chunk = c.id)
ORDER BY c.id
"""
_FACTS = """
SELECT c.id, c.language, l.born, l.died, l.valid_from, l.valid_to, l.audience, e.vectors
FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN lives l ON l.id = c.life
CROSS JOIN exact_{model} e ON e.text = c.text
"""
_NEAR = """
INSERT INTO near_{model} (id, repository, language, born, died, valid_from, valid_to, audience, signs)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, vec_bit(?))
"""


def signs(vector: Fixed) -> bytes:
    """Which components are positive; filled up to whole bytes."""
    return np.packbits(vector > 0, bitorder="little").tobytes()


def _new_model(store: SqliteVecFile, fingerprint: str, blob: bytes) -> tuple[int, int]:
    dimensions = dimensions_of(blob)
    model = store.insert("INSERT INTO models (fingerprint, dimensions) VALUES (?, ?)", (fingerprint, dimensions))
    store.run(VECTOR_TABLES.format(model=model, bits=-(-dimensions // 8) * 8))
    return model, dimensions


def _checked(key: str, blob: bytes, dimensions: int) -> bytes:
    count_of(key, blob, dimensions)
    return blob


def vectors_of(store: SqliteVecFile, model: int, dimensions: int, texts: Iterable[int]) -> Windows[int] | None:
    """The vectors of texts; None where none of them has any."""
    rows = store.all(_EXACT.format(model=model), (json.dumps(list(texts)),))
    return windows_of([(text, blob) for text, blob in rows], dimensions)


_EXACT = "SELECT e.text, e.vectors FROM json_each(?) j CROSS JOIN exact_{model} e WHERE e.text = j.value"


# --- letting go -----------------------------------------------------------------------------------------------


def bury_vectors(store: SqliteVecFile, models: Sequence[int], life: int, died: int) -> None:
    for model in models:
        chunks = store.all(_SCANNED_OF, (model, life))
        # One by one: of an UPDATE that names several rows sqlite-vec believes that it changes their partition.
        keys = [(died, chunk * MAX_WINDOWS + window) for (chunk,) in chunks for window in range(MAX_WINDOWS)]
        store.connection.executemany(f"UPDATE near_{model} SET died = ? WHERE id = ?", keys)


_SCANNED_OF = "SELECT c.id FROM chunks c JOIN scanned s ON s.model = ? AND s.chunk = c.id WHERE c.life = ?"


def forget_chunks(store: SqliteVecFile, chunks: Sequence[int]) -> None:
    """Delete the signs of chunks, of every model."""
    wanted = (json.dumps(chunks),)
    for model in model_ids(store):
        store.run(_FORGET.format(model=model, windows=MAX_WINDOWS), wanted)
    store.run("DELETE FROM scanned WHERE chunk IN (SELECT value FROM json_each(?))", wanted)


_FORGET = """
DELETE FROM near_{model} WHERE id IN (
    SELECT j.value * {windows} + w.value FROM json_each(?) j, json_each('[0,1,2,3,4,5,6,7]') w
)
"""


def forget_unused(store: SqliteVecFile) -> None:
    """Delete texts that no chunk says any more, and their vectors."""
    store.run("DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.text = texts.id)")
    for model in model_ids(store):
        store.run(f"DELETE FROM exact_{model} WHERE text NOT IN (SELECT id FROM texts)")


def drop(store: SqliteVecFile, repository: int, fingerprint: str) -> None:
    """Let go of a model's vectors in one repository. Inside a write transaction."""
    known = model_id(store, fingerprint)
    store.run("DELETE FROM taken WHERE repository = ? AND fingerprint = ?", (repository, fingerprint))
    if known is None:
        return
    model = known[0]
    if store.one("SELECT 1 FROM taken WHERE fingerprint = ?", (fingerprint,)) is None:
        store.run(f"DROP TABLE near_{model}; DROP TABLE exact_{model}")
        store.run("DELETE FROM scanned WHERE model = ?", (model,))
        store.run("DELETE FROM models WHERE id = ?", (model,))
        return
    store.run(f"DELETE FROM near_{model} WHERE repository = ?", (repository,))
    store.run(_UNSCAN, (model, repository))
    store.run(f"DELETE FROM exact_{model} WHERE text IN (SELECT id FROM texts WHERE repository = ?)", (repository,))


_UNSCAN = """
DELETE FROM scanned WHERE model = ? AND chunk IN (
    SELECT c.id FROM chunks c JOIN lives l ON l.id = c.life WHERE l.repository = ?
)
"""
