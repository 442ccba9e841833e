"""The progress of a job: how many files of its source were read, stored in the ledger."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from pincite.errors import PinciteError
from pincite.serve.http.ledger import Ledger
from pincite.server_state import ServerJob

READING = "reading"
"""The stage of an ingest that counts files."""
PAUSE_SECONDS = 1.0
"""Minimum time between two entries: each waits for the disk, and a folder may contain thousands of small files."""


class JobProgress:
    """Receives the progress of an ingest."""

    def __init__(self, ledger: Ledger, job: ServerJob, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._ledger = ledger
        self._job = job
        self._clock = clock
        self._next = clock()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """The first and last counts are always stored, those in between at most once a second."""
        now = self._clock()
        if stage != READING or (now < self._next and done < total):
            return
        self._next = now + PAUSE_SECONDS
        with suppress(PinciteError):  # a full disk: the ingest itself will report it
            self._ledger.progress(self._job, done, total)
