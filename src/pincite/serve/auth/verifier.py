"""The verifier: turns a bearer token into a caller, for all doors. Arguments and other headers have no influence."""

from __future__ import annotations

from pincite.errors import Unauthenticated
from pincite.library import Library
from pincite.serve.auth.jwt import JwtVerifier
from pincite.serve.auth.keys import KeyStore, is_key
from pincite.serve.callers import Caller
from pincite.settings.serve import Auth

MAX_TOKEN = 16_000
"""Maximum length in characters; no valid token is longer."""


class Verifier:
    """Accepts API keys of the library and JWTs of the configured issuer."""

    def __init__(self, settings: Auth, library: Library) -> None:
        config = library.config
        self._mode = settings.mode
        self.keys = keys_of(library, settings)
        self._jwt = JwtVerifier(settings.jwt, config.tenant, config.organization) if settings.jwt.issuer else None

    @property
    def required(self) -> bool:
        """Whether a token is required. Keys count even if all are revoked: that must not open the door."""
        if self._mode == "off":
            return False
        return self._mode == "required" or self._jwt is not None or self.keys.exists()

    def verify(self, token: str | None) -> Caller:
        """The bearer of the token; `Unauthenticated` if it is not valid, `Unavailable` if it cannot be checked now."""
        if not token:
            raise Unauthenticated("authentication required")
        if len(token) > MAX_TOKEN:
            raise Unauthenticated("invalid token")
        if is_key(token):
            return self.keys.verify(token)
        if self._jwt is None:
            raise Unauthenticated("invalid token")
        return self._jwt.verify(token)


def keys_of(library: Library, settings: Auth) -> KeyStore:
    """The keys of a library, with those of a file that the settings name."""
    if settings.keys_file:
        library.take_over_keys(settings.keys_file)
    return KeyStore(library.catalog.server.keys)
