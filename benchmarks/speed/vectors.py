"""Clustered unit vectors that look like those of a real model.

Compared with the default model on 30,000 passages of Swiss law: the spectrum falls like rank^-0.5 and then faster
(participation ratio about 100), all vectors lean one way (mean of length 0.45, cosine of two at random 0.2), passages
of one element are near each other (0.7), those of one topic less (0.45), and a question is
only half as near to its answer as the answer's neighbours are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

DIMENSIONS = 512
TOPICS = 1_000
LEAN, TOPIC, ELEMENT, PASSAGE = 0.2, 0.25, 0.25, 0.3
"""Shares of a vector's square: what all have in common, its topic, its element, itself."""
NEARNESS = 0.5
"""How much of a question's direction is that of its answer; the rest is noise."""


def passages(rng: np.random.Generator, topics: Array, elements: Array) -> Array:
    """One unit vector for each passage: `topics` of the elements, `elements` the place of each passage's element."""
    common, centroids = _centroids()
    own = _directions(rng, len(topics))
    rows = np.sqrt(TOPIC) * centroids[topics] + np.sqrt(ELEMENT) * own
    rows = np.sqrt(LEAN) * common + rows[elements] + np.sqrt(PASSAGE) * _directions(rng, len(elements))
    return _unit(rows)


def question(rng: np.random.Generator, answer: Array) -> Array:
    """A unit vector that is nearer to the answer than to nearly everything else."""
    common, _ = _centroids()
    toward = _unit((answer - np.sqrt(LEAN) * common)[None, :])
    asked: Array = _unit(NEARNESS * toward + np.sqrt(1 - NEARNESS**2) * _directions(rng, 1))[0]
    return asked


@cache
def _spectrum() -> Array:
    """The square roots of the variances, then a rotation: no axis is special, as in a real model."""
    ranks = np.arange(DIMENSIONS)
    variances = (ranks + 1.0) ** -0.5 * np.exp(-((ranks / 180) ** 1.4))
    rotation, _ = np.linalg.qr(np.random.default_rng(11).standard_normal((DIMENSIONS, DIMENSIONS)))
    spectrum: Array = (np.sqrt(variances / variances.sum())[:, None] * rotation).astype(np.float32)
    return spectrum


@cache
def _centroids() -> tuple[Array, Array]:
    rng = np.random.default_rng(12)
    return _unit(_directions(rng, 1))[0], _directions(rng, TOPICS)


def _directions(rng: np.random.Generator, count: int) -> Array:
    """Of length 1 on average."""
    drawn: Array = rng.standard_normal((count, DIMENSIONS), np.float32) @ _spectrum()
    return drawn


def _unit(rows: Array) -> Array:
    scaled: Array = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled
