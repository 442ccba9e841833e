"""JWTs: checks signature (by an allowed algorithm), issuer, audience and expiry, then identifies the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pincite.errors import InvalidArgument, Unauthenticated
from pincite.extras import require
from pincite.serve.auth.jwks import KeySet
from pincite.serve.callers import SCOPES, Caller
from pincite.settings.serve import SYMMETRIC, Jwt

LEAST_SECRET_BYTES = 32
"""A shorter secret for HS256 can be found by brute force (RFC 7518 §3.2)."""


class JwtVerifier:
    """Tokens of one issuer. If a token names no tenant or organization, those of the settings apply."""

    def __init__(self, settings: Jwt, tenant: str, organization: str) -> None:
        require("http", "checking JWTs", "jwt", "cryptography")
        self._settings = settings
        self._default = (tenant, organization)
        self._key = self._source_of_keys()

    def verify(self, token: str) -> Caller:
        """The bearer of the token. It is refused if it is missing, invalid, or meant for another server."""
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            key = self._key(str(header.get("kid") or ""))
            if header.get("alg") not in self._settings.algorithms or key is None:
                raise Unauthenticated("invalid token")
            audience = self._settings.audience
            claims = jwt.decode(
                token,
                key,
                algorithms=list(self._settings.algorithms),
                issuer=self._settings.issuer,
                audience=audience if isinstance(audience, str) else list(audience),
                leeway=self._settings.leeway_seconds,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.InvalidAudienceError:
            raise Unauthenticated("invalid audience") from None
        except jwt.MissingRequiredClaimError as error:
            raise Unauthenticated("invalid audience" if error.claim == "aud" else "invalid token") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise Unauthenticated("invalid token") from None
        return self._caller(claims)

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        names, settings = self._settings.claims, self._settings
        tenant = _text(claims, names.tenant, self._default[0])
        organization = _text(claims, names.organization, self._default[1])
        repositories = _texts(claims, names.repositories)
        roles = _texts(claims, names.roles)
        scopes = _texts(claims, names.scopes)
        if roles is None and settings.default_roles is not None:
            roles = frozenset(settings.default_roles)
        held = frozenset(settings.default_scopes) if scopes is None else scopes
        known = frozenset(scope for scope in held if scope in SCOPES)
        subject = str(claims["sub"])
        if not subject.strip():
            raise Unauthenticated("invalid token")
        return Caller(subject, tenant, organization, repositories, roles, known, issuer=settings.issuer)

    def _source_of_keys(self) -> Callable[[str], Any | None]:
        """A function that finds the key with a given id."""
        settings = self._settings
        if settings.jwks_url:
            return KeySet(settings.jwks_url).find
        text = settings.key or _read(settings.key_file)
        if settings.algorithms[0] in SYMMETRIC:
            if len(text.encode()) < LEAST_SECRET_BYTES or "-----BEGIN" in text:
                raise InvalidArgument(
                    f"the secret of {settings.algorithms[0]} must be at least {LEAST_SECRET_BYTES} random bytes, not a"
                    " public key",
                    field="serve.auth.jwt.key_file",
                )
        elif "-----BEGIN" not in text:
            raise InvalidArgument(
                "serve.auth.jwt.key must be a public key in PEM format (-----BEGIN PUBLIC KEY-----)",
                field="serve.auth.jwt.key",
            )
        return lambda _kid: text


def _read(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(
            f"serve.auth.jwt.key_file: {path!r} cannot be read", field="serve.auth.jwt.key_file"
        ) from error


def _claim(claims: Mapping[str, Any], path: str) -> Any:
    """A claim by its name or dotted path; a name that contains dots, like a URL, is tried first."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for part in path.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def _text(claims: Mapping[str, Any], path: str, default: str) -> str:
    value = _claim(claims, path)
    if value is None:
        return default
    if not isinstance(value, str) or not value:
        raise Unauthenticated("invalid token")
    return value


def _texts(claims: Mapping[str, Any], path: str) -> frozenset[str] | None:
    """A list of strings, or one string of several words, like `scope`; None if the claim is missing.

    A claim of any other type invalidates the token: treating it as missing would grant more than it says.
    """
    value = _claim(claims, path)
    if value is None:
        return None
    if isinstance(value, str):
        return frozenset(value.split())
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Unauthenticated("invalid token")
    return frozenset(value)
