"""Invented words of four languages with real function words and endings, in the order of their frequency."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SIZE = 75_000
"""Words of one language."""
LANGUAGES = ("de", "en", "fr", "it")
FUNCTION_WORDS = {
    "de": "der die und in den von zu das mit des auf für ist im dem nicht ein eine als auch",
    "en": "the of and to in a is that for it as was with be by on not this are or",
    "fr": "de la le et les des en un du une que est pour qui dans par pas au sur ne",
    "it": "di e il la che in a per un del non si le una i con da è sono come",
}
QUESTIONS = {
    "de": "wie ist die {} der {} für {} und {}",
    "en": "what is the {} of the {} for {} and {}",
    "fr": "quelle est la {} de la {} pour {} et {}",
    "it": "come è la {} del {} per {} e {}",
}
FREQUENT = 20
"""So many ranks are function words."""

_LETTERS = {
    "de": "eniratsdhulcgmobfwk",
    "en": "etaoinshrdlucmfwygp",
    "fr": "esaitnrulodcpmévqfb",
    "it": "eaionlrtscdupmvghfz",
}
_ENDINGS = {
    "de": ("", "e", "en", "er", "ung", "lich", "keit"),
    "en": ("", "s", "ed", "ing", "ly", "tion", "ness"),
    "fr": ("", "s", "e", "ment", "tion", "eur", "é"),
    "it": ("o", "a", "i", "are", "zione", "mente", "tà"),
}


@cache
def words(language: str) -> Array:
    """Function words first; then the frequent ones are short, as in any language."""
    rng = np.random.default_rng([7, LANGUAGES.index(language)])
    ranks = np.arange(FREQUENT + 1, SIZE + 1)
    lengths = np.clip(rng.normal(1 + 0.8 * np.log(ranks), 1.2), 2, 14).astype(int)
    drawn = "".join(rng.choice(list(_LETTERS[language]), int(lengths.sum())).tolist())
    endings = rng.choice(_ENDINGS[language], len(ranks))
    ends = np.cumsum(lengths)
    invented = [
        drawn[end - length : end] + ending
        for end, length, ending in zip(ends.tolist(), lengths.tolist(), endings.tolist(), strict=True)
    ]
    return np.array([*FUNCTION_WORDS[language].split()[:FREQUENT], *invented], dtype=object)


@cache
def zipf(size: int = SIZE) -> Array:
    """Cumulative Zipf-Mandelbrot distribution over ranks: exponent 1.05, offset 2.7, as measured on natural text."""
    weights = 1 / (np.arange(1, size + 1) + 2.7) ** 1.05
    return np.cumsum(weights / weights.sum())


def draw(rng: np.random.Generator, count: int, size: int = SIZE) -> Array:
    """So many ranks by that distribution."""
    return np.minimum(np.searchsorted(zipf(size), rng.random(count)), size - 1)
