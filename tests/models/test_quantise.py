from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
pytest.importorskip("tokenizers")

import onnx
from tiny import make

from pincite.errors import Conflict, InvalidArgument
from pincite.models import quantise as quantising
from pincite.models.identity import external_files
from pincite.models.onnx import OnnxEmbedder
from pincite.models.quantise import quantise
from pincite.models.samples import SAMPLES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quantised") / "model"
    make(folder)
    quantise(folder)
    return folder


def test_the_small_model_lies_beside_and_only_its_matrices_are_int8(folder: Path) -> None:
    graph = onnx.load(folder / "onnx" / "model_int8.onnx").graph
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    assert types["tokens"] == onnx.TensorProto.FLOAT
    assert types["weights_quantized"] == onnx.TensorProto.INT8
    scale = next(tensor for tensor in graph.initializer if tensor.name == "weights_scale")
    assert list(scale.dims) == [16], "one scale per channel"


def test_its_fidelity_is_high_and_stored_in_the_folder(folder: Path) -> None:
    stored = json.loads((folder / "pincite.json").read_text(encoding="utf-8"))
    fidelity = stored["fidelity"]["onnx/model_int8.onnx"]
    assert fidelity["against"] == "onnx/model.onnx"
    assert fidelity["texts"] == len(SAMPLES)
    assert 0.9 <= fidelity["overlap_at_10"] <= 1
    assert 0.99 <= fidelity["mean_cosine"] <= 1
    assert stored["files"]["onnx/model_int8.onnx"]["sha256"]


def test_it_is_another_model_and_the_full_one_stays_the_default(folder: Path) -> None:
    small, full = OnnxEmbedder(folder / "onnx" / "model_int8.onnx"), OnnxEmbedder(folder)
    assert small.describe()["precision"] == "int8"
    assert full.describe()["precision"] == "fp32"
    assert small.fingerprint != full.fingerprint


def test_a_stored_hash_is_believed_only_while_the_file_is_the_same(folder: Path) -> None:
    before = OnnxEmbedder(folder / "onnx" / "model_int8.onnx").fingerprint
    (folder / "onnx" / "model_int8.onnx").touch()
    assert OnnxEmbedder(folder / "onnx" / "model_int8.onnx").fingerprint == before


def test_what_is_quantised_is_not_quantised_again(folder: Path) -> None:
    with pytest.raises(Conflict, match="remove it to quantise again"):
        quantise(folder)
    with pytest.raises(InvalidArgument, match="is already quantised"):
        quantise(folder / "onnx" / "model_int8.onnx")


def test_ten_texts_are_too_few_to_compare_neighbours(folder: Path) -> None:
    with pytest.raises(InvalidArgument, match="10 sample texts are too few"):
        quantise(folder, texts=SAMPLES[:10])


def test_a_model_too_large_for_one_file_keeps_its_weights_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quantising, "_LARGEST_FILE", 0)
    make(tmp_path / "large")
    target, fidelity = quantise(tmp_path / "large")
    (data,) = external_files(target)
    assert data.stat().st_size > 0
    assert fidelity.mean_cosine > 0.99
    assert {path.name for path in target.parent.iterdir()} == {
        "model.onnx", "model.onnx_data", "model_int8.onnx", data.name,
    }  # fmt: skip
