"""A small model of the shape of XLM-R, made with the real libraries: graph, external weights, tokenizer, side files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from pincite.models.samples import SAMPLES

HIDDEN = 16
POSITIONS = 64
PAD = 1


@dataclass(frozen=True)
class Tiny:
    """The folder, and what is needed to compute by hand what its graph computes."""

    folder: Path
    tokens: NDArray[np.float32]
    positions: NDArray[np.float32]
    weights: NDArray[np.float32]
    tokenizer: Tokenizer

    def hidden(self, text: str, max_length: int = POSITIONS - 2) -> NDArray[np.float32]:
        """Token vectors of one text, in numpy: (token + position) @ weights + mean of both."""
        ids = self.tokenizer.encode(text).ids
        if len(ids) > max_length:
            ids = [*ids[: max_length - 1], ids[-1]]
        x = self.tokens[ids] + self.positions[PAD + 1 : PAD + 1 + len(ids)]
        return np.asarray(x @ self.weights + x.mean(axis=0), dtype=np.float32)


def make(folder: Path, **settings: Any) -> Tiny:
    """Write the model to `folder`. Settings: see `write_side_files`; `output` names the graph's output."""
    tokenizer = _tokenizer()
    rng = np.random.default_rng(7)
    size = tokenizer.get_vocab_size()
    tiny = Tiny(
        folder,
        rng.normal(size=(size, HIDDEN)).astype(np.float32),
        0.1 * rng.normal(size=(POSITIONS, HIDDEN)).astype(np.float32),
        (rng.normal(size=(HIDDEN, HIDDEN)) / 4).astype(np.float32),
        tokenizer,
    )
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    model = _model(tiny, output=settings.pop("output", "last_hidden_state"), extra=settings.pop("extra_input", ""))
    onnx.save_model(
        model,
        folder / "onnx" / "model.onnx",
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location="model.onnx_data",
        size_threshold=512,  # shapes must stay inside the graph
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    write_side_files(folder, **settings)
    return tiny


def write_side_files(
    folder: Path, *, pooling: str = "mean", max_length: int = POSITIONS - 2, prompts: dict[str, str] | None = None
) -> None:
    modules = [
        {"path": path, "type": f"sentence_transformers.models.{kind}"}
        for path, kind in (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))
    ]
    write(folder / "modules.json", modules)
    write(folder / "sentence_bert_config.json", {"max_seq_length": max_length, "do_lower_case": False})
    key = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens", "weightedmean": "weightedmean_tokens"}
    stated = {f"pooling_mode_{name}": False for name in (*key.values(), "lasttoken")}
    stated[f"pooling_mode_{key.get(pooling, pooling)}"] = True
    write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": HIDDEN, **stated})
    write(folder / "config_sentence_transformers.json", {"prompts": prompts or {}, "default_prompt_name": None})


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _tokenizer() -> Tokenizer:
    words = sorted({word for text in SAMPLES for word in _words(text)})
    vocabulary = {word: at for at, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def _words(text: str) -> list[str]:
    return [word for word, _ in pre_tokenizers.Whitespace().pre_tokenize_str(text.lower())]


def _model(tiny: Tiny, *, output: str, extra: str) -> onnx.ModelProto:
    """Positions as XLM-R has them: the running count of the mask, behind the padding id."""
    constants = {
        "tokens": tiny.tokens,
        "positions": tiny.positions,
        "weights": tiny.weights,
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
        node("Add", ["token", "position"], ["x"]),
        node("MatMul", ["x", "weights"], ["projected"]),
        node("Unsqueeze", ["attention_mask", "last"], ["mask"]),
        node("Cast", ["mask"], ["mask_float"], to=TensorProto.FLOAT),
        node("Mul", ["x", "mask_float"], ["masked"]),
        node("ReduceSum", ["masked", "axes"], ["sum"], keepdims=1),
        node("ReduceSum", ["mask_float", "axes"], ["length"], keepdims=1),
        node("Div", ["sum", "length"], ["mean"]),
        node("Add", ["projected", "mean"], ["hidden"]),
    ]
    shape: list[str | int] = ["batch", "length", HIDDEN]
    if output == "sentence_embedding":
        nodes.append(node("Squeeze", ["mean", "axes"], [output]))
        shape = ["batch", HIDDEN]
    else:
        nodes.append(node("Identity", ["hidden"], [output]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", *filter(None, [extra]))
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model
