"""`pincite serve` as a process of its own, on a free port."""

from __future__ import annotations

import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

STARTS_WITHIN_SECONDS = 60


@dataclass
class RealServer:
    """A running server; `stop` it, or `kill` it."""

    library: Path
    options: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    trusted: ssl.SSLContext | None = None
    """Whose certificates its client believes, where it speaks HTTPS."""

    def start(self) -> RealServer:
        environ = {key: value for key, value in os.environ.items() if not key.startswith("PINCITE_")}
        command = [sys.executable, "-m", "pincite", "--library", str(self.library), "serve", "--port", "0"]
        self.process = subprocess.Popen(
            [*command, *self.options],
            env=environ | {"PINCITE_DENSE": "off"} | self.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        end = time.monotonic() + STARTS_WITHIN_SECONDS
        while not (address := self._address()) and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert address, self.said
        self.client = httpx2.Client(
            base_url=address, timeout=STARTS_WITHIN_SECONDS, verify=True if self.trusted is None else self.trusted
        )
        assert self.client.get("/readyz").status_code == 200
        return self

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def _address(self) -> str:
        return next((word for line in self.said for word in line.split() if "://" in word), "").rstrip("/")

    def stop(self, seconds: float = 60) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._ended(seconds)

    def kill(self) -> int:
        self.process.kill()
        return self._ended(10)

    def _ended(self, seconds: float) -> int:
        code = self.process.wait(seconds)
        self._reader.join(5)
        self.client.close()
        if self.process.stderr is not None:
            self.process.stderr.close()
        return code

    def __enter__(self) -> RealServer:
        return self.start()

    def __exit__(self, *_: Any) -> None:
        if self.process.poll() is None:
            self.stop()

    def job(self, job_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/v1/jobs/{job_id}").json()
        return found

    def found(self, query: str) -> list[str]:
        answer = self.client.get("/v1/search", params={"q": query}).json()
        return [hit["element_id"] for hit in answer["results"]]
