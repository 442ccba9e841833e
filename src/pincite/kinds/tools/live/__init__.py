"""Live: the tools of a running MCP server, asked over its own protocol; nothing of it is called."""

from pincite.kinds.tools.live.listing import OfferedTools, list_tools

__all__ = ["OfferedTools", "list_tools"]
