"""Optional parts: the one place where a missing package is noticed, and the answer that helps."""

from __future__ import annotations

from importlib.util import find_spec

from pincite.errors import MissingExtra


def require(extra: str, purpose: str, *modules: str) -> None:
    """`MissingExtra` with the line to install it, unless all modules are there."""
    if not all(find_spec(module) for module in modules):
        raise MissingExtra.for_extra(extra, purpose)
