"""How each field of a tool translates to the settings of its library: one table, read from top to bottom."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from pincite.document_tools.config import DocumentToolConfig
from pincite.kinds.options import CutOptions
from pincite.settings import Config, load_config
from pincite.settings.load import ONNX

CHUNKING = tuple(option.name for option in fields(CutOptions))
K1 = 1.5
"""Of BM25: what document tools promise. Libraries have 1.2, which ranks better on most corpora."""


def library_settings(tool: DocumentToolConfig, base: Path, folder: Path) -> Config:
    """The settings of the tool's library in a folder; paths of models are relative to `base`.

    Each tool has its own repository, so several can share a folder. Environment variables (`PINCITE_DENSE` …) apply
    where the tool sets nothing.
    """
    values: dict[str, Any] = {
        "library": str(folder),
        "repository": tool.name,
        "chunking": {name: getattr(tool, name) for name in CHUNKING},
        "contextual_embeddings": tool.contextual_embeddings,
    }
    if "PINCITE_KEYWORD__K1" not in os.environ:
        values["keyword"] = {"k1": K1}
    if tool.search_mode in ("keyword", "exact"):
        values["dense"] = "off"
    if tool.embedding_model:
        values["embedding"] = {"model": beside(base, tool.embedding_model)}
    if tool.enable_reranking:
        values["reranker"] = {"model": beside(base, tool.reranker_model)}
    if tool.states_weights:
        weights = {"semantic": tool.semantic_weight, "keyword": tool.keyword_weight, "exact": tool.exact_weight}
        values["retrieval"] = {"fusion": "ranks", "ranks": {**weights, "k": tool.rrf_k}, "graph": 0}
    if tool.context_model:
        written = tool.context_model.model_dump(exclude={"name"}, exclude_none=True)
        values["context_model"] = {
            **written,
            "model": tool.context_model.name,
            "max_tokens": tool.context_max_tokens,
            "concurrency": tool.context_concurrency,
        }
    return load_config(values)


def beside(base: Path, model: str) -> str:
    """A model's name; a folder in it is relative to the configuration."""
    folder = model.removeprefix(ONNX)
    return ONNX + str(base / Path(folder).expanduser()) if model.startswith(ONNX) and folder else model


def source_of(tool: DocumentToolConfig, base: Path) -> str:
    """Where the documents are: a URL unchanged, or a path relative to the configuration."""
    return tool.source if "://" in tool.source else str(base / Path(tool.source).expanduser())
