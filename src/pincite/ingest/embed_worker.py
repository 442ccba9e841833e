"""Embedding in the background of a process that has other things to do."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from pincite.ingest.embed import EmbedOptions, EmbedReport, embed
from pincite.ingest.embed_batches import reason_of
from pincite.ingest.report import Progress, silent
from pincite.protocols import Catalog, Embedder, Index, Lexicon
from pincite.types import Scope


class EmbedWorker:
    """A thread that embeds what waits. Start it after each ingest; stop it before the catalog is closed."""

    def __init__(
        self,
        catalog: Catalog,
        index: Index,
        scopes: Sequence[Scope],
        embedder: Embedder,
        options: EmbedOptions | None = None,
        progress: Progress = silent,
        lexicon: Lexicon | None = None,
    ) -> None:
        self.problem = ""
        """Why the last round ended early; empty when it did not."""
        self.report: EmbedReport | None = None
        """What the last round did."""
        self.scopes = tuple(scopes)
        self.embedder = embedder
        self._arguments = (catalog, index, self.scopes, embedder, options, progress)
        self._lexicon = lexicon
        self._stop = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._lock = threading.Lock()
        self._wanted = False

    def start(self) -> None:
        """Begin a round; while one is under way, another will follow it. After `stop` it starts again."""
        with self._lock:
            self._wanted = True
            if not self._idle.is_set():
                return
            self._idle.clear()
            self._stop.clear()
            # A daemon: a program that forgets to close its library ends, and loses nothing, as the queue is durable.
            threading.Thread(target=self._run, name="pincite-embed", daemon=True).start()

    def wait(self, timeout: float | None = None) -> bool:
        """Whether everything was seen to within so many seconds."""
        return self._idle.wait(timeout)

    def stop(self) -> None:
        """End after the batch in hand; the rest waits in the queue."""
        self._stop.set()
        self._idle.wait()

    def _run(self) -> None:
        while self._next():
            try:
                self.report, self.problem = embed(*self._arguments, lexicon=self._lexicon, stop=self._stop), ""
            except Exception as error:  # noqa: BLE001  (a thread has no caller to raise to)
                self.problem = reason_of(error)

    def _next(self) -> bool:
        with self._lock:
            if not self._wanted or self._stop.is_set():
                self._wanted = False
                self._idle.set()
                return False
            self._wanted = False
            return True
