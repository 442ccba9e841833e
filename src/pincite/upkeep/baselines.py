"""Baselines: naming states of a repository, and choosing the one that is published."""

from __future__ import annotations

from collections.abc import Callable

from pincite.errors import NotFound
from pincite.protocols import Catalog
from pincite.types import Baseline, Scope


class BaselineDesk:
    """`library.baselines`: create, list, publish, rollback."""

    def __init__(
        self,
        catalog: Catalog,
        scope: Callable[[str], Scope],
        gate: Callable[[Scope, str], None],
        require_owner: Callable[[str], None],
        author: str = "",
    ) -> None:
        """`gate` is called before a baseline is published and raises if it must not be; so does `require_owner`.

        `author` is recorded if a call names none.
        """
        self._catalog = catalog
        self._scope = scope
        self._gate = gate
        self._require_owner = require_owner
        self._author = author

    def create(
        self, name: str, *, repository: str = "", revision: int | None = None, author: str = "", note: str = ""
    ) -> Baseline:
        """Name a revision, by default the newest."""
        self._require_owner("name a baseline")
        scope = self._known(repository)
        return self._catalog.baselines.create(scope, name, revision=revision, author=author or self._author, note=note)

    def list(self, *, repository: str = "") -> tuple[Baseline, ...]:
        """All baselines, oldest first."""
        return self._catalog.baselines.list(self._known(repository))

    def publish(self, name: str, *, repository: str = "", author: str = "") -> Baseline:
        """Make a baseline the published state; refused if the golden queries of the configuration get worse."""
        self._require_owner("publish")
        scope = self._known(repository)
        if self._catalog.baselines.get(scope, name) is not None:
            self._gate(scope, name)
        return self._catalog.baselines.publish(scope, name, author=author or self._author)

    def rollback(self, *, repository: str = "", author: str = "") -> Baseline:
        """Publish the previously published baseline again; no gate is applied."""
        self._require_owner("publish")
        return self._catalog.baselines.rollback(self._known(repository), author=author or self._author)

    def _known(self, repository: str) -> Scope:
        scope = self._scope(repository)
        if self._catalog.repositories.get(scope) is None:
            listed = self._catalog.repositories.list(scope.tenant, scope.organization)
            known = [item.scope.repository for item in listed]
            raise NotFound(
                f"there is no repository {scope.repository!r}; there is {', '.join(known) or 'none yet'}",
                field="repository_id",
                suggestions=known,
            )
        return scope
