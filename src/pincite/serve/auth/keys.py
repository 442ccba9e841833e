"""API keys: `pincite_<id>_<secret>`, shown once, kept as a hash.

A secret is 32 random bytes: nobody guesses it, with or without a slow hash, so SHA-256 is right. (A password is weak,
and needs a slow one; a key is not.) The hash is compared in constant time. Keys are kept beside the catalog, so that
every process of every node sees a new or revoked key with its next request. They are not part of a backup: a restored
copy of a library needs keys of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pincite.errors import InvalidArgument, NotFound, Unauthenticated, UnknownArgument
from pincite.serve.callers import SCOPES, Caller
from pincite.server_state import ApiKey
from pincite.wire import Json

if TYPE_CHECKING:
    from pincite.protocols import ApiKeys

PREFIX = "pincite_"
SECRET_BYTES = 32
DEFAULT_SCOPES = ("search:read",)
_KEY = re.compile(r"pincite_(?P<id>[0-9a-z]{10})_(?P<secret>[0-9A-Za-z_-]{43})")
_AGE = re.compile(r"(?P<number>[1-9][0-9]{0,4})(?P<unit>[hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}


def state_of(key: ApiKey, now: datetime) -> str:
    """Whether a key opens anything: active, revoked or expired."""
    if key.revoked:
        return "revoked"
    return "expired" if key.expires and datetime.fromisoformat(key.expires) <= now else "active"


def caller_of(key: ApiKey) -> Caller:
    """Who bears the key."""
    return Caller(
        key.id,
        key.tenant,
        key.organization,
        None if key.repositories is None else frozenset(key.repositories),
        None if key.roles is None else frozenset(key.roles),
        frozenset(key.scopes),
    )


def _now() -> datetime:
    return datetime.now(UTC)


def is_key(token: str) -> bool:
    """Whether a token has the form of an API key; a JWT never has."""
    return token.startswith(PREFIX)


class KeyStore:
    """The keys of a library."""

    def __init__(self, keys: ApiKeys, *, clock: Callable[[], datetime] = _now) -> None:
        self._keys = keys
        self._clock = clock

    def exists(self) -> bool:
        """Whether there was ever a key."""
        return self._keys.any()

    def create(
        self,
        name: str,
        *,
        tenant: str,
        organization: str,
        scopes: Sequence[str] = DEFAULT_SCOPES,
        repositories: Sequence[str] | None = None,
        roles: Sequence[str] | None = None,
        expires: str = "",
    ) -> tuple[ApiKey, str]:
        """A new key, and its text, which cannot be had again. `expires`: an age like 90d, or a day."""
        if not name.strip():
            raise InvalidArgument("a key needs a name, so that you know whom to ask about it", field="name")
        for scope in scopes:
            if scope not in SCOPES:
                raise UnknownArgument.named("scope", scope, SCOPES, field="scope")
        now = self._clock()
        secret = secrets.token_urlsafe(SECRET_BYTES)
        key = ApiKey(
            id=_new_id(),
            name=name.strip(),
            tenant=tenant,
            organization=organization,
            hash=_hash(secret),
            scopes=tuple(dict.fromkeys(scopes)),
            repositories=tuple(repositories) if repositories else None,
            roles=tuple(roles) if roles else None,
            created=_iso(now),
            expires=_iso(_expiry(expires, now)) if expires else "",
        )
        self._keys.add(key)
        return key, f"{PREFIX}{key.id}_{secret}"

    def list(self) -> tuple[ApiKey, ...]:
        """All keys, also revoked and expired ones, oldest first."""
        return self._keys.list()

    def revoke(self, wanted: str) -> ApiKey:
        """Refuse a key from now on; by its id, its name if only one in use has it, or its whole text."""
        match = _KEY.fullmatch(wanted)
        known = self.list()
        named = [key for key in known if key.name == wanted and not key.revoked]
        found = next((key for key in known if key.id == (match["id"] if match else wanted)), None)
        found = found or (named[0] if len(named) == 1 else None)
        if found is None:
            shown = wanted[: len(PREFIX) + 10] if is_key(wanted) else wanted
            hint = f"{len(named)} keys have that name, give the id" if named else "list them with: pincite keys list"
            raise NotFound(f"there is no key {shown!r}; {hint}", field="key", suggestions=[key.id for key in named])
        self._keys.revoke(found.id, _iso(self._clock()))
        return self._keys.get(found.id) or found

    def verify(self, token: str) -> Caller:
        """Who bears the key. The error does not say what is wrong with a key: that would help an attacker."""
        match = _KEY.fullmatch(token)
        key = self._keys.get(match["id"]) if match else None
        given = _hash(match["secret"] if match else token)
        same = hmac.compare_digest(given, key.hash if key else _hash(""))
        if key is None or not same or state_of(key, self._clock()) != "active":
            raise Unauthenticated("invalid token")
        return caller_of(key)


def to_wire(key: ApiKey) -> Json:
    """A key as it may be shown: never its hash."""
    return {
        "id": key.id,
        "name": key.name,
        "tenant": key.tenant,
        "organization": key.organization,
        "repositories": None if key.repositories is None else list(key.repositories),
        "roles": None if key.roles is None else list(key.roles),
        "scopes": list(key.scopes),
        "created": key.created,
        "expires": key.expires or None,
        "revoked": key.revoked or None,
        "state": state_of(key, _now()),
    }


def _new_id() -> str:
    return "".join(secrets.choice("0123456789abcdefghijkmnpqrstuvwxyz") for _ in range(10))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _iso(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="seconds")


def _expiry(text: str, now: datetime) -> datetime:
    """`90d` from now, or the end of a day."""
    age = _AGE.fullmatch(text.strip())
    try:
        end = now + int(age["number"]) * _UNITS[age["unit"]] if age else _end_of(text.strip())
    except (ValueError, OverflowError):
        raise InvalidArgument(
            f"{text!r:.80} is not an expiry time; write it as 12h, 90d, 8w, 1y or 2027-01-31", field="expires"
        ) from None
    if end <= now:
        raise InvalidArgument(f"{text!r:.80} has passed; choose a time in the future", field="expires")
    return end


def _end_of(day: str) -> datetime:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise ValueError(day)
    return datetime.fromisoformat(day).replace(hour=23, minute=59, second=59, tzinfo=UTC)
