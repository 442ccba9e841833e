"""Calls to model services: JSON over HTTP, retried when that may help, no more at once than the service accepts.

Retried after 1, 2 and 4 seconds (plus jitter, so that callers do not return at the same moment): 408, 409, 429, 5xx
including 529, time-outs, broken connections and truncated answers. A `Retry-After` in seconds or as a date is honoured
and applies to all callers. The key is sent in a header. It appears in no message, and redirects are not followed.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from pincite.errors import ServiceFailed
from pincite.models.limit import Limit

MAX_ANSWER_BYTES = 4_000_000
MAX_REASON = 300
AGAIN = frozenset({408, 409, 425, 429})
TOO_MANY = 429
HOPELESS = frozenset({401, 402, 403, 404, 405})
"""Further calls would get the same answer: a wrong key, no credit, no such model or address."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """Time-outs, attempts and parallel calls."""

    timeout_seconds: float = 60.0
    """The longest pause between two bytes of an answer."""
    connect_seconds: float = 10.0
    pauses_seconds: tuple[float, ...] = (1.0, 2.0, 4.0)
    longest_pause_seconds: float = 120.0
    """A service that asks for a longer wait counts as failed."""
    concurrency: int = 10


class Clock:
    """The clock, and how to wait; tests pass their own."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait, or return early if `stop` is called."""
        self._stopped.wait(seconds)

    def jitter(self) -> float:
        """A random number from 0 to 1, to spread callers."""
        return random.random()

    def stop(self) -> None:
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()


class _Again(Exception):
    """A failure that may be temporary."""

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.after_seconds = after_seconds


class Client:
    """One service. Thread-safe. Close it when done."""

    def __init__(
        self,
        headers: Mapping[str, str],
        options: CallOptions | None = None,
        *,
        secret: str = "",
        clock: Clock | None = None,
    ) -> None:
        self._options = options or CallOptions()
        self._secret = secret
        self._clock = clock or Clock()
        self._not_before = 0.0
        self.limit = Limit(self._options.concurrency)
        timeout = httpx2.Timeout(self._options.timeout_seconds, connect=self._options.connect_seconds)
        limits = httpx2.Limits(max_connections=self._options.concurrency)
        self._http = httpx2.Client(headers=dict(headers), timeout=timeout, limits=limits)

    def post(self, address: str, body: Mapping[str, Any]) -> Any:
        """The service's JSON answer; `ServiceFailed` if no attempt succeeds."""
        for attempts, pause in enumerate((*self._options.pauses_seconds, None), start=1):
            self._wait_for_all()
            try:
                return self._once(address, body)
            except _Again as failure:
                if pause is None or self._clock.stopped:
                    raise ServiceFailed(f"{failure.reason} ({attempts} attempts)") from failure
                self._wait(failure, pause)
        raise AssertionError("the last attempt returns or raises")

    def stop(self) -> None:
        """Make callers that wait for their next attempt give up."""
        self._clock.stop()

    def close(self) -> None:
        self._http.close()

    # --- one attempt ----------------------------------------------------------------------------------------------

    def _once(self, address: str, body: Mapping[str, Any]) -> Any:
        with self.limit.slot() as slot:
            try:
                with self._http.stream("POST", address, json=body) as response:
                    content = _read(response, time.monotonic() + 2 * self._options.timeout_seconds)
            except httpx2.TimeoutException as error:
                raise _Again(f"no answer within {self._options.timeout_seconds:g} s") from error
            except (httpx2.TransportError, httpx2.DecodingError) as error:
                raise _Again(self._clean(f"no answer: {error or type(error).__name__}")) from error
            if response.status_code == TOO_MANY:
                slot.too_many()
            if not response.is_success:
                raise self._refusal(response.status_code, response.headers.get("retry-after", ""), content)
            try:
                answer = json.loads(content)
            except ValueError as error:
                raise _Again("the answer is not complete JSON") from error
            slot.went_well()
            return answer

    def _refusal(self, status: int, retry_after: str, content: bytes) -> _Again | ServiceFailed:
        reason = self._clean(f"the service returned {status}{_said(content)}")
        if status in AGAIN or status >= 500:
            return _Again(reason, retry_after_seconds(retry_after, self._clock.now()))
        return ServiceFailed(reason, hopeless=status in HOPELESS)

    def _clean(self, reason: str) -> str:
        """One short line, without the key in case the service repeats it."""
        if self._secret:
            reason = reason.replace(self._secret, "***")
        line = "".join(" " if unicodedata.category(char).startswith("C") else char for char in reason)
        return re.sub(r"\s+", " ", line).strip()[:MAX_REASON]

    # --- waiting --------------------------------------------------------------------------------------------------

    def _wait(self, failure: _Again, pause: float) -> None:
        """Wait for this caller's next attempt, or make all callers wait if the service said how long."""
        spread = self._clock.jitter()
        if failure.after_seconds is None:
            self._clock.sleep(pause * (1 + spread / 4))
            return
        if failure.after_seconds > self._options.longest_pause_seconds:
            raise ServiceFailed(f"{failure.reason}; it asks for a wait of {failure.after_seconds:.0f} s") from failure
        self._not_before = max(self._not_before, self._clock.now() + failure.after_seconds)
        self._clock.sleep(failure.after_seconds + spread / 4)

    def _wait_for_all(self) -> None:
        pause = self._not_before - self._clock.now()
        if pause > 0:
            self._clock.sleep(pause + self._clock.jitter() / 4)


def _read(response: httpx2.Response, deadline: float) -> bytes:
    """The body, unless it is too large or does not end in time."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise ServiceFailed(f"the answer is larger than {MAX_ANSWER_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise httpx2.ReadTimeout("the answer did not end in time")
        parts.append(part)
    return b"".join(parts)


def _said(content: bytes) -> str:
    """The error message in a response: `{"error": {"message": …}}` in all dialects, otherwise the start of the body."""
    try:
        value = json.loads(content)
    except ValueError:
        return f": {content[:MAX_REASON].decode('utf-8', 'replace')}" if content else ""
    error = value.get("error") if isinstance(value, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return f": {message}" if isinstance(message, str) and message else ""


def retry_after_seconds(value: str, now: float) -> float | None:
    """The wait `Retry-After` asks for: seconds, or until a date; None if it is missing or unreadable."""
    text = value.strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.fromtimestamp(now, UTC)).total_seconds())
