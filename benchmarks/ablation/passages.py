"""Passages as vectors: all windows of all passages of a library, with the documents they belong to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.errors import Unavailable
from pincite.fixed import Fixed, to_fixed, unpack
from pincite.index.entries import embedded_key, embedded_text, entries
from pincite.library import Library
from pincite.models.usem import UseEmbedder
from pincite.models.windows import WindowOptions
from pincite.types import EmbeddedText

Array = NDArray[Any]

BATCH = 512
"""Texts that are embedded at once."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Windows side by side: those of a passage, the whole first; passages of a document; documents by id."""

    documents: tuple[str, ...]
    first_passage: Array
    """Of each document."""
    first_window: Array
    """Of each passage."""
    vectors: Fixed


@dataclass(frozen=True, slots=True)
class _Text:
    document: str
    key: str
    text: EmbeddedText


def stored_passages(library: Library) -> Passages:
    """The vectors that the library has."""
    texts, embedder = _texts(library), library.embedder
    blobs: dict[str, bytes] = {}
    keys = [text.key for text in texts]
    for low in range(0, len(keys), 2_000):
        blobs |= library.catalog.vectors.get(library.scope().tenant, embedder.fingerprint, keys[low : low + 2_000])
    if missing := sum(key not in blobs for key in keys):
        raise Unavailable(f"{missing:,} passages of {library.path} have no vectors yet; make them with: pincite embed")
    return _passages(texts, [unpack(blobs[key], embedder.dimensions) for key in keys])


def embedded_passages(library: Library, options: WindowOptions, folder: Path) -> Passages:
    """The same passages cut into other windows and embedded by the default model; kept in the folder."""
    texts, embedder = _texts(library), UseEmbedder(options=options)
    windows = [embedder.windows(item.text) for item in texts]
    name = hashlib.blake2b(repr((embedder.fingerprint, windows)).encode("utf-8"), digest_size=8).hexdigest()
    path = folder / f"{name}.npy"
    flat = [window for own in windows for window in own]
    vectors = _kept(path, lambda: _embedded(embedder, flat))
    return _passages(texts, np.split(vectors, np.cumsum([len(own) for own in windows])[:-1]))


def _embedded(embedder: UseEmbedder, texts: Sequence[str]) -> Fixed:
    return np.concatenate([to_fixed(embedder.embed(texts[low : low + BATCH])) for low in range(0, len(texts), BATCH)])


def questions(library: Library, texts: Sequence[str], folder: Path) -> Fixed:
    """The vectors of questions, one row each; kept in the folder."""
    embedder = library.embedder
    name = hashlib.blake2b(repr((embedder.fingerprint, *texts)).encode("utf-8"), digest_size=8).hexdigest()
    return _kept(folder / f"{name}.npy", lambda: np.stack([to_fixed(embedder.embed_query(text)) for text in texts]))


def _kept(path: Path, make: Callable[[], Fixed]) -> Fixed:
    """The array in a file, made if it is not there."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part.npy")
        np.save(unfinished, make())
        unfinished.replace(path)
    found: Fixed = np.load(path, allow_pickle=False)
    return found


def _texts(library: Library) -> list[_Text]:
    """What is alive and found by meaning: as in the index, passages that have no words of their own are left out."""
    scope = library.scope()
    info = library.catalog.repositories.get(scope)
    head = info.head if info else 0
    out = []
    for birth in library.catalog.feed.births(scope, 0, head):
        if birth.lifetime.died > head:
            for entry, chunk in zip(entries(birth), birth.derivation.chunks, strict=True):
                if any(entry.fields):
                    key, text = embedded_key(birth.content, chunk), embedded_text(birth.content, chunk)
                    out.append(_Text(birth.lifetime.element_id, key, text))
    return sorted(out, key=lambda text: text.document.encode("utf-8"))


def _passages(texts: Sequence[_Text], vectors: Sequence[Fixed]) -> Passages:
    counts = np.array([len(own) for own in vectors])
    documents = np.array([text.document for text in texts])
    starts = np.flatnonzero(np.append(True, documents[1:] != documents[:-1]))
    names = tuple(texts[start].document for start in starts.tolist())
    return Passages(names, starts, np.append(0, np.cumsum(counts)[:-1]), np.concatenate(vectors))
