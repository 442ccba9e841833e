"""Vectors in fixed point: the form in which they are stored and compared, the same on every machine."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator
from pincite.errors import Damaged, EmbeddingFailed
from pincite.meaning import Floats

Fixed: TypeAlias = NDArray[np.int16]

FIXED = 32_767
"""Scale of fixed-point vectors (int16): sums of products are exact in float64, so any order gives the same bits."""

NORM_TOLERANCE = 1e-3
"""How far from 1 the length of a unit vector may be; float32 models stay within 1e-6."""

MAX_WINDOWS = 8
"""Maximum number of vectors per text."""

_STORED = np.dtype("<i2")


def check_vectors(vectors: Floats) -> Floats:
    """The vectors, unchanged; `EmbeddingFailed` if one is not finite, has no direction, or is not of unit length."""
    rows = np.atleast_2d(vectors).astype(np.float64)
    if not np.isfinite(rows).all():
        raise EmbeddingFailed("the model returned a vector with NaN or infinite components")
    norms = np.sqrt((rows * rows).sum(axis=1))
    if (norms == 0).any():
        raise EmbeddingFailed("the model returned a vector of length zero")
    off = float(np.abs(norms - 1).max(initial=0.0))
    if off > NORM_TOLERANCE:
        raise EmbeddingFailed(
            f"the model returned a vector whose length differs from 1 by {off:.3g}; it must be normalised"
        )
    return vectors


def unit(vectors: NDArray[np.floating]) -> Floats:
    """The rows as float32 unit vectors; `EmbeddingFailed` for a row without a direction."""
    rows = np.asarray(vectors, dtype=np.float64)
    norms = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    # Checked before the division: a zero or non-finite row has no direction.
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise EmbeddingFailed("the model returned a vector without direction (zero, NaN or infinite)")
    return check_vectors((rows / norms).astype(np.float32))


def to_fixed(vectors: Floats) -> Fixed:
    """Components times `FIXED`, rounded half to even. Unit vectors only: components must be between -1 and 1."""
    scaled = np.rint(vectors.astype(np.float64) * FIXED)
    # A norm of 1.0000001 in float32 can push a single component just past the scale.
    return np.clip(scaled, -FIXED, FIXED).astype(np.int16)


def question(vector: Floats) -> tuple[int, ...]:
    """The unit vector of a question in the form an index expects."""
    return tuple(to_fixed(vector).tolist())


def pack(vectors: Fixed) -> bytes:
    """Row after row, little-endian, two bytes per component."""
    return np.ascontiguousarray(vectors, dtype=_STORED).tobytes()


def unpack(blob: bytes, dimensions: int) -> Fixed:
    """The rows written by `pack`; `Damaged` if the blob does not hold a whole number of rows."""
    if len(blob) % (dimensions * _STORED.itemsize):
        raise Damaged(f"{len(blob)} bytes are not a whole number of {dimensions}-dimensional vectors")
    return np.frombuffer(blob, dtype=_STORED).astype(np.int16, copy=False).reshape(-1, dimensions)


def _embed_again() -> str:
    return by_operator("embed again with", "pincite embed")


def dimensions_of(blob: bytes) -> int:
    """Dimensions of one vector. Each has length 1 in fixed point, so the sum of squares gives the number of vectors."""
    components = np.frombuffer(blob, _STORED).astype(np.float64)
    count = max(1, round(float(components @ components) / FIXED**2))
    if not len(components) or count > MAX_WINDOWS or len(components) % count:
        raise Damaged(f"a vector in the catalog is not of unit length; {_embed_again()}")
    return len(components) // count


def count_of(key: str, blob: bytes, dimensions: int) -> int:
    """The number of vectors of a text."""
    count, rest = divmod(len(blob), 2 * dimensions)
    if rest or not 1 <= count <= MAX_WINDOWS:
        raise Damaged(
            f"the vectors of text {key} have {len(blob)} bytes, expected 1 to {MAX_WINDOWS} vectors of"
            f" {dimensions} dimensions; {_embed_again()}"
        )
    return count
