"""What every embedder must do. Subclass `EmbedderContract`, say how yours is made, run pytest.

class TestMyEmbedder(EmbedderContract):
    def make_embedder(self, folder: Path) -> Embedder:
        return MyEmbedder()

    def program(self, folder: Path) -> str:
        return "from mine import MyEmbedder; embedder = MyEmbedder()"
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import EmbeddingFailed
from pincite.protocols import Embedder, PassageEmbedder
from pincite.types import EmbeddedText

QUESTIONS = ("How many days of leave do I have?", "Wer haftet für Mängel?", "Art. 41 OR", "délai de recours", "x")
TEXTS = (
    "Employees are entitled to 26 working days of paid annual leave.",
    "Der Mieter muss dem Vermieter Mängel unverzüglich melden.",
    "Short.",
    "Le tribunal a rejeté le recours, déposé trop tard, et mis les frais à la charge du recourant. " * 5,
    "26",
)
PASSAGES = (
    EmbeddedText("One sentence only, and it says enough.", "Handbook > Leave", "en"),
    EmbeddedText("", "Title alone", "en"),
    EmbeddedText("No context here. But there are two sentences in it.", "", "en"),
    EmbeddedText(" ".join(f"Dies ist der Satz mit der Nummer {n} im Text." for n in range(40)), "Teil > § 4.2", "de"),
    EmbeddedText("wort " * 5_000, "Ein sehr langer Titel " * 20, "de"),
    EmbeddedText("Ja. Nein. a) b) c) 1. 2. 3.", "", ""),
)
ODD = {
    "empty": "",
    "white space": " \n\t ",
    "emoji": "🙂🙃🎉",
    "signs": "§ § – … !?",
    "100,000 characters": "Satz " * 20_000,
    "one long word": "x" * 100_000,
    "lone surrogates": "a \ud800 b \udfff",
    "NUL": "a\x00b",
    "other scripts": "日本語の文章 مرحبا ไทย",
    "combining": "e\u0301" * 50,
}
_PRINT = """
import sys
{program}
for text in {texts!r}:
    sys.stdout.write(embedder.embed_query(text).tobytes().hex() + "\\n")
