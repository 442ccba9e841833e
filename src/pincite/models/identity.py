"""The identity of a model: the hash of its file and of the files that hold its weights."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pincite.models.notes import KnownFile

_BLOCK = 1 << 20
_NOT_WEIGHTS = frozenset({".json", ".txt", ".md", ".onnx", ".model", ".safetensors", ".py"})
_QUANTISED = (b"DynamicQuantizeLinear", b"MatMulInteger", b"QLinearMatMul")
_STATED = 32
"""Hexadecimal digits of a hash in a fingerprint: 128 bits."""


@dataclass(frozen=True, slots=True)
class Identity:
    sha256: str
    precision: str
    """`int8` if activations are quantised at run time, which makes a vector depend on its batch; otherwise `fp32`."""


def identify(model: Path, folder: Path, known: Mapping[str, KnownFile]) -> Identity:
    """Hash and precision of an ONNX model. A hash in `known` is trusted while the file's size and time match."""
    parts = [_hash_of(path, folder, known) for path in (model, *external_files(model))]
    digest = parts[0] if len(parts) == 1 else hashlib.sha256("".join(parts).encode()).hexdigest()
    return Identity(digest[:_STATED], "int8" if _contains(model, *_QUANTISED) else "fp32")


def external_files(model: Path) -> tuple[Path, ...]:
    """Names of the files next to the model that hold its weights, such as `model.onnx_data`.

    The graph names each in an entry with the key `location`; searching for its bytes needs no protobuf library.
    """
    candidates = sorted(
        path for path in model.parent.iterdir() if path.is_file() and path.suffix not in _NOT_WEIGHTS and path != model
    )
    return tuple(path for path in candidates if _contains(model, _location(path.name)))


def _location(name: str) -> bytes:
    """The entry of `external_data` that names the file (onnx.proto: StringStringEntryProto, key 1, value 2)."""
    value = name.encode("utf-8")
    length = bytes([len(value)]) if len(value) < 128 else bytes([len(value) & 127 | 128, len(value) >> 7])
    return b"\x0a\x08location\x12" + length + value


def known_files(folder: Path, *paths: Path) -> dict[str, KnownFile]:
    """Hashes that `identify` may trust later, by path within the folder."""
    return {
        path.relative_to(folder).as_posix(): KnownFile(
            sha256=sha256(path), size=path.stat().st_size, mtime_ns=path.stat().st_mtime_ns
        )
        for path in paths
    }


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _hash_of(path: Path, folder: Path, known: Mapping[str, KnownFile]) -> str:
    stat = path.stat()
    noted = known.get(path.relative_to(folder).as_posix())
    if noted and (noted.size, noted.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
        return noted.sha256
    return sha256(path)


def _contains(path: Path, *needles: bytes) -> bool:
    if path.stat().st_size == 0:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(data.find(needle) >= 0 for needle in needles)
