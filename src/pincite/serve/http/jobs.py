"""Jobs: ingest and reindex continue after their request was answered, one at a time per repository.

A queued job is on disk before its id is returned. Any free worker runs it, with the rights of its caller. When the
server stops, the running job gets time to finish, or is recorded as interrupted.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.errors import InvalidArgument, PinciteError
from pincite.library import Library
from pincite.serve.desk import Desk
from pincite.serve.http.job_progress import JobProgress
from pincite.serve.http.ledger import Ledger, caller_of
from pincite.serve.http.uploads import DELIVER, deliver, folder_of, sweep
from pincite.serve.operations import OPERATIONS, Operation, Progress, ingest
from pincite.server_state import ServerJob
from pincite.wire import Json

BEAT_SECONDS = 1.0
IDLE_SECONDS = 0.5
"""Interval between checks for a job queued by another worker."""

TakeIn = Callable[[Library, Any, Progress], Json]
TAKE_IN: Mapping[str, tuple[Operation, TakeIn]] = {
    "ingest": (OPERATIONS["ingest"], ingest),
    DELIVER.name: (DELIVER, deliver),
}
"""Jobs that read files: they report progress, and may find no readable file."""

log = logging.getLogger("pincite.jobs")


class JobRunner:
    """The two threads of a worker: one runs jobs, one reports that the worker is alive."""

    def __init__(self, desk: Desk, ledger: Ledger) -> None:
        self._desk = desk
        self.ledger = ledger
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._worker = threading.Thread(target=self._work, name="pincite-jobs", daemon=True)
        self._heart = threading.Thread(target=self._beat, name="pincite-heartbeat", daemon=True)

    def start(self) -> None:
        self.ledger.beat()
        sweep(self._library, self.ledger)
        self._heart.start()
        self._worker.start()

    def wake(self) -> None:
        """Signal a new job."""
        self._wake.set()

    def stop(self, wait_seconds: float) -> bool:
        """Start no more jobs and wait for the running one; False if it is not finished in time."""
        self._stop.set()
        self._wake.set()
        if self._worker.ident is not None:
            self._worker.join(wait_seconds)
            self._heart.join(BEAT_SECONDS + 1)
        finished = not self._worker.is_alive()
        with suppress(PinciteError):  # where it cannot be said, the others notice that the heartbeat has stopped
            self.ledger.leave()
        return finished

    @property
    def _library(self) -> Path:
        return self._desk.library.path

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_SECONDS) or self._worker.is_alive():
            with suppress(PinciteError):  # a full disk: the worker is alive and reports it as soon as it can
                self.ledger.beat()
                self.ledger.bury()
            if self._stop.is_set():
                self._worker.join(BEAT_SECONDS)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                job = self.ledger.take()
            except PinciteError as problem:
                log.error("no job can be taken: %s", problem.message)
                job = None
            if job is None:
                self._wake.wait(IDLE_SECONDS)
                self._wake.clear()
            else:
                self._run(job)

    def _run(self, job: ServerJob) -> None:
        try:
            operation = self._operation(job)
            result = self._desk.run(operation, job.arguments, caller_of(job), door="http", admitted=True)
            error = nothing_taken_in(result) if job.operation in TAKE_IN else None
            self.ledger.finish(job, "failed" if error else "succeeded", result=result, error=error)
        except PinciteError as refused:
            told = refused.to_wire()["error"]
            assert isinstance(told, dict)
            self.ledger.finish(job, "failed", error=told)
        except Exception:
            log.exception("job %s failed", job.id)
            told = {"code": "internal", "message": "internal error; the server's log has the details"}
            self.ledger.finish(job, "failed", error=told | {"field": None, "suggestions": []})
        shutil.rmtree(folder_of(self._library, job.id), ignore_errors=True)

    def _operation(self, job: ServerJob) -> str | Operation:
        if job.operation not in TAKE_IN:
            return job.operation
        operation, take_in = TAKE_IN[job.operation]
        progress = JobProgress(self.ledger, job)
        return replace(operation, run=lambda library, asked: take_in(library, asked, progress))


def nothing_taken_in(report: Json) -> Json | None:
    """The error of an ingest in which every file failed; None if at least one is in the library."""
    failed = report["failed"]
    if not failed or any(report[count] for count in ("added", "changed", "unchanged", "removed")):
        return None
    first = f"{failed[0]['path']}: {failed[0]['reason']}"
    others = f" (and {len(failed) - 1} more: result.failed lists them)" if len(failed) > 1 else ""
    told: Json = InvalidArgument(f"nothing was ingested: {first}{others}").to_wire()["error"]  # type: ignore[assignment]
    return told
