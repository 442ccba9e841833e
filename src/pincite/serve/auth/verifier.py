"""The verifier: from a bearer token to a caller, the same for all doors. Arguments and headers add nothing to it."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import Unauthenticated
from pincite.serve.auth.jwt import JwtVerifier
from pincite.serve.auth.keys import KeyStore, is_key
from pincite.serve.callers import Caller
from pincite.settings import Config
from pincite.settings.serve import Auth

KEYS_FILE = "keys.db"
MAX_TOKEN = 16_000
"""Characters; more is no token of anybody's."""


class Verifier:
    """API keys of the library, and JWTs of the configured issuer."""

    def __init__(self, settings: Auth, library: Path, config: Config) -> None:
        self._mode = settings.mode
        self.keys = KeyStore(keys_path(settings, library))
        self._jwt = JwtVerifier(settings.jwt, config.tenant, config.organization) if settings.jwt.issuer else None

    @property
    def required(self) -> bool:
        """Whether a token is asked for. A file of keys counts even if all are revoked: that must not open the door."""
        if self._mode == "off":
            return False
        return self._mode == "required" or self._jwt is not None or self.keys.exists()

    def verify(self, token: str | None) -> Caller:
        """Who bears the token; `Unauthenticated` otherwise, `Unavailable` where it cannot be checked now."""
        if not token:
            raise Unauthenticated("authentication required")
        if len(token) > MAX_TOKEN:
            raise Unauthenticated("invalid token")
        if is_key(token):
            return self.keys.verify(token)
        if self._jwt is None:
            raise Unauthenticated("invalid token")
        return self._jwt.verify(token)


def keys_path(settings: Auth, library: Path) -> Path:
    """Where API keys are kept: beside the catalog, unless the settings say otherwise."""
    return Path(settings.keys_file).expanduser() if settings.keys_file else library / KEYS_FILE
