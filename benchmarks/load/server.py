"""A real `pincite serve`, as a process of its own on a free port, and the memory that it holds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.load.shelf import Shelf
from benchmarks.speed.setup import THREADS

START_SECONDS = 120
STOP_SECONDS = 60
MB = 1_000_000


class Server:
    """Runs inside a `with`."""

    def __init__(self, shelf: Shelf, workers: int) -> None:
        self._shelf = shelf
        self._workers = workers
        self.said: list[str] = []

    def __enter__(self) -> Self:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PINCITE_")}
        command = [sys.executable, "-m", "pincite", "serve", "--port", "0", "--workers", str(self._workers)]
        self._process = subprocess.Popen(
            command,
            env=kept | THREADS | self._shelf.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()
        end = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > end:
                self._stop()
                raise SystemExit(f"the server did not start: {' '.join(self.said)}")
            time.sleep(0.2)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def address(self) -> str:
        return next((word for line in self.said for word in line.split() if "://" in word), "").rstrip("/")

    def memory(self) -> dict[str, float]:
        """Megabytes of all its processes: `own_mb` is theirs alone, `mapped_mb` are pages of files, counted by each."""
        statuses = [_status(pid) for pid in _family(self._process.pid)]
        sums = {key: sum(status.get(key, 0) for status in statuses) for key in ("RssAnon", "RssFile")}
        return {"own_mb": round(sums["RssAnon"] / MB, 1), "mapped_mb": round(sums["RssFile"] / MB, 1)}

    def _listen(self) -> None:
        assert self._process.stderr is not None
        self.said.extend(self._process.stderr)

    def _is_ready(self) -> bool:
        if not self.address:
            return False
        try:
            with urllib.request.urlopen(f"{self.address}/readyz", timeout=START_SECONDS) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def _family(pid: int) -> list[int]:
    """A process and everything that descends from it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after_name = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2]
            except OSError:  # it ended meanwhile
                continue
            parents[int(entry.name)] = int(after_name.split()[1])
    found = [pid]
    for member in found:
        found += [child for child, parent in parents.items() if parent == member]
    return found


def _status(pid: int) -> dict[str, int]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.startswith("Rss")}
