"""A catalog in which only some repositories exist: how a caller who may read a few sees a library that holds many.

Every read begins with the repository: it is listed, or looked up by its scope. Where both say that it is not there, it
is answered in the same words as one that never was, suggestions included. Whatever is asked of another repository all
the same is refused by each part.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from pincite.catalog.bounds import Bounds, BoundSession
from pincite.errors import PermissionDenied
from pincite.protocols import Catalog, Operator, ServerState, Session


class LimitedCatalog(BoundSession):
    """A catalog for one caller. What is the operator's is refused."""

    def __init__(self, catalog: Catalog, bounds: Bounds) -> None:
        super().__init__(catalog, bounds)
        self._catalog = catalog

    @contextmanager
    def session(self, tenant: str) -> Iterator[Session]:
        """One state of what the caller may read."""
        with self._catalog.session(self._bounds.require_tenant(tenant)) as session:
            yield BoundSession(session, self._bounds)

    @property
    def server(self) -> ServerState:
        raise _refused()

    def operator(self) -> AbstractContextManager[Operator]:
        raise _refused()

    def upkeep(self) -> None:
        raise _refused()

    def backup(self, folder: Path) -> None:  # noqa: ARG002
        raise _refused()

    def traces_pending(self) -> bool:
        """Whether something that was erased may still lie on the disk; it does not say whose."""
        return self._catalog.traces_pending()

    def check(self) -> tuple[str, ...]:
        """Whether the store is sound, which concerns everybody who reads it."""
        return self._catalog.check()

    def close(self) -> None:
        raise _refused()


def _refused() -> PermissionDenied:
    return PermissionDenied("a caller of one organization may not do what affects the whole library")
