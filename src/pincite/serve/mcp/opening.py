"""Opening: opens the library after the first tool list.

A client waits for the list of tools before anything else. The engine is imported and the library opened after that, by
a thread that starts once the list is sent, or by the first call, whichever comes first. If the library cannot be
opened, each call returns the error and the next call tries again: the agent's user learns what to do and need not
restart anything.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from pincite.errors import PinciteError

if TYPE_CHECKING:
    from pincite.serve.desk import Desk

PATIENCE_SECONDS = 2.0
"""Delay for clients that never ask for the list."""

log = logging.getLogger("pincite.mcp")


class Opening:
    """A desk that is created when needed. Call it to get the desk."""

    def __init__(self, make: Callable[[], Desk]) -> None:
        self._make = make
        self._desk: Desk | None = None
        self._guard = threading.Lock()
        self._listed = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self) -> Desk:
        """The desk, opened by the first caller; the others wait."""
        with self._guard:
            if self._desk is None:
                self._desk = self._make()
                self._desk.library.warm_up()  # so that the first question does not wait for the model
            return self._desk

    def list_is_out(self) -> None:
        """The tool list was sent: from now on, opening delays nobody."""
        self._listed.set()

    def start(self) -> None:
        """Open in the background."""
        self._thread = threading.Thread(target=self._open, name="pincite-open", daemon=True)
        self._thread.start()

    def _open(self) -> None:
        self._listed.wait(PATIENCE_SECONDS)
        try:
            self()
        except PinciteError as problem:
            log.warning("%s", problem.message)

    def close(self) -> None:
        """Wait until the desk is open or has failed; its creator closes it."""
        self._listed.set()
        if self._thread is not None:
            self._thread.join()
