"""Probes: is the process alive, can it answer, how is it doing. The first two are public and reveal nothing."""

from __future__ import annotations

import time

from pincite.errors import NotFound, Unavailable
from pincite.serve.desk import Desk
from pincite.wire import Json

PROBE = "pincite"
REMEMBERED_SECONDS = 1.0
"""How long an answer is cached, so frequent probes cost nothing."""
LOADING = "the embedding model is loading; until then only word search answers"


class Readiness:
    """Checks the library with a real query, as a client would."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._checked = float("-inf")
        self._found: Json = {}

    def check(self) -> Json:
        """`{"status": "ready", "legs": {…}, "notes": […]}`; `Unavailable` if the library cannot answer.

        A server that can search by words is ready; a model that is still loading is a note. If the settings require
        meaning (`dense: required`), every question waits for the model; the probe reports `Unavailable` instead.
        """
        if time.monotonic() - self._checked > REMEMBERED_SECONDS:
            self._found = self._ask()
            self._checked = time.monotonic()
        return self._found

    def _ask(self) -> Json:
        library = self._desk.library
        notes = [LOADING] if library.model.loading else []
        if notes and library.config.dense == "required":
            raise Unavailable("the embedding model is loading, and the settings require it")
        try:
            answer = library.search(PROBE, limit=1)
        except NotFound:  # nothing has been ingested yet; the server is ready for it
            return {"status": "ready", "legs": {}, "notes": notes}
        legs = {leg.name: leg.status for leg in answer.legs}
        if "ok" not in legs.values() and "partial" not in legs.values() and legs:
            raise Unavailable("no search leg can answer; the server's operator can find out why with `pincite doctor`")
        return {"status": "ready", "legs": legs, "notes": notes}
