"""API keys: `pincite_<id>_<secret>`, shown once, kept as a hash.

A secret is 32 random bytes: nobody guesses it, with or without a slow hash, so SHA-256 is right. (A password is weak,
and needs a slow one; a key is not.) The hash is compared in constant time. Keys lie in one small SQLite file, readable
by its owner alone, so that every process sees a new or revoked key with its next request. The file is no part of a
backup: whoever restores a copy of the library makes keys for it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pincite.advice import by_operator
from pincite.errors import Damaged, InvalidArgument, NotFound, Unauthenticated, Unavailable, UnknownArgument
from pincite.serve.callers import SCOPES, Caller
from pincite.wire import Json

PREFIX = "pincite_"
SECRET_BYTES = 32
DEFAULT_SCOPES = ("search:read",)
_KEY = re.compile(r"pincite_(?P<id>[0-9a-z]{10})_(?P<secret>[0-9A-Za-z_-]{43})")
_AGE = re.compile(r"(?P<number>[1-9][0-9]{0,4})(?P<unit>[hdwy])")
_LISTS = ("scopes", "repositories", "roles")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}


@dataclass(frozen=True, slots=True)
class Key:
    """What is kept of an API key."""

    id: str
    name: str
    tenant: str
    organization: str
    hash: str
    scopes: tuple[str, ...]
    repositories: tuple[str, ...] | None
    roles: tuple[str, ...] | None
    created: str
    expires: str = ""
    revoked: str = ""

    def state(self, now: datetime) -> str:
        if self.revoked:
            return "revoked"
        return "expired" if self.expires and datetime.fromisoformat(self.expires) <= now else "active"

    def caller(self) -> Caller:
        return Caller(
            self.id,
            self.tenant,
            self.organization,
            None if self.repositories is None else frozenset(self.repositories),
            None if self.roles is None else frozenset(self.roles),
            frozenset(self.scopes),
        )


def _now() -> datetime:
    return datetime.now(UTC)


def is_key(token: str) -> bool:
    """Whether a token has the form of an API key; a JWT never has."""
    return token.startswith(PREFIX)


WAIT_SECONDS = 10.0

TABLE = """
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, organization TEXT NOT NULL, hash TEXT NOT NULL,
  scopes TEXT NOT NULL, repositories TEXT, roles TEXT, created TEXT NOT NULL, expires TEXT NOT NULL,
  revoked TEXT NOT NULL
) STRICT
"""
COLUMNS = "id, name, tenant, organization, hash, scopes, repositories, roles, created, expires, revoked"
ADD = f"INSERT INTO keys ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ALL = f"SELECT {COLUMNS} FROM keys ORDER BY created, rowid"
ONE = f"SELECT {COLUMNS} FROM keys WHERE id = ?"
REVOKE = "UPDATE keys SET revoked = ? WHERE id = ? AND revoked = ''"


class KeyStore:
    """The keys in one file."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = _now) -> None:
        self.path = path
        self._clock = clock

    def exists(self) -> bool:
        """Whether keys were ever made here."""
        return self.path.exists()

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
    ) -> tuple[Key, str]:
        """A new key, and its text, which cannot be had again. `expires`: an age like 90d, or a day."""
        if not name.strip():
            raise InvalidArgument("a key needs a name, so that you know whom to ask about it", field="name")
        for scope in scopes:
            if scope not in SCOPES:
                raise UnknownArgument.named("scope", scope, SCOPES, field="scope")
        now = self._clock()
        secret = secrets.token_urlsafe(SECRET_BYTES)
        key = Key(
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
        with self._writing() as file:
            file.execute(ADD, _row(key))
        return key, f"{PREFIX}{key.id}_{secret}"

    def list(self) -> tuple[Key, ...]:
        """All keys, also revoked and expired ones, oldest first."""
        return self._read(ALL)

    def revoke(self, wanted: str) -> Key:
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
        with self._writing() as file:
            file.execute(REVOKE, (_iso(self._clock()), found.id))
        return next(iter(self._read(ONE, found.id)))

    def verify(self, token: str) -> Caller:
        """Who bears the key. What is wrong with a key is not told: it would help whoever tries them out."""
        match = _KEY.fullmatch(token)
        key = next(iter(self._read(ONE, match["id"])), None) if match else None
        given = _hash(match["secret"] if match else token)
        same = hmac.compare_digest(given, key.hash if key else _hash(""))
        if key is None or not same or key.state(self._clock()) != "active":
            raise Unauthenticated("invalid token")
        return key.caller()

    # --- the file ---------------------------------------------------------------------------------------------

    def _read(self, statement: str, *values: str) -> tuple[Key, ...]:
        if not self.path.exists():
            return ()
        with self._opened() as file:
            return tuple(_key(row) for row in file.execute(statement, values))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The file with its table; on the disk before this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        with self._opened() as file, file:
            file.execute(TABLE)
            yield file

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS)) as file:
                yield file
        except sqlite3.OperationalError as error:
            raise Unavailable(f"{self.path.name} cannot be read now, so no key can be checked: {error}") from error
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            advice = by_operator("restore the file, or remove it and make new keys with", "pincite keys create")
            raise Damaged(f"{self.path.name} is damaged, so no key can be checked; {advice}") from error


def to_wire(key: Key) -> Json:
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
        "state": key.state(_now()),
    }


def _row(key: Key) -> tuple[str | None, ...]:
    values = {field.name: getattr(key, field.name) for field in fields(Key)}
    return tuple(json.dumps(value) if isinstance(value, tuple) else value for value in values.values())


def _key(row: tuple[str | None, ...]) -> Key:
    values = dict(zip((field.name for field in fields(Key)), row, strict=True))
    lists = {name: None if values[name] is None else tuple(json.loads(str(values[name]))) for name in _LISTS}
    return replace(Key(**values), **lists)  # type: ignore[arg-type]


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
            f"{text!r:.80} is no time to expire; write it as 12h, 90d, 8w, 1y or 2027-01-31", field="expires"
        ) from None
    if end <= now:
        raise InvalidArgument(f"{text!r:.80} has passed; a key that has expired opens nothing", field="expires")
    return end


def _end_of(day: str) -> datetime:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise ValueError(day)
    return datetime.fromisoformat(day).replace(hour=23, minute=59, second=59, tzinfo=UTC)
