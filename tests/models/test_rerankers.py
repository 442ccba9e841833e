"""The contract, over every reranker that comes with Pincite; and how they are opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite import extras
from pincite.errors import InvalidArgument, MissingExtra, UnknownArgument
from pincite.models.overlap import OverlapReranker
from pincite.models.registry import RERANKERS, open_reranker
from pincite.protocols import Reranker
from pincite.testing.reranker import RerankerContract


def opened(name: str) -> str:
    return f"from pincite.models.registry import open_reranker; reranker = open_reranker({name!r})"


class TestOverlap(RerankerContract):
    def make_reranker(self, folder: Path) -> Reranker:  # noqa: ARG002
        return OverlapReranker()

    def program(self, folder: Path) -> str:  # noqa: ARG002
        return opened("overlap")

    def test_it_is_the_share_of_the_questions_words(self, reranker: Reranker) -> None:
        scores = reranker.score("Bäcker dürfen backen", ["backer DURFEN backen und", "Backen", "Kochen"])
        assert scores.tolist() == pytest.approx([1.0, 1 / 3, 0.0])


class TestCrossEncoder(RerankerContract):
    def make_reranker(self, folder: Path) -> Reranker:
        pytest.importorskip("onnx")
        pytest.importorskip("onnxruntime")
        pytest.importorskip("tokenizers")
        from tiny_cross_encoder import make

        if not (folder / "tokenizer.json").exists():
            make(folder)
        return open_reranker(f"onnx:{folder}")

    def program(self, folder: Path) -> str:
        return opened(f"onnx:{folder}")

    def others(self, folder: Path) -> Sequence[Reranker]:
        from tiny_cross_encoder import make

        short = make(folder.parent / f"{folder.name}-short", max_length=20)
        return (open_reranker(f"onnx:{short.folder}"),)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownArgument, match="unknown reranker 'overlapp'; did you mean 'overlap'"):
        open_reranker("overlapp")


@pytest.mark.parametrize("name", ["onnx:", "onnx", "overlap:3"])
def test_what_stands_behind_the_colon_must_fit(name: str) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(InvalidArgument):
        open_reranker(name)


def test_no_threads_are_too_few() -> None:
    with pytest.raises(InvalidArgument, match="0 threads"):
        open_reranker("overlap", threads=0)


def test_a_missing_package_is_answered_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r'pip install "pincite\[models\]"'):
        open_reranker("onnx:anywhere")


def test_every_reranker_says_how_it_is_written() -> None:
    assert RERANKERS and all(maker.written.startswith(name) and maker.about for name, maker in RERANKERS.items())
