"""The issuer's public keys: fetched once, cached, and fetched again when a token names an unknown key."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from pincite.errors import Unavailable

MAX_BYTES = 1_000_000
FETCH_SECONDS = 5.0
LEAST_SECONDS = 30.0
"""Minimum time between two fetches: tokens with made-up key ids must not trigger a call to the issuer each time."""
MOST_SECONDS = 3_600.0
"""After this time the keys are fetched again, so a key withdrawn by the issuer is forgotten."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are refused: the keys must come from the issuer's own address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class KeySet:
    """A JWKS behind a URL."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str, Any] = {}
        self._fetched: float | None = None
        self._tried: float | None = None
        self._problem = ""

    def find(self, kid: str) -> Any | None:
        """The public key with this id, or the only key if the token names none; None if the issuer has no such key.

        `Unavailable` while the issuer cannot be reached and the cached keys are too old.
        """
        with self._lock:
            now = self._clock()
            stale = self._fetched is None or now - self._fetched >= MOST_SECONDS
            if (stale or self._chosen(kid) is None) and (self._tried is None or now - self._tried >= LEAST_SECONDS):
                self._fetch(now)
                stale = self._fetched is None or now - self._fetched >= MOST_SECONDS
            if stale:
                raise Unavailable(f"the issuer's keys cannot be fetched, so no token can be checked: {self._problem}")
            return self._chosen(kid)

    def _chosen(self, kid: str) -> Any | None:
        if kid:
            return self._keys.get(kid)
        return next(iter(self._keys.values())) if len(self._keys) == 1 else None

    def _fetch(self, now: float) -> None:
        self._tried = now
        try:
            opener = urllib.request.build_opener(_NoRedirect)
            with opener.open(self._url, timeout=FETCH_SECONDS) as answer:
                body = answer.read(MAX_BYTES + 1)
            if len(body) > MAX_BYTES:
                raise ValueError("the answer is too long")
            self._keys, self._fetched, self._problem = _public_keys(json.loads(body)), now, ""
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            self._problem = str(error) or type(error).__name__


def _public_keys(body: Any) -> dict[str, Any]:
    """Signing keys by id. Secrets and unreadable entries are skipped: a published set must not contain secrets."""
    from jwt import PyJWK, PyJWTError

    found = {}
    for position, item in enumerate(body["keys"]):
        if item.get("use", "sig") != "sig" or item.get("kty") == "oct":
            continue
        try:
            found[str(item.get("kid") or f"#{position}")] = PyJWK.from_dict(item)
        except PyJWTError:
            continue
    if not found:
        raise ValueError("it contains no public key for signatures")
    return found
