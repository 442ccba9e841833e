"""Waiting for the job behind an accepted request."""

from __future__ import annotations

import time
from typing import Any

from pincite.wire import Json


def done(served: Any, accepted: Any, seconds: float = 30) -> Json:
    """The job, when it has ended."""
    assert accepted.status_code == 202, accepted.text
    headers = {name: value for name, value in accepted.request.headers.items() if name == "authorization"}
    end = time.monotonic() + seconds
    job: Json = {}
    while time.monotonic() < end:
        job = served.client.get(accepted.headers["location"], headers=headers).json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.02)
    raise AssertionError(job)
