"""Keys of repositories, asked of the catalog once: a repository keeps its key for good, and no other ever gets it."""

from __future__ import annotations

from typing import NamedTuple

from pincite.protocols import Catalog
from pincite.types import Scope


class Keyed(NamedTuple):
    """A repository and the key by which an index knows it."""

    scope: Scope
    key: str


class Keys:
    """What a reader needs of the catalog: nothing, after the first question."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[Scope, Keyed] = {}

    def of(self, scope: Scope) -> Keyed | None:
        """The repository with its key; None for one that does not exist (yet)."""
        known = self._known.get(scope)
        if known is None:
            info = self._catalog.repositories.get(scope)
            if info is None:
                return None
            known = self._known[scope] = Keyed(scope, info.key)
        return known
