"""What every reranker must do. Subclass `RerankerContract`, say how yours is made, run pytest.

class TestMyReranker(RerankerContract):
    def make_reranker(self, folder: Path) -> Reranker:
        return MyReranker()

    def program(self, folder: Path) -> str:
        return "from mine import MyReranker; reranker = MyReranker()"
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pincite.protocols import Reranker
from pincite.testing.embedder import ODD, QUESTIONS, TEXTS

_PRINT = """
import sys
{program}
for question in {questions!r}:
    sys.stdout.write(reranker.score(question, {texts!r}).tobytes().hex() + "\\n")
sys.stdout.write(reranker.fingerprint.encode("utf-8").hex() + "\\n")
"""


class RerankerContract:
    def make_reranker(self, folder: Path) -> Reranker:
        """A new reranker; `folder` is empty at first, and the same for all calls."""
        raise NotImplementedError

    def program(self, folder: Path) -> str:
        """Python that makes the same reranker, named `reranker`, in another process."""
        raise NotImplementedError

    def others(self, folder: Path) -> Sequence[Reranker]:  # noqa: ARG002
        """Rerankers that judge otherwise; each must have a fingerprint of its own."""
        return ()

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("reranker")

    @pytest.fixture(scope="class")
    @classmethod
    def reranker(cls, folder: Path) -> Reranker:
        return cls().make_reranker(folder)

    def test_every_text_gets_a_score_between_0_and_1(self, reranker: Reranker) -> None:
        for question in QUESTIONS:
            scores = reranker.score(question, TEXTS)
            assert scores.shape == (len(TEXTS),)
            assert scores.dtype == np.float32
            assert ((scores >= 0) & (scores <= 1)).all()

    def test_no_text_gets_no_score(self, reranker: Reranker) -> None:
        assert reranker.score(QUESTIONS[0], ()).shape == (0,)

    def test_it_tells_texts_apart(self, reranker: Reranker) -> None:
        assert len(set(reranker.score(TEXTS[0], TEXTS).tolist())) > 1

    def test_neither_order_nor_company_nor_time_changes_a_bit(self, reranker: Reranker) -> None:
        _only_deterministic(reranker)
        for question in QUESTIONS:
            together = reranker.score(question, TEXTS)
            alone = np.concatenate([reranker.score(question, [text]) for text in TEXTS])
            backwards = reranker.score(question, TEXTS[::-1])[::-1]
            assert together.tobytes() == alone.tobytes() == backwards.tobytes()

    def test_scores_and_fingerprint_are_the_same_in_another_process(self, reranker: Reranker, folder: Path) -> None:
        _only_deterministic(reranker)
        code = _PRINT.format(program=self.program(folder), questions=QUESTIONS, texts=TEXTS)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        *scores, fingerprint = done.stdout.split()
        assert scores == [reranker.score(question, TEXTS).tobytes().hex() for question in QUESTIONS]
        assert bytes.fromhex(fingerprint).decode("utf-8") == reranker.fingerprint

    @pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
    def test_an_odd_text_or_question_gets_a_score(self, reranker: Reranker, text: str) -> None:
        for question, passage in ((QUESTIONS[0], text), (text, TEXTS[0]), (text, text)):
            (score,) = reranker.score(question, [passage])
            assert 0 <= score <= 1

    def test_a_text_without_anything_in_it_scores_0(self, reranker: Reranker) -> None:
        assert reranker.score(QUESTIONS[0], ["", " \n\t "]).tolist() == [0.0, 0.0]

    def test_it_has_a_name_and_a_fingerprint_that_tells_it_from_others(self, reranker: Reranker, folder: Path) -> None:
        assert reranker.name
        assert self.make_reranker(folder).fingerprint == reranker.fingerprint
        others = [other.fingerprint for other in self.others(folder)]
        assert len({reranker.fingerprint, *others}) == len(others) + 1


def _only_deterministic(reranker: Reranker) -> None:
    if not reranker.deterministic:
        pytest.skip(f"{reranker.name} does not promise the same judgement every time")
