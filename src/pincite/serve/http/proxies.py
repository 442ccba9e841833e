"""What a proxy reports about a request, trusted only if the settings list the proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from starlette.types import Scope


def is_encrypted(scope: Scope, trusted: Sequence[str]) -> bool:
    """Whether the caller's own connection is HTTPS, here or at a trusted proxy."""
    if scope["scheme"] in ("https", "wss"):
        return True
    said = header(scope, b"x-forwarded-proto").partition(",")[0].strip().lower()
    return said == "https" and is_trusted(scope, trusted)


def is_trusted(scope: Scope, trusted: Sequence[str]) -> bool:
    """Whether the other end of the connection is one of the proxies, given as addresses or networks."""
    try:
        peer = ipaddress.ip_address((scope.get("client") or ("", 0))[0])
        return any(peer in ipaddress.ip_network(entry, strict=False) for entry in trusted)
    except ValueError:
        return False


def header(scope: Scope, name: bytes) -> str:
    """A header of a request, empty if absent."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def bearer(scope: Scope) -> str | None:
    """The token of a request, or None. Never taken from the URL: URLs are logged."""
    scheme, _, token = header(scope, b"authorization").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def base_url(scope: Scope, trusted: Sequence[str]) -> str:
    """The base URL by which this client reached us."""
    return f"{'https' if is_encrypted(scope, trusted) else 'http'}://{header(scope, b'host')}"
