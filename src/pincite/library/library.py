"""The front door: everything that can be done with an open library, also on behalf of a caller."""

from __future__ import annotations

from copy import copy
from typing import Literal

from pincite.catalog.bounds import Bounds
from pincite.catalog.limited import LimitedCatalog
from pincite.library.check import Checking
from pincite.library.find import Searching
from pincite.library.look_after import LookingAfter
from pincite.library.models import Modelling
from pincite.library.put_in import PuttingIn
from pincite.library.read import LookingUp
from pincite.types import Scope


class Library(PuttingIn, Searching, LookingUp, Checking, Modelling, LookingAfter):
    """An open library. Use it as a context manager, or close it; one object serves all threads of a process."""

    def as_owner(self) -> Library:
        """This library without the limits of a role: the result of a gate must not depend on the caller."""
        other = copy(self)
        other.roles = None
        return other

    def for_caller(
        self,
        *,
        tenant: str,
        organization: str,
        repositories: frozenset[str] | None = None,
        roles: frozenset[str] | None = None,
        author: str = "",
        deadline_seconds: float | None = None,
        default_read_context: Literal["head", "published"] = "head",
    ) -> Library:
        """This library as a caller sees it, who may be of another tenant; it shares catalog, index, models and threads.

        Every method treats repositories outside the caller's set as if they did not exist; operations on the whole
        library are refused. `author` signs what the caller writes. If the models do not answer within
        `deadline_seconds`, the answer goes without them. `default_read_context` applies to requests without a read
        context; if it is `published` and nothing is, the head is read. Never close it.
        """

        def exists(scope: Scope) -> bool:
            at_home = (scope.tenant, scope.organization) == (tenant, organization)
            return at_home and (repositories is None or scope.repository in repositories)

        other = copy(self)
        other.roles, other._readable, other._author = roles, repositories, author
        other._default = default_read_context
        other.catalog = LimitedCatalog(self._home.catalog, Bounds(tenant, exists))
        changed: dict[str, object] = {"tenant": tenant, "organization": organization}
        if repositories is not None and len(repositories) == 1:
            (changed["repository"],) = repositories
        if deadline_seconds is not None:
            for name in ("retrieval", "reranker"):
                part = getattr(self.config, name)
                least = min(part.deadline_seconds, max(deadline_seconds, 0.001))
                changed[name] = part.model_copy(update={"deadline_seconds": least})
        other.config = self.config.model_copy(update=changed)
        return other
