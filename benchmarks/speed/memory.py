"""What a process holds in memory: resident, and how much of it is its own rather than mapped from files."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

STATUS = Path("/proc/self/status")
MB = 1_000_000


def resident() -> dict[str, float]:
    """Megabytes: `rss_mb` in all, `anonymous_mb` the process's own, `mapped_mb` droppable pages of files."""
    found = {
        line.partition(":")[0]: int(line.split()[1]) * 1024
        for line in STATUS.read_text(encoding="ascii").splitlines()
        if line.startswith("Rss") or line.startswith("VmRSS")
    }
    values = {"rss_mb": "VmRSS", "anonymous_mb": "RssAnon", "mapped_mb": "RssFile"}
    return {name: round(found[key] / MB, 1) for name, key in values.items()}


class Peak:
    """The most anonymous memory that the process held while the block ran, looked at ten times a second."""

    anonymous_mb = 0.0

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            self.anonymous_mb = max(self.anonymous_mb, resident()["anonymous_mb"])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self.anonymous_mb = max(self.anonymous_mb, resident()["anonymous_mb"])
