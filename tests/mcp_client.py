"""The official MCP client, as tests use it: connect, do something, close."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import anyio
from mcp import Client, MCPError
from mcp.types import CallToolResult

from pincite.library import Library
from pincite.serve.desk import Desk
from pincite.serve.mcp.server import build_server

T = TypeVar("T")
MODES = ("auto", "legacy")
"""The era of 2026-07-28, and the handshake era before it."""


def with_client(server: Any, work: Callable[[Client], Awaitable[T]], mode: str = "auto", **options: Any) -> T:
    """Run `work` with a connected client; the tools are listed first, so that results are checked against it."""

    refused: list[MCPError] = []

    async def run() -> T | None:
        async with Client(server, mode=mode, read_timeout_seconds=60, **options) as client:
            await client.list_tools()
            try:
                return await work(client)
            except MCPError as error:  # raised after the client is closed: its task group would wrap it
                refused.append(error)
        return None

    found = anyio.run(run)
    if refused:
        raise refused[0]
    return cast("T", found)


def call(library: Library, tool: str, mode: str = "auto", /, **arguments: Any) -> CallToolResult:
    """One tool call in memory, whatever it gives."""
    desk = Desk(library)
    return with_client(build_server(lambda: desk), lambda client: client.call_tool(tool, arguments), mode)


def answer(library: Library, tool: str, mode: str = "auto", /, **arguments: Any) -> dict[str, Any]:
    """The structured content of a call that succeeds, with exactly one text block beside it."""
    result = call(library, tool, mode, **arguments)
    assert not result.is_error, text_of(result)
    text_of(result)
    assert result.structured_content is not None
    return result.structured_content


def refused(library: Library, tool: str, mode: str = "auto", /, **arguments: Any) -> str:
    """The text of a call that is refused; nothing structured stands beside it."""
    result = call(library, tool, mode, **arguments)
    assert result.is_error
    assert result.structured_content is None
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text
