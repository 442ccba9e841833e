"""How clients learn to authenticate: RFC 9728 metadata, and the WWW-Authenticate headers of RFC 6750."""

from __future__ import annotations

from urllib.parse import urlsplit

from pincite.errors import InsufficientScope, PinciteError, Unauthenticated
from pincite.serve.callers import SCOPES
from pincite.settings.serve import ServeSettings
from pincite.wire import Json

WELL_KNOWN = "/.well-known/oauth-protected-resource"


def protected_resource(settings: ServeSettings, path: str = "", *, base_url: str = "") -> Json:
    """The metadata document of the server, or of the resource at `path`, such as `/mcp` (RFC 9728 §2).

    `base_url`: how this client reached us, used if the settings have no `public_url`.
    """
    issuer = settings.auth.jwt.issuer
    document: Json = {
        "resource": _base(settings, base_url) + path,
        "resource_name": "Pincite",
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
    }
    return document | ({"authorization_servers": [issuer]} if issuer else {})


def metadata_url(settings: ServeSettings, path: str = "", *, base_url: str = "") -> str:
    """The URL of that document: the well-known part is between host and path (RFC 9728 §3.1)."""
    parts = urlsplit(_base(settings, base_url))
    return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path}{path}"


def challenge(settings: ServeSettings, error: PinciteError, path: str = "", *, base_url: str = "") -> str:
    """The WWW-Authenticate header of a 401 or a 403.

    A request without a token gets no error code (RFC 6750 §3.1), because the client has done nothing wrong yet.
    """
    parts = [f'resource_metadata="{metadata_url(settings, path, base_url=base_url)}"']
    if isinstance(error, InsufficientScope):
        said = f"needs the scope {error.scope}"
        parts += ['error="insufficient_scope"', f'error_description="{said}"', f'scope="{error.scope}"']
    elif isinstance(error, Unauthenticated) and error.reason != "authentication required":
        parts += ['error="invalid_token"', f'error_description="{error.reason}"']
    return "Bearer " + ", ".join(parts)


def _base(settings: ServeSettings, base_url: str) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return (settings.public_url or base_url or f"http://{host}:{settings.port}").rstrip("/")
