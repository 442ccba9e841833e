"""What models take and give: vectors and what their cosines mean, near words, written contexts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What cosines of a model mean: constants of the model, never of a query, or thresholds would mean nothing."""

    unrelated: float
    """Below it lie 95 of 100 pairs of texts that have nothing to do with each other."""
    same: float
    """Where two texts say the same; a passage at or above it scores 1."""
    words: float | None = None
    """From which cosine two single words mean nearly the same; None for a model that was not measured on words."""

    @property
    def deviation(self) -> float:
        """How far cosines of unrelated texts spread; measured for the default model, in proportion for others."""
        return 0.11 * (self.same - self.unrelated)

    @property
    def mean(self) -> float:
        """The cosine of two texts taken at random: `unrelated` is the 95th percentile."""
        return self.unrelated - 1.645 * self.deviation

    @property
    def zero(self) -> float:
        """Where a score begins. At `unrelated` it would cost answers in another language, whose cosines are lower."""
        return self.mean + 0.5 * self.deviation

    def score(self, cosine: float) -> float:
        """The cosine on the scale of the model, 0 to 1."""
        zero = self.zero
        return min(max((cosine - zero) / (self.same - zero), 0.0), 1.0)

    def scores(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """`score` of each."""
        zero = self.zero
        return np.minimum(np.maximum((cosines - zero) / (self.same - zero), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word of the passages that means nearly what a query says."""

    form: str
    """As it is written there."""
    cosine: float


@dataclass(frozen=True, slots=True)
class Learned:
    """What a lexicon has of the words that some views can read."""

    words: int = 0
    complete: bool = False
    """Whether no passage is newer than the lexicon."""
    full: bool = False
    """Whether words were left out because there are too many."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call to a language model consumes, as services count it."""

    input: int = 0
    """Neither written to nor read from the service's prompt cache."""
    cache_written: int = 0
    cache_read: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.cache_written + other.cache_written,
            self.cache_read + other.cache_read,
            self.output + other.output,
        )


@dataclass(frozen=True, slots=True)
class Unsituated:
    """A passage that wants a context."""

    number: int
    """Of the chunk."""
    headings: str
    passage: str
    key: str
    """Names model, prompt, window and passage: under it the context is remembered."""
    tokens: int
    """Estimated: the passage and what is asked about it, without the window."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """What of a document a model reads to situate some of its passages."""

    text: str
    passages: tuple[Unsituated, ...]
    tokens: int
    """Estimated."""
    cacheable: bool
    """Whether calls that share the window can pay less for it from the second on."""


@dataclass(frozen=True, slots=True)
class WrittenContext:
    """What a model wrote about a passage, and what that took."""

    text: str
    """One line; empty where there is a problem."""
    tokens: Tokens = field(default_factory=Tokens)
    problem: str = ""
    """Why the answer cannot be used, though it was given and is billed."""
