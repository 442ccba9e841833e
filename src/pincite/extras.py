"""Optional features: the one place that checks for their packages and says how to install them."""

from __future__ import annotations

from importlib.util import find_spec

from pincite.errors import MissingExtra


def require(extra: str, purpose: str, *modules: str) -> None:
    """`MissingExtra`, with the command to install it, unless all modules are present."""
    if not all(find_spec(module) for module in modules):
        raise MissingExtra.for_extra(extra, purpose)
