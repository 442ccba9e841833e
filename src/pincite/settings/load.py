"""YAML and environment → settings. The only reader of either."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.settings import strict_yaml
from pincite.settings.checked import checked
from pincite.settings.config import DEFAULT_LIBRARY, Config
from pincite.settings.serve import ServeSettings

PREFIX = "PINCITE_"
YAML = (".yaml", ".yml")
ONNX = "onnx:"


def load_config(
    given: str | Path | Config | Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Config:
    """Settings from a library folder, a YAML file or values, combined with the environment."""
    if isinstance(given, Config):
        return given
    values: dict[str, Any] = _from_environment(os.environ if environ is None else environ)
    if isinstance(given, Mapping):
        values = _merged(values, given)
    elif given is not None:
        is_file = "://" not in str(given) and Path(given).suffix.lower() in YAML
        values = _merged(_from_yaml(Path(given).expanduser()), values) if is_file else values | {"library": str(given)}
    config = checked(Config, values)
    if "://" in config.library:
        return config
    return config.model_copy(update={"library": str(Path(config.library).expanduser())})


def _from_yaml(path: Path) -> dict[str, Any]:
    """The settings in a file. Relative paths (library, golden file, reranker, server files) start at its folder."""
    values = read_yaml(path)
    library = values.setdefault("library", DEFAULT_LIBRARY)
    values["library"] = _below(path.parent, library)
    if values.get("folder"):
        values["folder"] = _below(path.parent, values["folder"])
    gate = values.get("gate")
    if isinstance(gate, dict):
        files = {key: gate[key] for key in ("golden", "baseline") if isinstance(gate.get(key), str) and gate[key]}
        values["gate"] = gate | {key: str(path.parent / Path(name).expanduser()) for key, name in files.items()}
    reranker = values.get("reranker")
    if isinstance(reranker, dict) and str(reranker.get("model", "")).startswith(ONNX):
        folder = str(reranker["model"]).removeprefix(ONNX)
        values["reranker"] = reranker | {
            "model": ONNX + str(path.parent / Path(folder).expanduser()) if folder else ONNX
        }
    serve = values.get("serve")
    if isinstance(serve, dict):
        values["serve"] = _beside(path.parent, serve, ServeSettings.FILES)
    return values


def _beside(folder: Path, section: Mapping[str, Any], files: Sequence[str]) -> dict[str, Any]:
    """A section in which the files at a dotted path, single or in a list, are relative to the configuration."""
    out = dict(section)
    for way in files:
        name, _, rest = way.partition(".")
        value = out.get(name)
        if rest and isinstance(value, dict):
            out[name] = _beside(folder, value, (rest,))
        elif isinstance(value, list):
            out[name] = [_below(folder, item) for item in value]
        elif not rest and value:
            out[name] = _below(folder, value)
    return out


def _below(folder: Path, name: Any) -> Any:
    return str(folder / Path(name).expanduser()) if isinstance(name, str) and "://" not in name else name


def read_yaml(path: Path) -> dict[str, Any]:
    """The contents of a settings file, by name."""
    try:
        loaded = strict_yaml.read(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"there is no configuration file {str(path)!r}", field="config") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}", field="config") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path} is not valid YAML: {error}", field="config") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise InvalidArgument(f"{path} must contain settings by name, like `library: .pincite`", field="config")
    return {str(key): value for key, value in loaded.items()}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """`PINCITE_KEYWORD__K1=1.2` → {"keyword": {"k1": "1.2"}}; other names are ignored."""
    values: dict[str, Any] = {}
    for name, text in environ.items():
        path = name.removeprefix(PREFIX).lower().split("__")
        if not name.startswith(PREFIX) or not text:
            continue
        if path[0] not in Config.model_fields:
            if len(path) > 1 and get_close_matches(path[0], Config.model_fields, n=1, cutoff=0.75):
                raise UnknownArgument.named("setting in the environment", path[0], Config.model_fields, field=name)
            continue
        nested: Any = text
        for part in reversed(path):
            nested = {part: nested}
        values = _merged(values, nested)
    return values


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(base)
    for key, value in over.items():
        known = out.get(key)
        out[key] = _merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return out
