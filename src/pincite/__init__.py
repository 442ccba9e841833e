"""Pincite finds the passage that answers a question and cites it so that the citation still holds tomorrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pincite.citation import Citation
    from pincite.document_tools import load_tools
    from pincite.errors import PinciteError
    from pincite.library import Library
    from pincite.library import open_library as open
    from pincite.tool_index import ToolIndex

__all__ = ["Citation", "Library", "PinciteError", "ToolIndex", "__version__", "load_tools", "open"]

_HOMES = {
    "Citation": ("pincite.citation", "Citation"),
    "Library": ("pincite.library", "Library"),
    "PinciteError": ("pincite.errors", "PinciteError"),
    "ToolIndex": ("pincite.tool_index", "ToolIndex"),
    "load_tools": ("pincite.document_tools", "load_tools"),
    "open": ("pincite.library", "open_library"),
}


def __getattr__(name: str) -> Any:
    """Loaded on first use: `import pincite` stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pincite' has no attribute {name!r}")
    import importlib

    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)
