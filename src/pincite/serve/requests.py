"""Requests: one strict model per operation. Errors are worded the same at every door.

The descriptions are read by language models that choose arguments and by readers of the OpenAPI document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema, model_validator

from pincite.errors import InvalidArgument, UnknownArgument

OTHER_WORDS = {
    "limit": "top_k", "k": "top_k", "n": "top_k", "size": "top_k", "q": "query", "question": "query",
    "repository": "repository_id", "repo": "repository_id", "repositories": "repository_id", "element_id": "element",
    "citation": "element", "id": "element", "uri": "element", "version": "version_id", "draft": "text",
    "old": "from", "new": "to", "baseline": "read_context", "baseline_id": "read_context", "as_of": "read_context",
    "neighbors": "neighbours", "name": "baseline_id",
}  # fmt: skip
"""Common synonyms for our names, which similarity of spelling would not find."""
FROM_THE_TOKEN = frozenset(
    {"tenant", "tenant_id", "organization", "organization_id", "organisation", "org", "roles", "role"}
)
"""What a request must not say about its caller, under the names that are tried."""

READ_CONTEXT_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {
            "type": "string",
            "description": "head, published, baseline:NAME, as_of:2026-01-31T12:00Z or revision:12",
        },
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "selector": {"type": "string", "enum": ["head", "published", "baseline_id", "as_of", "revision"]},
                "baseline_id": {"type": "string", "description": "Name of a baseline"},
                "as_of": {"type": "string", "description": "An instant (2026-01-31T12:00Z), or a day: its end"},
                "revision": {"type": "integer", "minimum": 0},
            },
        },
    ]
}
FILTERS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"type": "string"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "array", "items": {"type": "string"}},
        ]
    },
}
NAMES_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

ReadContext = Annotated[
    dict[str, Any] | str,
    WithJsonSchema(READ_CONTEXT_SCHEMA),
    Field(description="Which state of the library to read: the newest (head), the published one, or an earlier one."),
]
Filters = Annotated[
    dict[str, Any],
    WithJsonSchema(FILTERS_SCHEMA),
    Field(
        description='Keep only passages with these values, e.g. {"language": "en", "date_from": "2025-01-01"}; a list'
        " means any of them. listRepositories lists the keys and their values."
    ),
]
Names = Annotated[
    str | list[str],
    WithJsonSchema(NAMES_SCHEMA),
    Field(description="Repository, or several; absent: all that you may read."),
]
OneName = Annotated[str, Field(description="Repository; absent: the default one. Not needed with a citation.")]
ValidAt = Annotated[str, Field(description="Only what is in force on this day, e.g. 2026-01-31.")]
QueryText = Annotated[
    str,
    Field(description='Words or a question, in any language; also "a phrase", prefix*, AND, NOT, title:word.'),
]
Mode = Annotated[
    Literal["hybrid", "semantic", "keyword", "exact"],
    Field(description="hybrid: words and meaning together; semantic, keyword or exact alone."),
]
NonPublished = Annotated[
    bool, Field(description="Read the newest state even if a baseline is published; same as read_context head.")
]
Element = Annotated[
    str,
    Field(description="Citation (pincite:…) from a result, or an element_id.", min_length=1, max_length=8_000),
]


REPORTS_EMPTY = {"query"}
"""Fields that report emptiness in their own words."""


class Request(BaseModel):
    """A request to an operation. An empty or null field counts as absent."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, given: Any) -> Any:
        """Drop empty fields: clients fill in every field of a form, and models every field of a schema."""
        if not isinstance(given, Mapping):
            return given
        known = {f.alias or name for name, f in cls.model_fields.items()} - REPORTS_EMPTY
        kept = {key: value for key, value in given.items() if not (key in known and value in ("", None))}
        if isinstance(kept.get("filters"), Mapping):
            kept["filters"] = {key: value for key, value in kept["filters"].items() if value not in ("", None)}
        return kept


class _Reading(Request):
    """Where and in which state to read: one repository, several, or all."""

    repository_id: Names = ""
    read_context: ReadContext = ""
    valid_at: ValidAt = ""
    include_non_published: NonPublished = False

    def state(self) -> dict[str, Any] | str | None:
        """The read context; `include_non_published` means head and applies only if nothing else is asked for."""
        return self.read_context or ("head" if self.include_non_published else None)

    def where(self) -> dict[str, Any]:
        return {"repository": self.repository_id, "read_context": self.state(), "valid_at": self.valid_at}


class _ReadingOne(_Reading):
    repository_id: OneName = ""


class Search(_Reading):
    """Find passages, each with a citation that pins version and place."""

    query: QueryText
    top_k: int = Field(default=10, ge=1, le=100, description="How many results.")
    min_score: float = Field(default=0.0, ge=0, le=1, description="Omit results below this score.")
    filters: Filters = Field(default_factory=dict)
    cursor: str = Field(default="", description="next_cursor of the previous page; keep all else the same.")
    mode: Mode = "hybrid"
    group: Literal["element", "chunk"] = Field(default="element", description="One result per element, or per passage.")
    passages: int = Field(default=3, ge=1, le=5, description="Passages to show per element, best first.")
    sort: Literal["relevance", "date_desc", "date_asc"] = "relevance"
    exact: bool = Field(default=False, description="Compare with every vector, not only with the likely ones.")
    explain: bool = Field(default=False, description="Say for each result which words and signals matched.")
    response_format: Literal["concise", "detailed"] = Field(
        default="detailed", description="concise: what a citation needs, no scores by leg; detailed: everything."
    )


