"""A reranker without a model: the share of the question's words found in a passage. For tests and experiments."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from pincite.meaning import Floats
from pincite.text.fold import clean, fold

_WORD = re.compile(r"\w+")


class OverlapReranker:
    """Each distinct word counts the same; words are compared without case, accents or umlauts."""

    name = "overlap"
    fingerprint = "overlap/1"
    deterministic = True

    def describe(self) -> dict[str, str]:
        """How scores are computed, in words."""
        return {"model": "none: words that question and passage share", "score": "share of the question's words"}

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        wanted = _words(query)
        return np.array([len(wanted & _words(text)) / max(1, len(wanted)) for text in texts], dtype=np.float32)


def _words(text: str) -> set[str]:
    return {fold(word) for word in _WORD.findall(clean(text))}