sys.stdout.write(embedder.fingerprint.encode("utf-8").hex() + "\\n")
"""


class EmbedderContract:
    tolerance = 1e-5
    """How much a vector of `embed` may differ with what stands beside it; that of `embed_query` not at all."""

    nearness = 0.95
    """How near the vector of a window must be to that of the same text alone, where passages are read whole."""

    def make_embedder(self, folder: Path) -> Embedder:
        """A new embedder; `folder` is empty at first, and the same for all calls."""
        raise NotImplementedError

    def program(self, folder: Path) -> str:
        """Python that makes the same embedder, named `embedder`, in another process."""
        raise NotImplementedError

    def others(self, folder: Path) -> Sequence[Embedder]:  # noqa: ARG002
        """Embedders of the same model with other options; each must have a fingerprint of its own."""
        return ()

    # One embedder for all tests: reading a model takes seconds.

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("embedder")

    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls, folder: Path) -> Embedder:
        return cls().make_embedder(folder)

    # --- vectors ----------------------------------------------------------------------------------------------

    def test_vectors_are_unit_vectors_of_the_stated_dimensions(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.dimensions)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-3)
        question = embedder.embed_query(QUESTIONS[0])
        assert question.shape == (embedder.dimensions,)
        assert question.dtype == np.float32
        assert abs(float(np.linalg.norm(question.astype(np.float64))) - 1) < 1e-3

    def test_no_text_gives_no_vector(self, embedder: Embedder) -> None:
        assert embedder.embed(()).shape == (0, embedder.dimensions)

    def test_a_question_has_the_same_bits_every_time(self, embedder: Embedder) -> None:
        _only_deterministic(embedder)
        before = [embedder.embed_query(question).tobytes() for question in QUESTIONS]
        embedder.embed(TEXTS)
        after = [embedder.embed_query(question).tobytes() for question in reversed(QUESTIONS)]
        assert before == after[::-1]

    def test_a_question_and_the_fingerprint_are_the_same_in_another_process(
        self, embedder: Embedder, folder: Path
    ) -> None:
        _only_deterministic(embedder)
        code = _PRINT.format(program=self.program(folder), texts=QUESTIONS)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        *vectors, fingerprint = done.stdout.split()
        assert vectors == [embedder.embed_query(question).tobytes().hex() for question in QUESTIONS]
        assert bytes.fromhex(fingerprint).decode("utf-8") == embedder.fingerprint

    def test_neither_order_nor_company_changes_a_vector(self, embedder: Embedder) -> None:
        together = embedder.embed(TEXTS)
        backwards = embedder.embed(TEXTS[::-1])[::-1]
        alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
        assert np.abs(together - backwards).max() <= self.tolerance
        assert np.abs(together - alone).max() <= self.tolerance

    def test_a_text_is_nearest_to_itself(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS).astype(np.float64)
        assert ((vectors @ vectors.T).argmax(axis=1) == np.arange(len(TEXTS))).all()

    @pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
    def test_an_odd_text_gives_a_vector_or_is_refused_with_a_reason(self, embedder: Embedder, text: str) -> None:
        for embed in (lambda: embedder.embed([text])[0], lambda: embedder.embed_query(text)):
            try:
                vector = embed()
            except EmbeddingFailed as error:
                assert error.message
            else:
                assert abs(float(np.linalg.norm(vector.astype(np.float64))) - 1) < 1e-3

    # --- windows ----------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("passage", PASSAGES, ids=lambda passage: passage.text[:20] or "no text")
    def test_windows_are_one_to_eight_and_always_the_same(self, embedder: Embedder, passage: EmbeddedText) -> None:
        found = embedder.windows(passage)
        assert 1 <= len(found) <= 8
        assert len(set(found)) == len(found)
        assert all(window.strip() for window in found)
        assert embedder.windows(passage) == found
        assert len(embedder.embed(found)) == len(found)

    def test_passages_read_whole_have_a_vector_for_each_window(self, embedder: Embedder) -> None:
        if not isinstance(embedder, PassageEmbedder):
            pytest.skip("it embeds each window as a text of its own")
        together = embedder.embed_passages(PASSAGES)
        assert [vectors.shape for vectors in together] == [
            (len(embedder.windows(passage)), embedder.dimensions) for passage in PASSAGES
        ]
        for passage, vectors in zip(PASSAGES, together, strict=True):
            assert vectors.dtype == np.float32
            assert np.allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-3)
            (alone,) = embedder.embed_passages([passage])
            assert np.abs(vectors - alone).max() <= self.tolerance
            apart = embedder.embed(embedder.windows(passage))
            assert float((vectors * apart).sum(axis=1).min()) > self.nearness, passage.text[:40]
        assert embedder.embed_passages(()) == ()

    def test_the_first_window_is_the_whole(self, embedder: Embedder) -> None:
        whole = embedder.windows(EmbeddedText("The first point. The second point.", "Title", "en"))[0]
        assert "Title" in whole
        assert "The first point. The second point." in whole

    # --- identity ---------------------------------------------------------------------------------------------

    def test_the_fingerprint_is_stable_and_tells_options_apart(self, embedder: Embedder, folder: Path) -> None:
        assert self.make_embedder(folder).fingerprint == embedder.fingerprint
        others = [other.fingerprint for other in self.others(folder)]
        assert len({embedder.fingerprint, *others}) == len(others) + 1

    def test_it_has_a_name_and_cosines_that_mean_something(self, embedder: Embedder) -> None:
        assert embedder.name
        assert -1 <= embedder.calibration.unrelated < embedder.calibration.same <= 1


def _only_deterministic(embedder: Embedder) -> None:
    if not embedder.deterministic:
        pytest.skip(f"{embedder.name} does not promise the same bits every time")
