"""A sentence-transformers folder as published: its model file, pooling, length and prompts.

    modules.json                        the sequence of modules, and where their settings are
    sentence_bert_config.json           max_seq_length, do_lower_case
    1_Pooling/config.json               how token vectors become one
    config.json                         positions, and the names of a cross-encoder's outputs
    config_sentence_transformers.json   prompts
    tokenizer.json                      for the package `tokenizers`
    onnx/model.onnx                     or one of the names in `MODEL_FILES`
    pincite.json                        ours, optional: see notes.py

Only model and tokenizer are required; `assumed` lists the assumptions made for the rest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.advice import by_operator, place
from pincite.errors import Damaged, InvalidArgument, NotFound
from pincite.models.notes import Notes, Prompts
from pincite.models.pooling import POOLING, STATED_AS

MODEL_FILES = ("model.onnx", "model_quantized.onnx", "model_int8.onnx")
DEFAULT_MAX_LENGTH = 512
_ABSURD_LENGTH = 1_000_000
"""Some tokenizers state 10^30 to mean "no limit"."""
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert"})
"""Their positions begin after the padding id: two of those stated cannot be used."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    path: Path
    model: Path
    pooling: str
    max_length: int
    prompts: Prompts
    lowercase: bool
    dimensions: int | None
    pad_token: str | None
    notes: Notes
    labels: tuple[str, ...]
    """Names of a classifier's outputs, in order; empty if none are stated."""
    assumed: tuple[str, ...]
    """Assumptions about what the folder does not state."""


def read_folder(given: Path) -> ModelFolder:
    """The folder; given the path of an `.onnx` file, the folder it belongs to, with that file as the model."""
    path, model = _locate(given)
    if not (path / "tokenizer.json").is_file():
        raise NotFound(f"{path} has no tokenizer.json; save the tokenizer in its fast format", field="embedder")
    pooling_folder = _check_modules(path)
    pooling = _json(path / pooling_folder / "config.json")
    config, tokenizer = _json(path / "config.json"), _json(path / "tokenizer_config.json")
    bert = _bert_config(path)
    notes = Notes.read(path)
    mode = _pooling_mode(path / pooling_folder / "config.json", pooling)
    length = _max_length(bert, tokenizer, config)
    assumed = [] if mode else ["mean pooling (there is no 1_Pooling/config.json)"]
    assumed += [] if length else [f"at most {DEFAULT_MAX_LENGTH} tokens (no file states the limit)"]
    prompts = notes.prompts or _prompts(path)
    if pooling.get("include_prompt") is False and (prompts.query or prompts.passage):
        raise InvalidArgument(f"{path}: pooling without the prompt's tokens is not supported", field="embedder")
    return ModelFolder(
        path=path,
        model=model,
        pooling=mode or "mean",
        max_length=length or DEFAULT_MAX_LENGTH,
        prompts=prompts,
        lowercase=bool(bert.get("do_lower_case")),
        dimensions=_first_int(pooling, "word_embedding_dimension", "embedding_dimension"),
        pad_token=_token(tokenizer.get("pad_token")),
        notes=notes,
        labels=_labels(path / "config.json", config),
        assumed=tuple(assumed),
    )


def _locate(given: Path) -> tuple[Path, Path]:
    if given.suffix == ".onnx":
        if not given.is_file():
            raise NotFound(f"there is no model {place(given)}", field="embedder")
        homes = (given.parent, given.parent.parent)
        return next((home for home in homes if (home / "tokenizer.json").is_file()), given.parent), given
    if not given.is_dir():
        advice = by_operator("fetch a model with", "pincite models pull NAME")
        raise NotFound(f"there is no folder {place(given)}; {advice}", field="embedder")
    candidates = [given / folder / name for name in MODEL_FILES for folder in ("onnx", ".")]
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        names = ", ".join(path.relative_to(given).as_posix() for path in candidates)
        raise NotFound(f"{given} has no ONNX model; looked for {names}", field="embedder")
    return given, found


def _check_modules(path: Path) -> str:
    """The folder of the pooling settings. Modules that would need computation outside the graph are refused."""
    pooling = "1_Pooling"
    modules = _json(path / "modules.json", []) or []
    for module in modules:
        kind = str(module.get("type", "")).rpartition(".")[2]
        if kind == "Pooling":
            pooling = str(module.get("path", pooling))
        elif kind not in ("Transformer", "Normalize"):
            raise InvalidArgument(
                f"{path / 'modules.json'} uses the module {kind!r}, which is not supported; export the model with "
                "all its modules inside the graph (output sentence_embedding) and remove it from modules.json",
                field="embedder",
            )
    return pooling


def _pooling_mode(path: Path, stated: dict[str, Any]) -> str:
    """The pooling mode, or "" if none is stated."""
    named = stated.get("pooling_mode")
    modes = {str(named)} if named else {mode for key, mode in STATED_AS.items() if stated.get(key)}
    unknown = modes - POOLING.keys() or {key for key in stated if key.startswith("pooling_mode_")} - STATED_AS.keys()
    if len(modes) > 1 or (unknown and not modes & POOLING.keys()):
        raise InvalidArgument(
            f"{path} states pooling {sorted(modes | unknown)}; supported: exactly one of {', '.join(POOLING)}",
            field="embedder",
        )
    return next(iter(modes), "")


def _bert_config(path: Path) -> dict[str, Any]:
    """`sentence_bert_config.json`, or the same file under the name used by other model families."""
    found = sorted(path.glob("sentence_*_config.json"))
    stated: dict[str, Any] = _json(found[0]) if found else {}
    return stated


def _max_length(bert: dict[str, Any], tokenizer: dict[str, Any], config: dict[str, Any]) -> int | None:
    stated = _first_int(bert, "max_seq_length") or _first_int(tokenizer, "model_max_length")
    if stated is not None and stated < 1:
        raise InvalidArgument(
            f"the model's files state a maximum length of {stated}; it must be positive", field="embedder"
        )
    if stated and stated < _ABSURD_LENGTH:
        return stated
    positions = _first_int(config, "max_position_embeddings")
    if positions and config.get("model_type") in _OFFSET_POSITIONS:
        return positions - 2
    return positions


def _prompts(path: Path) -> Prompts:
    stated = _json(path / "config_sentence_transformers.json")
    prompts = stated.get("prompts") or {}
    default = prompts.get(stated.get("default_prompt_name") or "", "")
    passage = next((prompts[key] for key in ("passage", "document", "corpus") if prompts.get(key)), default)
    return Prompts(query=prompts.get("query") or default, passage=passage)


def _labels(path: Path, config: dict[str, Any]) -> tuple[str, ...]:
    stated = config.get("id2label") or {}
    try:
        names = {int(number): str(name) for number, name in stated.items()}
    except (AttributeError, ValueError) as error:
        raise Damaged(f"{place(path)}: id2label must map each number to a name") from error
    return tuple(names[number] for number in sorted(names))


def _token(stated: Any) -> str | None:
    return stated.get("content") if isinstance(stated, dict) else stated


def _first_int(stated: dict[str, Any], *keys: str) -> int | None:
    return next((int(stated[key]) for key in keys if isinstance(stated.get(key), int | float)), None)


def _json(path: Path, default: Any = None) -> Any:
    if not path.is_file():
        return {} if default is None else default
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Damaged(f"{place(path)} is not JSON: {error}") from error
