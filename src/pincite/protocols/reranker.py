"""A reranker: a question and passages in, judgements out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pincite.meaning import Floats


class Reranker(Protocol):
    """Reads a question together with a passage and judges how well the one answers the other."""

    @property
    def name(self) -> str:
        """By which it is configured, e.g. `onnx:models/reranker`."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides a score: model, version, precision, tokenizer, length, which output is read."""

    @property
    def deterministic(self) -> bool:
        """Whether the same passage is judged the same every time and in every process.

        Answers that another reranker took part in are not replayable, and say so.
        """

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """0 to 1 for each text; from a deterministic model the same whatever stands beside it, every time, everywhere.

        A text without anything in it scores 0. `Unavailable` if the model cannot judge.
        """
