"""Any sentence-transformers CrossEncoder as ONNX, without torch: it reads question and passage together.

One pair at a time: in a batch, padding (and with int8 the range of the activations) would make a passage's score depend
on its neighbours, and an answer would no longer replay to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pincite.errors import EmbeddingFailed, InvalidArgument, Unavailable
from pincite.extras import require
from pincite.meaning import Floats
from pincite.models.folder import ModelFolder, read_folder
from pincite.models.graph import CHARS_PER_TOKEN, Graph
from pincite.models.texts import readable

POSITIVE = frozenset({"relevant", "positive", "entailment", "duplicate", "paraphrase", "true", "yes"})
"""Usual names of the output for "this passage answers"; if none of them is present, it is the last output."""
_VECTORS = ("last_hidden_state", "token_embeddings", "sentence_embedding", "dense_vecs")
"""Outputs of embedders: vectors, which cannot be read as a judgement."""


class CrossEncoder:
    """The model in a folder. Loaded at the first judgement; its settings are read on construction."""

    deterministic = True

    def __init__(self, folder: Path | str, *, threads: int = 1) -> None:
        require("models", "ONNX models", "onnxruntime", "tokenizers")
        self._given = Path(folder)
        self._folder: ModelFolder = read_folder(self._given)
        self._graph = Graph(self._folder, threads=threads, field="reranker")

    @property
    def name(self) -> str:
        return f"onnx:{self._given}"

    @cached_property
    def fingerprint(self) -> str:
        folder, graph = self._folder, self._graph
        return ";".join(
            (
                f"cross-encoder/1:{graph.identity.sha256}",
                f"tokenizer={graph.tokenizer_hash}",
                f"{graph.identity.precision};max_length={folder.max_length};lowercase={folder.lowercase}",
                f"labels={','.join(folder.labels)}",
            )
        )

    def describe(self) -> dict[str, str]:
        """How scores are computed, in words."""
        folder = self._folder
        named = f" ({folder.labels[self._positive]!r})" if folder.labels else ""
        read = f"softmax, output {self._positive + 1} of {self._outputs}{named}" if self._outputs > 1 else "sigmoid"
        return {
            "model": str(folder.model),
            "source": folder.notes.source or "not stated",
            "precision": self._graph.identity.precision,
            "max_length": str(folder.max_length),
            "score": read,
        }

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        asked = self._tokens(query)
        return np.array([self._judge(asked, self._tokens(text)) for text in texts], dtype=np.float32)

    def _judge(self, query: Any, passage: Any) -> float:
        if query is None or passage is None:
            return 0.0
        pair = self._pair(query, passage)
        ids, mask, kinds = (np.array([row], dtype=np.int64) for row in (pair.ids, pair.attention_mask, pair.type_ids))
        logits = [float(value) for value in self._graph.run(self._output, ids, mask, kinds).reshape(-1)]
        if len(logits) != self._outputs or not all(map(math.isfinite, logits)):
            raise Unavailable(f"{self._folder.model} returned {logits}, which is not a valid score")
        return _sigmoid(logits[0]) if len(logits) == 1 else _softmax(logits)[self._positive]

    def _tokens(self, text: str) -> Any:
        """The text as tokens, or None if it is empty."""
        try:
            text = readable(text)[: self._folder.max_length * CHARS_PER_TOKEN]
        except EmbeddingFailed:
            return None
        found = self._graph.tokenizer.encode(text.lower() if self._folder.lowercase else text, add_special_tokens=False)
        return found if found.ids else None

    def _pair(self, query: Any, passage: Any) -> Any:
        """Both, with the model's special tokens. The passage is truncated first; the query keeps up to half."""
        tokenizer, length = self._graph.tokenizer, self._folder.max_length
        query.truncate(min(len(query.ids), length // 2))
        room = length - tokenizer.num_special_tokens_to_add(True) - len(query.ids)
        if room < 1:
            raise InvalidArgument(
                f"{self._folder.path} reads only {length} tokens, too few for a question and a passage",
                field="reranker",
            )
        passage.truncate(min(len(passage.ids), room))
        return tokenizer.post_process(query, passage)

    @cached_property
    def _output(self) -> int:
        """The output to read: the one named logits, otherwise the first."""
        outputs = self._graph.session.get_outputs()
        at = next((number for number, item in enumerate(outputs) if item.name == "logits"), 0)
        if outputs[at].name in _VECTORS or len(outputs[at].shape) > 2:
            raise InvalidArgument(
                f"{self._folder.model} returns vectors ({outputs[at].name}), so it is an embedder; a reranker must be a"
                " cross-encoder, exported with its classifier (output logits)",
                field="reranker",
            )
        return at

    @cached_property
    def _outputs(self) -> int:
        """How many numbers the model returns for a pair."""
        shape = self._graph.session.get_outputs()[self._output].shape
        stated = len(self._folder.labels)
        given = shape[1] if len(shape) == 2 and isinstance(shape[1], int) else stated or 1
        if stated and given != stated:
            raise InvalidArgument(
                f"{self._folder.path / 'config.json'} lists {stated} labels, but the model returns {given}",
                field="reranker",
            )
        return given

    @cached_property
    def _positive(self) -> int:
        """Which of several outputs means "this passage answers"."""
        named = [number for number, label in enumerate(self._folder.labels) if label.casefold() in POSITIVE]
        return named[0] if len(named) == 1 else self._outputs - 1


def _sigmoid(logit: float) -> float:
    """The logistic function, without overflow at either end."""
    small = math.exp(-abs(logit))
    return 1 / (1 + small) if logit >= 0 else small / (1 + small)


def _softmax(logits: Sequence[float]) -> list[float]:
    most = max(logits)
    powers = [math.exp(logit - most) for logit in logits]
    return [power / sum(powers) for power in powers]
