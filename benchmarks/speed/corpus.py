"""The synthetic corpus: any stretch of it, in any order, from a seed; and questions whose answers are known.

Zipfian text of varied length in four languages; the topic of an element drives its words and its vectors, so that both
legs have something to find. `share` divides the elements into parts of 1, 10, 50 and 39 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import vectors
from benchmarks.speed.vocabulary import FREQUENT, LANGUAGES, QUESTIONS, SIZE, draw, words

Array = NDArray[Any]

SEED = 2_025
PER_ELEMENT = 10
BLOCK = 1_000
"""Passages that are made at once, always the same ones together."""
SHARES = ("1", "10", "50")
TOPIC_WORDS = 400
SENTENCE = 17
"""Words from one full stop to the next."""
TOPICAL = 0.3
"""Share of words that belong to the topic."""
BIG = "big"
"""The tenant that holds the corpus."""


@dataclass(frozen=True, slots=True)
class Passage:
    number: int
    language: str
    share: str
    text: str

    @property
    def element(self) -> int:
        return self.number // PER_ELEMENT


@dataclass(frozen=True, slots=True)
class Block:
    """Passages with their vectors, in order; whole elements."""

    tenant: str
    passages: tuple[Passage, ...]
    vectors: Array


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was made from a passage."""

    kind: Literal["question", "keywords"]
    text: str
    words: tuple[str, ...]
    """Without function words: what engines that know none are asked."""
    vector: Array
    answer: int


def blocks(size: int, *, start: int = 0, variant: int = 0, tenant: str = BIG) -> Iterator[Block]:
    """The passages `start` to `start + size`. Another variant has the same elements with other texts."""
    for first in range(start, start + size, BLOCK):
        block = _block(first // BLOCK, variant, tenant)
        kept = min(BLOCK, start + size - first)
        yield block if kept == BLOCK else Block(tenant, block.passages[:kept], block.vectors[:kept])


def share_of(element: int) -> str:
    """Which part an element belongs to: exactly 1, 10, 50 and 39 of every hundred, spread out."""
    place = element * 37 % 100
    return "1" if place < 1 else "10" if place < 11 else "50" if place < 61 else "rest"


def questions(size: int, count: int, *, seed: int = 1) -> list[Asked]:
    """Questions about `count` passages of the first `size`: every other one in keywords, the others as a sentence."""
    rng = np.random.default_rng([SEED, seed, size])
    answers = rng.choice(size, min(count, size), replace=False).tolist()
    by_block: dict[int, list[int]] = {}
    for answer in answers:
        by_block.setdefault(answer // BLOCK, []).append(answer)
    asked: dict[int, Asked] = {}
    for number, wanted in sorted(by_block.items()):
        block = _block(number, 0, BIG)
        for answer in wanted:
            asked[answer] = _question(rng, block.passages[answer % BLOCK], block.vectors[answer % BLOCK], len(asked))
    return [asked[answer] for answer in answers]


def _question(rng: np.random.Generator, passage: Passage, vector: Array, place: int) -> Asked:
    """Words of the passage, in keywords the rarer ones preferred, and a vector beside its own."""
    frequent = set(words(passage.language)[:FREQUENT].tolist())
    found = sorted(set(passage.text.replace(".", "").split()) - frequent)
    kind: Literal["question", "keywords"] = "question" if place % 2 else "keywords"
    count = 4 if kind == "question" else int(rng.integers(2, 4))
    weights = np.array([1 if kind == "question" else len(word) for word in found], float)  # rare words are long
    chosen = [found[at] for at in rng.choice(len(found), count, replace=False, p=weights / weights.sum())]
    text = QUESTIONS[passage.language].format(*chosen) if kind == "question" else " ".join(chosen)
    return Asked(kind, text, tuple(chosen), vectors.question(rng, vector), passage.number)


def _block(number: int, variant: int, tenant: str) -> Block:
    rng = np.random.default_rng([SEED, number, variant, *tenant.encode()])
    elements = BLOCK // PER_ELEMENT
    topics = draw(rng, elements, vectors.TOPICS)
    lengths = np.clip(rng.lognormal(4.85, 0.45, BLOCK), 20, 400).astype(int)
    ranks = draw(rng, int(lengths.sum()))
    topic_of_word = np.repeat(topics, PER_ELEMENT).repeat(lengths)
    topical = rng.random(len(ranks)) < TOPICAL
    own = draw(rng, int(topical.sum()), TOPIC_WORDS)
    # A topic's words are scattered over the vocabulary; a multiplier prime to its size keeps them apart.
    ranks[topical] = FREQUENT + (topic_of_word[topical] * TOPIC_WORDS + own) * 48_271 % (SIZE - FREQUENT)
    first = number * BLOCK
    texts = np.split(ranks, np.cumsum(lengths)[:-1])
    passages = tuple(_passage(first + place, drawn) for place, drawn in enumerate(texts))
    return Block(tenant, passages, vectors.passages(rng, topics, np.arange(elements).repeat(PER_ELEMENT)))


def _passage(number: int, ranks: Array) -> Passage:
    element = number // PER_ELEMENT
    language = LANGUAGES[element % len(LANGUAGES)]
    drawn = words(language)[ranks]
    drawn[SENTENCE - 1 :: SENTENCE] += "."
    return Passage(number, language, share_of(element), " ".join(drawn))
