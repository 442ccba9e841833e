"""A small cross-encoder, made with the real libraries, whose judgements can be computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tiny import HIDDEN, PAD, POSITIONS, _tokenizer, write
from tokenizers import Tokenizer, processors


@dataclass(frozen=True)
class TinyJudge:
    """The folder, and what is needed to compute by hand what its graph computes."""

    folder: Path
    tokens: NDArray[np.float32]
    positions: NDArray[np.float32]
    types: NDArray[np.float32]
    head: NDArray[np.float32]
    tokenizer: Tokenizer

    def words(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def logits(self, query: Sequence[int], passage: Sequence[int]) -> NDArray[np.float32]:
        """<s> query </s> passage </s>: the mean of token · position + type, through the head; order matters."""
        ids = [0, *query, 2, *passage, 2]
        kinds = [0] * (len(query) + 2) + [1] * (len(passage) + 1)
        x = self.tokens[ids] * self.positions[PAD + 1 : PAD + 1 + len(ids)]
        if len(self.types):
            x = x + self.types[kinds]
        return np.asarray(x.mean(axis=0) @ self.head, dtype=np.float32)


def make(
    folder: Path,
    *,
    outputs: int = 1,
    typed: bool = False,
    labels: Sequence[str] = (),
    max_length: int = POSITIONS - 2,
    scale: float = 1.0,
) -> TinyJudge:
    """Write the model to `folder`; `typed`: its graph asks for token types; `scale`: how sure it is of itself."""
    tokenizer = _tokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    rng = np.random.default_rng(11)
    size = tokenizer.get_vocab_size()
    tiny = TinyJudge(
        folder,
        rng.normal(size=(size, HIDDEN)).astype(np.float32),
        (1 + 0.5 * rng.normal(size=(POSITIONS, HIDDEN))).astype(np.float32),
        rng.normal(size=(2 if typed else 0, HIDDEN)).astype(np.float32),
        (scale * rng.normal(size=(HIDDEN, outputs))).astype(np.float32),
        tokenizer,
    )
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save_model(
        _model(tiny),
        folder / "onnx" / "model.onnx",
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location="model.onnx_data",
        size_threshold=512,
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    write(folder / "tokenizer_config.json", {"model_max_length": max_length, "pad_token": "<pad>"})
    stated = {"id2label": {str(number): label for number, label in enumerate(labels)}} if labels else {}
    write(folder / "config.json", {"model_type": "xlm-roberta", "max_position_embeddings": POSITIONS, **stated})
    return tiny


def _model(tiny: TinyJudge) -> onnx.ModelProto:
    constants = {
        "tokens": tiny.tokens,
        "positions": tiny.positions,
        "head": tiny.head,
        "axis": np.array(1, dtype=np.int64),
        "axes": np.array([1], dtype=np.int64),
        "last": np.array([2], dtype=np.int64),
        "pad": np.array(PAD, dtype=np.int64),
    }
    node = helper.make_node
    nodes = [
        node("CumSum", ["attention_mask", "axis"], ["count"]),
        node("Mul", ["count", "attention_mask"], ["counted"]),
        node("Add", ["counted", "pad"], ["place"]),
        node("Gather", ["tokens", "input_ids"], ["token"]),
        node("Gather", ["positions", "place"], ["position"]),
        node("Mul", ["token", "position"], ["placed"]),
    ]
    names = ["input_ids", "attention_mask"]
    if len(tiny.types):
        constants["types"] = tiny.types
        names.append("token_type_ids")
        nodes += [node("Gather", ["types", "token_type_ids"], ["kind"]), node("Add", ["placed", "kind"], ["x"])]
    else:
        nodes.append(node("Identity", ["placed"], ["x"]))
    nodes += [
        node("Unsqueeze", ["attention_mask", "last"], ["mask"]),
        node("Cast", ["mask"], ["mask_float"], to=TensorProto.FLOAT),
        node("Mul", ["x", "mask_float"], ["masked"]),
        node("ReduceSum", ["masked", "axes"], ["sum"], keepdims=0),
        node("ReduceSum", ["mask_float", "axes"], ["length"], keepdims=0),
        node("Div", ["sum", "length"], ["mean"]),
        node("MatMul", ["mean", "head"], ["logits"]),
    ]
    shape = ["batch", "length"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", tiny.head.shape[1]])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model
