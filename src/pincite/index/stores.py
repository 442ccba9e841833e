"""Which vector stores there are: ours in one table, those of other packages by entry points of `pincite.vector_stores`.

A store is named by the setting `vectors`: `flat`, or an address that begins with its name, as in `name://host:port`. An
entry point names a function that takes the whole setting and the store's own settings, and gives a `VectorStore`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pincite import plugins
from pincite.errors import InvalidArgument, UnknownArgument
from pincite.index.flat import FlatVectors
from pincite.protocols import VectorStore

GROUP = "pincite.vector_stores"

Opener = Callable[[str, Mapping[str, object]], VectorStore]


def open_store(address: str, settings: Mapping[str, object]) -> VectorStore:
    """The store at an address; `UnknownArgument` for a name that nobody has."""
    name = address.partition("://")[0]
    return plugins.named("vector store", name, GROUP, _OPENERS, field="vectors")(address, settings)


def _flat(address: str, settings: Mapping[str, object]) -> VectorStore:
    for name in settings:
        raise UnknownArgument.named("setting of vectors: flat", name, (), field="vectors_settings")
    if address != FlatVectors.name:
        raise InvalidArgument(f"vectors: flat is in memory and has no address, not {address!r}", field="vectors")
    return FlatVectors()


_OPENERS: Mapping[str, Opener] = {FlatVectors.name: _flat}
