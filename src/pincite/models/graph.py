"""An ONNX graph with its tokenizer, ready to run; shared by embedders and rerankers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import place
from pincite.errors import Damaged, EmbeddingFailed, InvalidArgument
from pincite.models.folder import ModelFolder
from pincite.models.identity import Identity, identify, sha256

CHARS_PER_TOKEN = 20
"""No tokenizer packs more characters into one token; text beyond the limit need not be tokenized."""

Ints = NDArray[np.int64]
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Graph:
    """A folder's graph and tokenizer, each loaded on first use."""

    def __init__(self, folder: ModelFolder, *, threads: int, field: str) -> None:
        self.folder = folder
        self._threads = threads
        self._field = field
        """The setting that errors point to."""

    @cached_property
    def session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        options.log_severity_level = 3  # errors only: its warnings about graph optimisations are not actionable
        try:
            return onnxruntime.InferenceSession(str(self.folder.model), options, providers=["CPUExecutionProvider"])
        except _runtime_errors() as error:
            raise Damaged(f"{place(self.folder.model)} cannot be loaded: {error}") from error

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer without padding or truncation: some are saved with padding to 128."""
        from tokenizers import Tokenizer

        file = self.folder.path / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as problem:  # the library raises nothing narrower
            raise InvalidArgument(f"{file} is not a valid tokenizer: {problem}", field="embedder") from problem
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def pad_id(self) -> int:
        for token in (self.folder.pad_token, "<pad>", "[PAD]"):
            found = self.tokenizer.token_to_id(token) if token else None
            if found is not None:
                return int(found)
        return 0  # masked in any case

    @cached_property
    def identity(self) -> Identity:
        return identify(self.folder.model, self.folder.path, self.folder.notes.files)

    @cached_property
    def tokenizer_hash(self) -> str:
        return sha256(self.folder.path / "tokenizer.json")[:16]

    def run(self, output: int, ids: Ints, mask: Ints, kinds: Ints | None = None) -> NDArray[Any]:
        """One output for a batch; `kinds` are the token types, 0 if not given."""
        offered = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        if kinds is not None:
            offered["token_type_ids"] = kinds
        name = self.session.get_outputs()[output].name
        try:
            found: NDArray[Any] = self.session.run([name], self._feed(offered))[0]
        except _runtime_errors() as error:
            raise EmbeddingFailed(f"{self.folder.model}: {error}") from error
        return found

    def _feed(self, offered: dict[str, Ints]) -> dict[str, NDArray[Any]]:
        """The graph's inputs, in the types it expects."""
        asked = self.session.get_inputs()
        unknown = [item.name for item in asked if item.name not in offered or item.type not in _TYPES]
        if unknown:
            raise InvalidArgument(
                f"{self.folder.model} needs the inputs {', '.join(unknown)}; supported: {', '.join(offered)}",
                field=self._field,
            )
        return {item.name: offered[item.name].astype(_TYPES[item.type], copy=False) for item in asked}


def _runtime_errors() -> tuple[type[Exception], ...]:
    """What onnxruntime raises: its own classes, which share only their module."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    classes = (getattr(state, name) for name in dir(state))
    own = tuple(item for item in classes if isinstance(item, type) and issubclass(item, Exception))
    return (*own, RuntimeError, ValueError)
