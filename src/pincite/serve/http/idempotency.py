"""Idempotency-Key: a repeated request gets the answer of the first one, even after a restart.

A key belongs to its caller and operation for seven days. With a different body it is refused; while the first request
is running, the second is asked to retry. Failures are not stored: they may be retried with the same key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from pincite.errors import Conflict, InvalidArgument
from pincite.serve.callers import Caller
from pincite.serve.http.ledger import Ledger
from pincite.server_state import ReplyKey
from pincite.wire import Json

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MAX_LENGTH = 255


@dataclass(frozen=True, slots=True)
class WriteReply:
    """The answer to a writing request."""

    status: int
    body: Json
    replayed: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {REPLAYED: "true"} if self.replayed else {}


def once(
    ledger: Ledger,
    caller: Caller,
    operation: str,
    key: str,
    content: object,
    act: Callable[[ReplyKey | None], WriteReply],
) -> WriteReply:
    """Run `act`, unless this request was already carried out. `act` may store the reply in its own transaction."""
    if not key:
        return act(None)
    if len(key) > MAX_LENGTH:
        raise InvalidArgument(f"{HEADER} is longer than {MAX_LENGTH} characters", field=HEADER)
    request = hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
    whose = json.dumps((caller.tenant, caller.organization, *caller.identity))
    reply = ReplyKey(whose, operation, key)
    known = ledger.claim(reply, request)
    if known is not None:
        if known.request != request:
            raise InvalidArgument(f"{HEADER} was used for a different request; use a new key", field=HEADER)
        if known.status is None or known.body is None:
            raise Conflict("the first request with this key is still running; retry later", field=HEADER)
        return WriteReply(known.status, known.body, replayed=True)
    try:
        outcome = act(reply)
        ledger.answer(reply, outcome.status, outcome.body)
    except BaseException:
        ledger.release(reply)
        raise
    return outcome
