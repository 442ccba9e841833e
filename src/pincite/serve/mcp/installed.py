"""Whether the SDK is installed. Everything else in this folder imports it."""

from __future__ import annotations

from pincite.extras import require


def require_mcp() -> None:
    """`MissingExtra`, with the command to install it, if the SDK is missing."""
    require("mcp", "the MCP server", "mcp", "uvicorn")
