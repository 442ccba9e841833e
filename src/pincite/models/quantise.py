"""Making a model smaller and faster with int8 weights, and measuring what is lost."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pincite.errors import Conflict, InvalidArgument
from pincite.extras import require
from pincite.meaning import Floats
from pincite.models.folder import read_folder
from pincite.models.identity import external_files, identify, known_files
from pincite.models.notes import Fidelity, Notes
from pincite.models.onnx import OnnxEmbedder
from pincite.models.samples import SAMPLES

INT8 = "model_int8.onnx"
NEIGHBOURS = 10
_LARGEST_FILE = 1_500_000_000
"""A protobuf is limited to 2 GB; the int8 weights of a larger model go into a separate file."""


def quantise(folder: Path, *, texts: Sequence[str] = SAMPLES, threads: int = 1) -> tuple[Path, Fidelity]:
    """Write `model_int8.onnx` next to the folder's model, and its fidelity to `pincite.json`; both are returned."""
    require("quantize", "quantising a model", "onnx", "onnxruntime")
    if len(texts) <= NEIGHBOURS:
        raise InvalidArgument(f"{len(texts)} sample texts are too few; pass more than {NEIGHBOURS}", field="samples")
    home = read_folder(folder)
    if identify(home.model, home.path, home.notes.files).precision == "int8":
        raise InvalidArgument(f"{home.model} is already quantised", field="folder")
    target = home.model.with_name(INT8)
    if target.exists():
        raise Conflict(f"{target} exists; remove it to quantise again", field="folder")
    _write_int8(home.model, target)
    fidelity = compare(
        OnnxEmbedder(home.model, threads=threads),
        OnnxEmbedder(target, threads=threads),
        texts,
        against=home.model.relative_to(home.path).as_posix(),
    )
    _note(home.path, target, fidelity)
    return target, fidelity


def _write_int8(source: Path, target: Path) -> None:
    size = sum(path.stat().st_size for path in (source, *external_files(source)))
    with tempfile.TemporaryDirectory(prefix=".quantise-", dir=target.parent) as temporary:
        made = Path(temporary) / target.name
        _quantize(source, made, external=size > _LARGEST_FILE)
        # The weights first: once the model file exists, the model must be complete.
        for path in (*external_files(made), made):
            path.replace(target.parent / path.name)


def _quantize(source: Path, made: Path, *, external: bool) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        made,
        # Only where time is spent. The embedding table is a Gather: reading a row costs nothing, rounding it would.
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        # Seven bits: processors without VNNI add pairs of products in 16 bits, which eight would overflow silently.
        reduce_range=True,
        weight_type=QuantType.QInt8,
        use_external_data_format=external,
    )


def compare(full: OnnxEmbedder, small: OnnxEmbedder, texts: Sequence[str], *, against: str) -> Fidelity:
    """How close the small model's vectors and nearest neighbours are to the full model's."""
    before, after = full.embed(texts), small.embed(texts)
    shared = [len(a & b) / NEIGHBOURS for a, b in zip(_neighbours(before), _neighbours(after), strict=True)]
    return Fidelity(
        against=against,
        overlap_at_10=round(float(np.mean(shared)), 4),
        mean_cosine=round(float((before * after).sum(axis=1).mean()), 5),
        texts=len(texts),
    )


def _neighbours(vectors: Floats) -> list[frozenset[int]]:
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    return [frozenset(row[:NEIGHBOURS].tolist()) for row in np.argsort(-cosines, axis=1, kind="stable")]


def _note(folder: Path, target: Path, fidelity: Fidelity) -> None:
    notes = Notes.read(folder)
    place = target.relative_to(folder).as_posix()
    files = notes.files | known_files(folder, target, *external_files(target))
    notes.model_copy(update={"files": files, "fidelity": notes.fidelity | {place: fidelity}}).write(folder)
