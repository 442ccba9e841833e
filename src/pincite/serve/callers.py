"""Callers and what they may do. Built from a token or the settings, never from a request's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tool list of an MCP server needs a caller before the engine is loaded
    from pincite.settings import Config

SCOPES = {
    "search:read": "search, read, cite, verify and compare",
    "index:write": "ingest sources and rebuild indexes",
    "baselines:write": "name, publish and roll back baselines",
    "admin:read": "detailed health, metrics",
}
"""Everything a token can allow. Repositories and roles limit further what a caller sees."""

LOCAL = "local"
"""The subject of callers without a token: the command line, stdio, and loopback without authentication."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request."""

    subject: str
    """Id of an API key, or `sub` of a JWT. Compare `identity`, not this."""
    tenant: str
    organization: str
    repositories: frozenset[str] | None = None
    """None: all repositories of the organization."""
    roles: frozenset[str] | None = None
    """None: the owner, who reads everything."""
    scopes: frozenset[str] = frozenset()
    is_local: bool = False
    """Needs no token and has no rate limit. The subject does not show this: an issuer may name somebody "local"."""
    issuer: str = ""
    """`iss` of a JWT, where it is never empty; empty for API keys and local callers."""

    @property
    def identity(self) -> tuple[str, str]:
        """Unique within a tenant. The subject alone is not: an issuer may use a key's id as a subject."""
        return (self.issuer, self.subject)

    @property
    def name(self) -> str:
        """A readable name. A subject from an issuer never looks like a key of this library."""
        return f"{self.subject} ({self.issuer})" if self.issuer else self.subject

    def may(self, scope: str) -> bool:
        return scope in self.scopes


def local_caller(config: Config, roles: Sequence[str] | frozenset[str] | None = None) -> Caller:
    """The local user: all scopes, in the tenant and organization of the settings."""
    held = None if roles is None else frozenset(roles)
    return Caller(LOCAL, config.tenant, config.organization, None, held, frozenset(SCOPES), is_local=True)
