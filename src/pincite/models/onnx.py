"""Any sentence-transformers model as ONNX, with onnxruntime and tokenizers instead of torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pincite.errors import EmbeddingFailed, InvalidArgument
from pincite.extras import require
from pincite.fixed import unit
from pincite.meaning import Calibration, Floats
from pincite.models.folder import ModelFolder, read_folder
from pincite.models.graph import CHARS_PER_TOKEN, Graph
from pincite.models.pooling import POOLING
from pincite.models.texts import readable
from pincite.models.windows import DEFAULT, WindowOptions, windows
from pincite.types import EmbeddedText

SENTENCES = ("sentence_embedding", "dense_vecs")
"""Outputs that are already pooled."""
TOKENS = ("last_hidden_state", "token_embeddings")

BATCH_TEXTS = 32
BATCH_TOKENS = 4_096
"""Padded tokens in one run: attention needs memory for the square of the length."""

CALIBRATIONS = {
    "mean": Calibration(unrelated=0.20, same=0.80),
    "cls": Calibration(unrelated=0.50, same=0.85),
}
"""For models without a calibration: rounded values measured for MiniLM and bge-small. Other poolings count as mean.
A model's pincite.json may state its own."""


class OnnxEmbedder:
    """The model in a folder. Loaded at the first embedding; settings are read and validated on construction."""

    deterministic = True

    def __init__(self, folder: Path | str, *, threads: int = 1, options: WindowOptions | None = None) -> None:
        require("models", "ONNX models", "onnxruntime", "tokenizers")
        self._given = Path(folder)
        self._folder: ModelFolder = read_folder(self._given)
        self._graph = Graph(self._folder, threads=threads, field="embedder")
        self._options = options or _stated_windows(self._folder)

    @property
    def name(self) -> str:
        return f"onnx:{self._given}"

    @cached_property
    def dimensions(self) -> int:
        if self._folder.dimensions:
            return self._folder.dimensions
        stated = self._graph.session.get_outputs()[self._output[0]].shape[-1]
        return stated if isinstance(stated, int) else int(self._run([self._tokens("a")]).shape[1])

    @property
    def calibration(self) -> Calibration:
        stated = self._folder.notes.calibration
        if stated:
            return Calibration(stated.unrelated, stated.same)
        return CALIBRATIONS.get(self._folder.pooling, CALIBRATIONS["mean"])

    @cached_property
    def fingerprint(self) -> str:
        folder, prompts = self._folder, self._folder.prompts
        return ";".join(
            (
                f"onnx/1:{self._graph.identity.sha256}",
                f"tokenizer={self._graph.tokenizer_hash}",
                f"{self._graph.identity.precision};dimensions={self.dimensions};pooling={folder.pooling}",
                f"max_length={folder.max_length};lowercase={folder.lowercase}",
                f"query={prompts.query!r};passage={prompts.passage!r}",
                self._options.fingerprint,
            )
        )

    def describe(self) -> dict[str, str]:
        """How vectors are computed, in words, including any assumptions."""
        folder = self._folder
        return {
            "model": str(folder.model),
            "source": folder.notes.source or "not stated",
            "precision": self._graph.identity.precision,
            "pooling": folder.pooling,
            "max_length": str(folder.max_length),
            "prompt": f"query {folder.prompts.query!r}, passage {folder.prompts.passage!r}",
            "assumed": "; ".join(folder.assumed) or "nothing",
        }

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return windows(passage, self._options)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, computed in batches of similar length; each is the same whatever else is embedded."""
        encoded = [self._tokens(self._folder.prompts.passage + readable(text)) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for rows in self._batches([len(ids) for ids in encoded]):
            vectors[rows] = self._run([encoded[row] for row in rows])
        return vectors

    def embed_query(self, text: str) -> Floats:
        """One vector, from a batch of one."""
        vector: Floats = self._run([self._tokens(self._folder.prompts.query + readable(text))])[0]
        return vector

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        """Rows ordered by length, in batches as large as the limits allow.

        Quantised models take the range of their activations from the whole batch, so a neighbour would change a vector
        by up to 0.035 (seen with MiniLM, cosine 0.985). They get one text at a time, which is 1.3 to 1.7 times slower.
        """
        most = 1 if self._graph.identity.precision == "int8" else BATCH_TEXTS
        batch: list[int] = []
        for row in sorted(range(len(lengths)), key=lambda row: (lengths[row], row)):
            if batch and (len(batch) == most or lengths[row] * (len(batch) + 1) > BATCH_TOKENS):
                yield batch
                batch = []
            batch.append(row)
        if batch:
            yield batch

    def _tokens(self, text: str) -> list[int]:
        text = text[: self._folder.max_length * CHARS_PER_TOKEN]
        ids: list[int] = self._tokenizer.encode(text.lower() if self._folder.lowercase else text).ids
        if not ids:
            raise EmbeddingFailed(f"the tokenizer finds nothing in {text[:40]!r}")
        return ids

    def _run(self, batch: Sequence[list[int]]) -> Floats:
        ids = np.full((len(batch), max(map(len, batch))), self._graph.pad_id, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        at, pooled = self._output
        found = self._graph.run(at, ids, mask)
        vectors = unit(found if pooled else POOLING[self._folder.pooling](found, mask))
        if self._folder.dimensions not in (None, vectors.shape[1]):
            raise InvalidArgument(
                f"{self._folder.path} states {self._folder.dimensions} dimensions, the model gives {vectors.shape[1]}",
                field="embedder",
            )
        return vectors

    @cached_property
    def _output(self) -> tuple[int, bool]:
        """Which output to read, and whether it is already pooled."""
        outputs = [(item.name, len(item.shape)) for item in self._graph.session.get_outputs()]
        for names, pooled in ((SENTENCES, True), (TOKENS, False)):
            for at, (name, _) in enumerate(outputs):
                if name in names:
                    return at, pooled
        return 0, outputs[0][1] == 2

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._graph.tokenizer
        tokenizer.enable_truncation(self._folder.max_length)
        return tokenizer


def _stated_windows(folder: ModelFolder) -> WindowOptions:
    stated = folder.notes.windows
    if not stated:
        return DEFAULT
    try:
        return WindowOptions(**stated)
    except TypeError as error:
        raise InvalidArgument(f"{folder.path / 'pincite.json'}: windows: {error}", field="windows") from error
