"""A synthetic corpus: Zipfian words in several languages' shapes, varied lengths, reproducible from a seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pincite.types import Chunk, Content, Derivation, PutElement, Span, State

VOCABULARY = 300_000
CHUNKS_PER_DOCUMENT = 10
LANGUAGES = ("de", "en", "fr", "it")


def words() -> list[str]:
    """Invented words; the frequent ones are short, as in any language."""
    rng = np.random.default_rng(7)
    letters = np.array(list("eniratsdhulcgmobpfvzk"))
    lengths = np.clip(rng.normal(3 + np.log(np.arange(1, VOCABULARY + 1)), 1.5), 2, 18).astype(int)
    drawn = rng.choice(letters, int(lengths.sum()))
    ends = np.cumsum(lengths)
    return ["".join(drawn[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def sampler(seed: int) -> tuple[np.random.Generator, np.ndarray]:
    """A generator and the cumulative Zipf distribution (exponent 1.05, as measured on natural text)."""
    weights = 1 / (np.arange(1, VOCABULARY + 1) + 2.7) ** 1.05
    return np.random.default_rng(seed), np.cumsum(weights / weights.sum())


def documents(chunks: int, *, seed: int = 0, start: int = 0) -> Iterator[PutElement]:
    """Documents of ten chunks each, 80 to 220 words a chunk, until there are that many chunks."""
    vocabulary = np.array(words(), dtype=object)
    rng, distribution = sampler(seed)
    for number in range(start, start + chunks // CHUNKS_PER_DOCUMENT):
        lengths = rng.integers(80, 220, CHUNKS_PER_DOCUMENT)
        drawn = vocabulary[np.searchsorted(distribution, rng.random(int(lengths.sum())))]
        language = LANGUAGES[number % len(LANGUAGES)]
        yield _document(f"doc-{number:07d}", language, np.split(drawn, np.cumsum(lengths)[:-1]), number)


def _document(element_id: str, language: str, parts: list[np.ndarray], number: int) -> PutElement:
    texts = [" ".join(part) for part in parts]
    text = "\n\n".join(texts)
    chunks, at = [], 0
    for position, passage in enumerate(texts):
        span = Span(at, at + len(passage))
        title = (f"Title {number}",)
        chunks.append(Chunk(position, span, section_id=f"{position + 1}", parent_chain=title, language=language))
        at = span.end + 2
    percent = "1" if number % 100 == 0 else ("10" if number % 10 == 0 else "50" if number % 2 == 0 else "rest")
    content = Content("document", "document", f"Title {number}", text, language, {"share": percent})
    return PutElement(element_id, (State(content, Derivation("bench", tuple(chunks))),))


def queries(count: int, *, seed: int = 1) -> list[str]:
    """Two to seven words as people type them: mostly frequent ones and one that is rarer."""
    vocabulary = words()
    rng, distribution = sampler(seed)
    out = []
    for _ in range(count):
        drawn = np.searchsorted(distribution, rng.random(int(rng.integers(1, 6)))).tolist()
        drawn.append(int(rng.integers(200, 20_000)))
        out.append(" ".join(dict.fromkeys(vocabulary[i] for i in drawn)))
    return out