class GetContext(_Reading):
    """Gather passages for a prompt, each under its citation, within a budget of tokens."""

    query: QueryText
    max_tokens: int = Field(default=4_000, ge=1, le=1_000_000, description="Budget of the whole text; never exceeded.")
    include_relationships: bool = Field(default=True, description="Add what the passages refer to.")
    include_definitions: bool = Field(default=True, description="Add definitions of the terms in the passages.")
    filters: Filters = Field(default_factory=dict)
    mode: Mode = "hybrid"
    top_k: int = Field(default=20, ge=1, le=100, description="How many passages to consider.")


class GetElement(_ReadingOne):
    """Read an element, one of its sections or a span, as it is or as it was."""

    element: Element
    section: str = Field(default="", description="Section: 4.2, § 4.2, Art. 8, or its heading.")
    span: list[int] | None = Field(default=None, min_length=2, max_length=2, description="Characters [start, end].")
    version_id: str = Field(default="", description="An earlier version, or its first 8 characters.")
    neighbours: int = Field(default=0, ge=0, le=20, description="Passages before and after it.")


class Quote(Request):
    """A quote and its claimed place."""

    quote: str = Field(min_length=1, description="The quoted words.")
    citation: str = Field(default="", description="Where they are claimed to be; absent: anywhere.")


class VerifyQuote(_Reading):
    """Check one quote: verified, altered, superseded, erased or not found."""

    quote: str = Field(min_length=1, description="The quoted words.")
    citation: str = Field(default="", description="Where they are claimed to be; absent: anywhere.")


class VerifyCitations(_Reading):
    """Check every quote of a draft, or of a list."""

    text: str = Field(
        default="",
        max_length=200_000,
        description="A draft: each passage in quotation marks or block quotes is checked at its citation.",
    )
    quotes: list[Quote] = Field(
        default_factory=list,
        max_length=200,
        description="Quotes with their citations, instead of a draft or in addition.",
    )


class WhyNot(_Reading):
    """Say where an element ranks for a query, and what keeps it off the page."""

    element: Element
    query: QueryText
    mode: Mode = "hybrid"
    top_k: int = Field(default=10, ge=1, le=100, description="Length of the page.")
    min_score: float = Field(default=0.0, ge=0, le=1)
    filters: Filters = Field(default_factory=dict)


class CompareBaselines(Request):
    """Ask the same query of two states: what appeared, vanished, changed and moved."""

    query: QueryText
    old: ReadContext = Field(alias="from", description="The earlier state, e.g. baseline:2026-Q1.")
    new: ReadContext = Field(default="", alias="to", description="The later state; absent: head.")
    repository_id: Names = ""
    valid_at: ValidAt = ""
    mode: Mode = "hybrid"
    top_k: int = Field(default=10, ge=1, le=100, description="Hits on each page.")
    filters: Filters = Field(default_factory=dict)


class Diff(Request):
    """Say what changed between two states of a repository."""

    old: ReadContext = Field(alias="from", description="The earlier state, e.g. revision:12.")
    new: ReadContext = Field(default="", alias="to", description="The later state; absent: head.")
    repository_id: OneName = ""


class History(Request):
    """The versions of an element over time, oldest first."""

    element: Element
    repository_id: OneName = ""


class Definitions(_Reading):
    """Definitions of a term in the documents, each with its citation."""

    term: str = Field(min_length=1, max_length=1_000, description="The term, with or without an article.")


class References(_ReadingOne):
    """What an element or a section refers to, or what refers to it."""

    element: Element
    section: str = ""
    incoming: bool = Field(default=False, description="List what refers to it, not what it refers to.")
    unresolved: bool = Field(default=False, description="Only references without a target here.")


class Replay(Request):
    """Repeat an earlier answer exactly, whatever has been committed since."""

    token: str = Field(min_length=1, max_length=20_000, description="replay.token of an answer.")


class ListRepositories(Request):
    """The repositories the caller may read, with their baselines and filters."""

    include_filters: bool = Field(default=True, description="List the filters and their values; needs a count.")


class FilterValues(Request):
    """The available filters, with their values and how many passages match each."""

    repository_id: Names = ""


class Revisions(Request):
    """The revisions of a repository, newest first."""

    repository_id: OneName = ""
    limit: int = Field(default=20, ge=1, le=1_000)


class IndexHealth(Request):
    """Whether the index is up to date, and whether every search leg answers a real query."""


class Doctor(Request):
    """The checks of indexHealth, plus every checksum."""


class DeepSearch(Request):
    """`search` of the deep-research pair; the shape is fixed by its clients."""

    query: QueryText


