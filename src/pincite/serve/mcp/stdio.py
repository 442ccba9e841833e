"""Stdio: the server for the client that started this process. Standard output belongs to the protocol alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pincite.serve.mcp.installed import require_mcp
from pincite.serve.mcp.opening import Opening

if TYPE_CHECKING:
    from pincite.serve.desk import Desk
    from pincite.serve.mcp.document_tools import ServedTools


def serve_stdio(make_desk: Callable[[], Desk] | None, document_tools: ServedTools | None = None) -> None:
    """Serve until standard input ends. The library is opened after the first tool list, by `make_desk`."""
    require_mcp()
    import anyio
    from mcp.server.stdio import stdio_server

    from pincite.serve.mcp.server import build_server

    opening = Opening(make_desk) if make_desk else None

    def listed() -> None:
        if opening is not None:
            opening.list_is_out()

    async def run() -> None:
        server = build_server(opening, document_tools, on_listed=listed)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    if opening is not None:
        opening.start()
    if document_tools is not None:
        document_tools.start()
    try:
        anyio.run(run)
    finally:
        if opening is not None:
            opening.close()
        if document_tools is not None:
            document_tools.close()
