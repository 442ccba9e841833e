"""Which vector stores there are: ours in one table, those of other packages by entry points of `pincite.vector_stores`.

A store is named by the setting `vectors`: `flat`, or an address that begins with its name, as in `name://host:port`. An
entry point names a function that takes the whole setting and gives a `VectorStore`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import cast

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.index.flat import FlatVectors
from pincite.protocols import VectorStore

GROUP = "pincite.vector_stores"

Opener = Callable[[str], VectorStore]


def open_store(address: str) -> VectorStore:
    """The store at an address; `UnknownArgument` for a name that nobody has."""
    name = address.partition("://")[0]
    known = _openers()
    if name not in known:
        raise UnknownArgument.named("vector store", name, known, field="vectors")
    return known[name](address)


def _flat(address: str) -> VectorStore:
    if address != FlatVectors.name:
        raise InvalidArgument(f"vectors: flat is in memory and has no address, not {address!r}", field="vectors")
    return FlatVectors()


def _openers() -> Mapping[str, Opener]:
    """All stores by name. Another package cannot take a name of ours."""
    others = {point.name: cast("Opener", point.load()) for point in entry_points(group=GROUP)}
    return {**others, "flat": _flat}
