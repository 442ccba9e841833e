"""Whether the SDK is there. Everything else in this folder imports it."""

from __future__ import annotations

from pincite.extras import require


def require_mcp() -> None:
    """`MissingExtra` with the line that installs it."""
    require("mcp", "the MCP server", "mcp", "uvicorn")
