"""Probes: is the process alive, can it answer, how is it doing. The first two are open to everyone and tell nothing."""

from __future__ import annotations

import time
from functools import partial

from pincite.errors import NotFound, Unavailable
from pincite.serve.desk import Desk
from pincite.serve.wire import Json

PROBE = "pincite"
REMEMBERED_SECONDS = 1.0
"""How long an answer stands: whoever asks faster costs nothing."""


class Readiness:
    """Asks the library a real question, as a client would."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._checked = float("-inf")
        self._found: Json = {}

    def check(self) -> Json:
        """`{"status": "ready", "legs": {…}}`; `Unavailable` where the library cannot answer."""
        if time.monotonic() - self._checked > REMEMBERED_SECONDS:
            self._found = self._ask()
            self._checked = time.monotonic()
        return self._found

    def _ask(self) -> Json:
        ask = partial(self._desk.library.search, PROBE, limit=1)
        try:
            answer = ask()
        except NotFound:  # nothing has been ingested yet; it can be
            return {"status": "ready", "legs": {}}
        legs = {leg.name: leg.status for leg in answer.legs}
        if "ok" not in legs.values() and "partial" not in legs.values() and legs:
            raise Unavailable("no way of finding can answer; run: pincite doctor")
        return {"status": "ready", "legs": legs}
