"""The server: tools, resources, the prompt and completions in one SDK object.

It supports protocol 2026-07-28 and the earlier handshake era; the client's first message decides. It uses the SDK's
low-level server so that our own models read the arguments: an unknown one is an error that suggests the closest name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from pincite import __version__
from pincite.serve.mcp import calls, completions, prompts, resources
from pincite.serve.mcp.guidance import INSTRUCTIONS
from pincite.serve.mcp.tools import TOOLS

if TYPE_CHECKING:
    from pincite.serve.desk import Desk
    from pincite.serve.mcp.document_tools import ServedTools

Context = ServerRequestContext[Any, Any]
NAME = "pincite"
LASTING = CacheHint(ttl_ms=300_000, scope="public")
"""For lists that are the same for everyone and change only with the program's version."""
OWN = CacheHint(ttl_ms=300_000, scope="private")
"""For a tool list with document tools, which not every caller may use."""


def build_server(
    desk: Callable[[], Desk] | None,
    document_tools: ServedTools | None = None,
    *,
    on_listed: Callable[[], None] = lambda: None,
) -> Server[Any]:
    """The server behind both transports.

    `desk` returns the desk; it is called only on worker threads and may open the library (`opening.py`). None: only
    document tools are served. `on_listed` is called when the tool list is sent.
    """
    served = list(TOOLS.values()) if desk is not None else []
    names = [tool.name for tool in served] + (document_tools.names if document_tools else [])

    async def list_tools(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        tools = [tool.listed() for tool in served]
        if document_tools is not None:
            usable = _usable(document_tools, desk, context)
            tools += [tool for tool in document_tools.listed() if tool.name in usable]
        on_listed()
        return ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        arguments = params.arguments or {}
        if desk is not None and params.name in TOOLS:
            return await calls.call(TOOLS[params.name], arguments, desk, context)
        if document_tools is not None and params.name in _usable(document_tools, desk, context):
            return await document_tools.call(params.name, arguments, desk, context)
        return calls.unknown_tool(params.name, names)

    async def list_resources(_context: Context, _params: PaginatedRequestParams | None) -> ListResourcesResult:
        return resources.resources()

    async def list_templates(_context: Context, _params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return resources.templates()

    async def read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        assert desk is not None
        return await resources.read(str(params.uri), desk, context)

    async def list_prompts(_context: Context, _params: PaginatedRequestParams | None) -> ListPromptsResult:
        return prompts.prompts()

    async def get_prompt(_context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return prompts.prompt(params.name, params.arguments or {})

    async def complete(context: Context, params: CompleteRequestParams) -> CompleteResult:
        assert desk is not None
        return await completions.complete(params, desk, context)

    has_library = desk is not None
    return Server(
        NAME,
        title="Pincite",
        version=__version__,
        description="Passages with citations that hold, from documents whose every version is kept.",
        instructions=INSTRUCTIONS if has_library else None,
        cache_hints={
            "tools/list": OWN if document_tools else LASTING,
            "prompts/list": LASTING,
            "resources/list": LASTING,
            "resources/templates/list": LASTING,
        },
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources if has_library else None,
        on_list_resource_templates=list_templates if has_library else None,
        on_read_resource=read_resource if has_library else None,
        on_list_prompts=list_prompts if has_library else None,
        on_get_prompt=get_prompt if has_library else None,
        on_completion=complete if has_library else None,
    )


def _usable(document_tools: ServedTools, desk: Callable[[], Desk] | None, context: Context) -> list[str]:
    """The local user may use all of them; over HTTP it depends on the caller."""
    if context.request is None or desk is None:
        return document_tools.names
    opened = desk()
    caller = calls.caller_of(context, opened)
    return [name for name in document_tools.names if document_tools.may_use(caller, opened, name)]
