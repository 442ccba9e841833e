"""Callers: who asks, and what they may do. Made from a token or from the settings, never from a request's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tool list of an MCP server needs a caller before it needs the engine
    from pincite.settings import Config

SCOPES = {
    "search:read": "search, read, cite, verify and compare",
    "index:write": "ingest sources and build indexes anew",
    "baselines:write": "name, publish and roll back baselines",
    "admin:read": "health in detail, metrics",
}
"""Everything that a token can allow. What a caller sees is limited by repositories and roles beside it."""

LOCAL = "local"
"""The subject of whoever needs no token: the command line, stdio, and loopback without configured authentication."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks."""

    subject: str
    """Id of an API key, or `sub` of a JWT. Compare `identity`, not this."""
    tenant: str
    organization: str
    repositories: frozenset[str] | None = None
    """None: all of the organization."""
    roles: frozenset[str] | None = None
    """None: the owner, who reads everything."""
    scopes: frozenset[str] = frozenset()
    is_local: bool = False
    """Needs no token, and has no rate limit. The subject does not tell: an issuer may call somebody "local"."""
    issuer: str = ""
    """`iss` of a JWT, never empty there; empty for an API key and for whoever needs no token."""

    @property
    def identity(self) -> tuple[str, str]:
        """Who this is within a tenant. A subject alone is not enough: an issuer may name somebody like a key's id."""
        return (self.issuer, self.subject)

    @property
    def name(self) -> str:
        """Who this is, for people to read; what an issuer vouches for never looks like a key of this library."""
        return f"{self.subject} ({self.issuer})" if self.issuer else self.subject

    def may(self, scope: str) -> bool:
        return scope in self.scopes


def local_caller(config: Config, roles: Sequence[str] | frozenset[str] | None = None) -> Caller:
    """Whoever sits at this machine: all scopes, in the tenant and organization of the settings."""
    held = None if roles is None else frozenset(roles)
    return Caller(LOCAL, config.tenant, config.organization, None, held, frozenset(SCOPES), is_local=True)
