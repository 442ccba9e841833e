"""Understood: what a model made of a question, so that it can be asked again without the model.

A service may give another vector tomorrow, and a model may be gone. What decides an answer is the vector in fixed point
and the words that stand in for the query's own; both are small, and a replay token carries them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from pincite.fixed import pack, unpack
from pincite.meaning import Calibration
from pincite.queries import Ranking, Some, VectorQuery, Word, WordQuery


@dataclass(frozen=True, slots=True)
class Understood:
    """What the model of the dense leg said."""

    fingerprint: str
    calibration: Calibration
    vector: tuple[int, ...]
    """Of the question, as the index takes it."""
    stand_ins: tuple[Word, ...] | None = None
    """Words of the passages that mean nearly what the query says; None where none were looked up."""

    def to_json(self) -> dict[str, Any]:
        words = self.stand_ins
        return {
            "model": self.fingerprint,
            "calibration": astuple(self.calibration),
            "vector": base64.b64encode(pack(np.array(self.vector, np.int16))).decode("ascii"),
            "stand_ins": None if words is None else [(word.text, word.weight) for word in words],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Understood:
        packed, words = base64.b64decode(value["vector"]), value["stand_ins"]
        return cls(
            value["model"],
            Calibration(*value["calibration"]),
            tuple(unpack(packed, len(packed) // 2)[0].tolist()),
            None if words is None else tuple(Word(text, weight=weight) for text, weight in words),
        )


def said_in(rankings: Sequence[Ranking]) -> Understood | None:
    """What the rankings of an answer were asked with; None where the dense leg did not answer."""
    asked = {ranking.leg: ranking.asked for ranking in rankings}
    dense, related = asked.get("dense"), asked.get("related")
    if not isinstance(dense, VectorQuery):
        return None
    words = related.words if isinstance(related, WordQuery) else None
    stand_ins = tuple(part for part in words.parts if isinstance(part, Word)) if isinstance(words, Some) else None
    return Understood(dense.fingerprint, dense.calibration, dense.vector, stand_ins)
