"""The tools. Each is an operation of all doors plus what this door adds: description, shapes, text and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pincite.serve import requests
from pincite.serve.mcp import fit, guidance, schemas, text
from pincite.serve.mcp.fit import Again, Render
from pincite.serve.mcp.schemas import Json, Schema

if TYPE_CHECKING:
    from mcp.types import Tool

LARGE = 100_000
"""Characters that Claude Code is asked to accept if the caller may have set a larger budget."""


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool as listed by this server; it has the name of its operation."""

    name: str
    title: str
    description: str
    request: type[requests.Request]
    output: Schema
    render: Render
    fit: Callable[[Json, Again, Render], Json] = fit.as_it_is
    defaults: Mapping[str, object] = field(default_factory=dict)
    """Arguments whose default differs at this door."""
    doing: str = "asking the library"
    """Shown as progress while it runs."""

    def listed(self) -> Tool:
        """The tool for `tools/list`."""
        schema = schemas.input_schema(self.request, self.defaults)
        large = {"anthropic/maxResultSizeChars": LARGE} if self.fit is fit.as_it_is else None
        return listed(self.name, self.title, self.description, schema, self.output, large)


def listed(
    name: str, title: str, description: str, arguments: Schema, output: Schema, meta: Mapping[str, object] | None = None
) -> Tool:
    """A tool that only reads, uses nothing outside the library, and gives the same answer to the same question."""
    from mcp.types import Tool, ToolAnnotations

    return Tool(
        name=name,
        title=title,
        description=description.replace("\n", " "),
        input_schema=arguments,
        output_schema=output,
        annotations=ToolAnnotations(
            title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
        _meta=dict(meta) if meta else None,
    )


TOOLS: Mapping[str, ServedTool] = {
    tool.name: tool
    for tool in (
        ServedTool(
            "semanticSearch",
            "Search passages",
            guidance.SEMANTIC_SEARCH,
            requests.Search,
            schemas.SEARCH,
            text.search,
            fit.search,
            {"response_format": "concise"},
            "searching",
        ),
        ServedTool(
            "getContext",
            "Gather material for an answer",
            guidance.GET_CONTEXT,
            requests.GetContext,
            schemas.CONTEXT,
            text.context,
            doing="gathering passages, definitions and references",
        ),
        ServedTool(
            "getElement",
            "Read a document, section or span",
            guidance.GET_ELEMENT,
            requests.GetElement,
            schemas.ELEMENT,
            text.element,
            fit.element,
            doing="reading",
        ),
        ServedTool(
            "verifyCitations",
            "Check quotations",
            guidance.VERIFY_CITATIONS,
            requests.VerifyCitations,
            schemas.VERDICTS,
            text.verdicts,
            fit.verdicts,
            doing="comparing quotations with their sources",
        ),
        ServedTool(
            "compareBaselines",
            "Compare two states",
            guidance.COMPARE_BASELINES,
            requests.CompareBaselines,
            schemas.COMPARISON,
            text.comparison,
            fit.comparison,
            doing="asking both states",
        ),
        ServedTool(
            "listRepositories",
            "List repositories",
            guidance.LIST_REPOSITORIES,
            requests.ListRepositories,
            schemas.REPOSITORIES,
            text.repositories,
            fit.listing("repositories", "use include_filters: false"),
            doing="counting",
        ),
        ServedTool(
            "indexHealth",
            "Examine the index",
            guidance.INDEX_HEALTH,
            requests.IndexHealth,
            schemas.HEALTH,
            text.health,
            fit.listing("repositories", "the server's operator can see them all with `pincite doctor`"),
            doing="checking every search method with a real query",
        ),
        ServedTool(
            "search",
            "Search documents (deep research)",
            guidance.SEARCH,
            requests.DeepSearch,
            schemas.DEEP_SEARCH,
            text.as_json,
            lambda body, _again, _render: body,
            doing="searching",
        ),
        ServedTool(
            "fetch",
            "Fetch a document (deep research)",
            guidance.FETCH,
            requests.DeepFetch,
            schemas.DEEP_FETCH,
            text.as_json,
            fit.fetched,
            doing="reading",
        ),
    )
}
"""Always listed in this order, so clients can keep the list in a prompt cache."""
