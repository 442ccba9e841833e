"""Idempotency-Key: a request that is sent again, also after a restart, is answered as it was the first time.

A key belongs to its caller and operation, for seven days. With another body it is refused; while the first request is
under way, the second is told to come again. What failed is not kept: it may be tried again under the same key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from pincite.errors import Conflict, InvalidArgument
from pincite.serve.callers import Caller
from pincite.serve.http.ledger import Ledger, ReplyKey
from pincite.wire import Json

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MAX_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a writing request is answered with."""

    status: int
    body: Json
    replayed: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {REPLAYED: "true"} if self.replayed else {}


def once(
    ledger: Ledger, caller: Caller, operation: str, key: str, content: object, act: Callable[[ReplyKey | None], Outcome]
) -> Outcome:
    """Act, unless this request was carried out before. `act` may keep the reply itself, within its transaction."""
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
            raise InvalidArgument(f"{HEADER} was used for another request; a new request needs a new key", field=HEADER)
        if known.status is None or known.body is None:
            raise Conflict("the first request with this key is still under way; come again", field=HEADER)
        return Outcome(known.status, known.body, replayed=True)
    try:
        outcome = act(reply)
        ledger.answer(reply, outcome.status, outcome.body)
    except BaseException:
        ledger.release(reply)
        raise
    return outcome
