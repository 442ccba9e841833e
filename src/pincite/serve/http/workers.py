"""Several workers on one socket, with a supervisor: a worker that dies is replaced, and all stop together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING
from uuid import uuid4

from pincite.errors import PinciteError, Unavailable
from pincite.serve.logs import say

if TYPE_CHECKING:
    from pincite.serve.http.run import Serving

LOOK_SECONDS = 0.3
EARLY_SECONDS = 10.0
"""A worker that dies sooner counts as failed to start."""
MAX_EARLY_DEATHS = 3
SLACK_SECONDS = 20.0
"""Time to stop in addition to the running job: connections, merges, closing files."""
FAILED = 4
_context = multiprocessing.get_context("spawn")  # a fork would copy threads' locks and open databases


@dataclass(frozen=True, slots=True)
class WorkerDeath:
    """Of a worker: its name in the ledger, and what ended it."""

    owner: str
    cause: str


def supervise(serving: Serving, sockets: Sequence[socket.socket]) -> None:
    """Run the workers until a stop signal."""
    with _stopping() as stop:
        workers = [_Worker(serving, sockets, number) for number in range(serving.workers)]
        early = 0
        while not stop.wait(LOOK_SECONDS):
            for worker in workers:
                if worker.process.is_alive():
                    continue
                say(f"a worker died: {worker.death().cause}; it is replaced")
                early = early + 1 if worker.age() < EARLY_SECONDS else 0
                if early >= MAX_EARLY_DEATHS:
                    _stop_all(workers, serving.shutdown_seconds)
                    raise Unavailable("the workers do not start; see the messages above")
                worker.restart(worker.death())
        _stop_all(workers, serving.shutdown_seconds)


class _Worker:
    def __init__(self, serving: Serving, sockets: Sequence[socket.socket], number: int) -> None:
        self._arguments = (serving, list(sockets), number)
        self._owner = ""
        self.restart(None)

    def restart(self, before: WorkerDeath | None) -> None:
        """Start a process, in place of one that died."""
        self._began = time.monotonic()
        self._owner = uuid4().hex
        arguments = (*self._arguments, self._owner, before)
        self.process: BaseProcess = _context.Process(target=_work, args=arguments, name="pincite-worker")
        self.process.start()

    def death(self) -> WorkerDeath:
        """Of the process, which has ended."""
        return WorkerDeath(self._owner, _cause(self.process.exitcode or 0))

    def age(self) -> float:
        return time.monotonic() - self._began


def _stop_all(workers: Sequence[_Worker], shutdown_seconds: float) -> None:
    for worker in workers:
        worker.process.terminate()
    deadline = time.monotonic() + shutdown_seconds + SLACK_SECONDS
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _cause(code: int) -> str:
    """What ended a process, by its exit code; negative: the signal."""
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    said = signal.strsignal(-code)
    memory = ", as systems do when memory runs out" if -code == getattr(signal, "SIGKILL", 0) else ""
    return f"it was ended by {name}{f' ({said.lower()})' if said else ''}{memory}"


def _work(
    serving: Serving, sockets: Sequence[socket.socket], number: int, owner: str, before: WorkerDeath | None
) -> None:
    """The main function of a worker process."""
    from pincite.serve.http.run import work

    threading.Thread(target=_follow_parent, name="pincite-parent", daemon=True).start()
    try:
        work(serving, sockets, number, owner, before)
    except PinciteError as error:
        say(f"pincite: {error.message}")
        raise SystemExit(FAILED) from error


def _follow_parent() -> None:
    """End the worker when its parent process is gone, because nothing else would stop it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda *_: stop.set())
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