class DeepFetch(Request):
    """`fetch` of the deep-research pair."""

    id: str = Field(min_length=1, max_length=8_000, description="id of a result of search.")


class Ingest(Request):
    """Update a repository from a folder, file or URL that the server may read."""

    source: str = Field(min_length=1, max_length=4_000, description="Folder, file or https:// URL.")
    repository_id: OneName = ""
    include: list[str] = Field(default_factory=list, max_length=100, description="Only files that match, e.g. *.md.")
    exclude: list[str] = Field(default_factory=list, max_length=100, description="Skip files that match.")
    prefix: str = Field(default="", max_length=500, description="Put before each element id.")
    allow_empty: bool = Field(default=False, description="Let an empty source remove what it held before.")
    take_over: str = Field(
        default="",
        max_length=4_000,
        description="The source that moved here: its elements belong to this source from now on.",
    )
    kind: str = Field(
        default="documents",
        max_length=100,
        description="How the files are read and cut: a kind of source, such as documents.",
    )
    message: str = Field(default="", max_length=2_000, description="The reason, kept in the history.")


class Reindex(Request):
    """Rebuild the index from the catalog and switch to it; searches continue meanwhile."""

    repository_id: str = Field(default="", description="Repository; absent: all that you may read.")


class ListBaselines(Request):
    """All baselines of a repository, oldest first."""

    repository_id: OneName = ""


class CreateBaseline(Request):
    """Name a revision of a repository."""

    baseline_id: str = Field(min_length=1, max_length=200, description="Name of the new baseline.")
    repository_id: OneName = ""
    revision: int | None = Field(default=None, ge=0, description="Revision to name; absent: the newest.")
    note: str = Field(default="", max_length=2_000, description="What it is for.")


class PublishBaseline(Request):
    """Make a baseline the published state."""

    baseline_id: str = Field(min_length=1, max_length=200)
    repository_id: OneName = ""


class RollbackBaseline(Request):
    """Publish the previously published baseline again."""

    repository_id: OneName = ""


# --- validation -----------------------------------------------------------------------------------------------

R = TypeVar("R", bound=Request)


def read_request(model: type[R], arguments: Mapping[str, object]) -> R:
    """The arguments as a validated request.

    `UnknownArgument` suggests the closest valid name, `InvalidArgument` names the field. Only the first problem is
    reported.
    """
    known = names_of(model)
    for name in arguments:
        if name not in known:
            meant = OTHER_WORDS.get(name, "")
            if meant in known:
                raise UnknownArgument(
                    f"unknown argument {name!r}; did you mean {meant!r}?", field=name, suggestions=(meant,)
                )
            if name in FROM_THE_TOKEN:
                raise UnknownArgument(
                    f"unknown argument {name!r}; tenant, organization and roles of a caller come from its token, never"
                    " from the request; remove it",
                    field=name,
                )
            raise UnknownArgument.named("argument", name, known)
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        raise _refusal(error, model, arguments) from None


def names_of(model: type[Request]) -> list[str]:
    """The names of the arguments, as callers write them."""
    return [field.alias or name for name, field in model.model_fields.items()]


_WORDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
_SHAPES = {"span": "two whole numbers, [start, end], counted in characters"}
"""Fields whose shape is more than the type of one value."""
_QUOTABLE = re.compile(r"-?\d+(\.\d+)?|true|false")


def _refusal(error: ValidationError, model: type[Request], arguments: Mapping[str, object]) -> InvalidArgument:
    """The first problem in our words: the field, what it must be, and what was sent."""
    problems = error.errors(include_url=False)
    first = problems[0]
    where = str(first["loc"][0]) if first["loc"] else ""
    path = ".".join(str(part) for part in first["loc"] if part not in _WORDS and not str(part).startswith("dict["))
    if first["type"] == "missing":
        return InvalidArgument(f"{path} is required", field=path)
    if first["type"] == "extra_forbidden":
        return UnknownArgument.named("argument", path, names_of(Quote) if "." in path else names_of(model))
    if first["type"] == "literal_error":
        allowed = str(first["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        return UnknownArgument.named(path, str(first["input"]), allowed, field=path)
    if where in _SHAPES:
        return InvalidArgument(f"{where} must be {_SHAPES[where]}, not {arguments[where]!r:.80}", field=where)
    kinds = [_WORDS[p["type"]] for p in problems if p["loc"][:1] == (where,) and p["type"] in _WORDS]
    if kinds:
        path = path if len(kinds) == 1 else where
        wanted = " or ".join(dict.fromkeys(kinds))
        quoted = isinstance(first["input"], str) and _QUOTABLE.fullmatch(first["input"]) and "a string" not in kinds
        marks = " without quotation marks" if quoted else ""
        return InvalidArgument(f"{path} must be {wanted}{marks}, not {first['input']!r:.80}", field=path)
    said = first["msg"][:1].lower() + first["msg"][1:]
    if path and said.startswith("input should be "):
        expected = said.removeprefix("input should be ")
        return InvalidArgument(f"{path} must be {expected}, not {first['input']!r:.80}", field=path)
    return InvalidArgument(f"{path} is {first['input']!r:.80}: {said}" if path else said, field=path)
