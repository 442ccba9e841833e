"""A catalog in which only some repositories exist: how a caller who may read a few sees a library that holds many.

Every read begins with the repository: it is listed, or looked up by its scope. Where both say that it is not there, it
is answered in the same words as one that never was, suggestions included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pincite.errors import PermissionDenied
from pincite.protocols import Catalog, Repositories
from pincite.types import RepositoryInfo, Scope

Exists = Callable[[Scope], bool]


class LimitedRepositories:
    """`catalog.repositories`, as far as a caller may know of them."""

    def __init__(self, repositories: Repositories, exists: Exists) -> None:
        self._repositories = repositories
        self._exists = exists

    def ensure(self, scope: Scope) -> RepositoryInfo:
        if not self._exists(scope):
            raise PermissionDenied(f"you may not write to {scope.repository!r}", field="repository_id")
        return self._repositories.ensure(scope)

    def get(self, scope: Scope) -> RepositoryInfo | None:
        return self._repositories.get(scope) if self._exists(scope) else None

    def list(self, tenant: str, organization: str) -> tuple[RepositoryInfo, ...]:
        return tuple(info for info in self._repositories.list(tenant, organization) if self._exists(info.scope))

    def all(self) -> tuple[RepositoryInfo, ...]:
        return tuple(info for info in self._repositories.all() if self._exists(info.scope))


class LimitedCatalog:
    """A catalog with limited repositories; everything else is the catalog's own."""

    def __init__(self, catalog: Catalog, exists: Exists) -> None:
        self._catalog = catalog
        self.repositories = LimitedRepositories(catalog.repositories, exists)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)
