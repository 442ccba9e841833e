"""Calls in a process of its own. A call that ends it, or takes too long, is an error that says so; the next call gets
a new process."""

from __future__ import annotations

import atexit
import importlib
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from pincite.advice import is_over_a_door
from pincite.apart.limits import MAX_ANSWER_BYTES, SECONDS, STALE_SECONDS
from pincite.apart.messages import TooLong, nouns, read, write
from pincite.errors import InvalidArgument, MissingExtra, Unavailable

inside = False
"""Whether this is the process that reads foreign files: it makes its calls itself."""
MAX_IDLE = 2
"""Processes that are kept for the next call."""
_AHEAD = 16
"""Answers of a stream that wait in the parent."""
_COMMAND = (sys.executable, "-P", "-m", "pincite.apart.worker")


class CallFailed(InvalidArgument):
    """A file that could not be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Apart:
    """A function, written `module:name`, and what it is called with."""

    function: str
    arguments: tuple[Any, ...] = ()
    streams: bool = False
    """Whether it gives an iterator, whose values are sent one by one."""


def ask(function: str, *arguments: Any, seconds: float = SECONDS) -> Any:
    """What the function gives; `CallFailed` with the reason, `MissingExtra` where a package is missing."""
    call = Apart(function, arguments)
    if inside:
        return named(function)(*arguments)
    (value,) = _answers(call, seconds)
    return value


def stream(function: str, *arguments: Any, seconds: float = SECONDS) -> Iterator[Any]:
    """What the function's iterator gives, one by one; `seconds` are for each of them."""
    call = Apart(function, arguments, streams=True)
    yield from named(function)(*arguments) if inside else _answers(call, seconds)


def named(function: str) -> Callable[..., Any]:
    """The function that is written `module:name`."""
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _answers(call: Apart, seconds: float) -> Iterator[Any]:
    worker = _workers.take()
    is_sound = False
    try:
        worker.begin(call, seconds)
        while True:
            outcome, value = worker.next(seconds)
            if outcome == "given":
                yield value
                continue
            is_sound = outcome != "spent"
            if outcome == "end":
                return
            said, field = value
            raise (MissingExtra if outcome == "missing" else CallFailed)(str(said), field=str(field))
    except TimeoutError:
        raise CallFailed(f"it took longer than {seconds:g} s to read; split the file") from None
    except TooLong:
        raise CallFailed(f"it expands to more than {MAX_ANSWER_BYTES:,} bytes; split the file") from None
    except EOFError:
        _ended(worker.close(kill=False))
    except pickle.UnpicklingError as error:
        raise CallFailed(f"the process that read it gave a broken answer ({error}); leave it out") from None
    finally:
        _workers.give_back(worker, is_sound)


def _ended(code: int) -> NoReturn:
    """Say what ended the process."""
    try:
        cause = signal.strsignal(-code) or f"signal {-code}" if code < 0 else f"exit code {code}"
    except ValueError:
        cause = f"signal {-code}"
    said = cause.lower() + (", perhaps because memory ran out" if code == -9 else "")
    raise CallFailed(f"it ended the process that read it ({said}); leave it out or repair it") from None


class _Worker:
    """One process and the thread that listens to it."""

    def __init__(self) -> None:
        try:
            self.process = subprocess.Popen(
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt is for us to handle; it must not look like a crash
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise Unavailable(f"no process can be started to read files in: {reason}; free some memory") from error
        self.used = time.monotonic()
        self._answers: queue.Queue[bytes | Exception] = queue.Queue(_AHEAD)
        self._closed = False
        threading.Thread(target=self._listen, name="pincite-apart", daemon=True).start()

    @property
    def is_fresh(self) -> bool:
        """Whether it is there, and will be for a while."""
        return self.process.poll() is None and time.monotonic() - self.used < STALE_SECONDS

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while True:
            try:
                said: bytes | Exception = read(self.process.stdout, MAX_ANSWER_BYTES)
            except TooLong as error:
                said = error
            except (EOFError, ValueError, OSError):  # gone, or closed under our hands
                said = EOFError()
            self._put(said)
            if isinstance(said, Exception) or self._closed:
                return

    def _put(self, said: bytes | Exception) -> None:
        while not self._closed:
            with suppress(queue.Full):
                self._answers.put(said, timeout=1)
                return

    def begin(self, call: Apart, seconds: float) -> None:
        """Send a call; `EOFError` if the process is gone."""
        assert self.process.stdin is not None
        try:
            write(self.process.stdin, (call, seconds, is_over_a_door()))
        except OSError as error:
            raise EOFError from error

    def next(self, seconds: float) -> tuple[str, Any]:
        """The next part of the answer; `TimeoutError`, `TooLong`, or `EOFError` if the process is gone."""
        try:
            said = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(said, Exception):
            raise said
        outcome, value = nouns(said)
        self.used = time.monotonic()
        return str(outcome), value

    def close(self, *, kill: bool) -> int:
        """End the process; its exit code (negative: the signal that ended it)."""
        self._closed = True
        if kill:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            return self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class _Workers:
    """The processes that wait for a call; each serves one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.idle: list[_Worker] = []

    def take(self) -> _Worker:
        """A process for one call."""
        with self._lock:
            while self.idle:
                worker = self.idle.pop()
                if worker.is_fresh:
                    return worker
                worker.close(kill=True)
        return _Worker()

    def give_back(self, worker: _Worker, is_sound: bool) -> None:
        """Keep a process whose call came to its end; one in the middle of something goes."""
        with self._lock:
            if is_sound and len(self.idle) < MAX_IDLE:
                self.idle.append(worker)
                return
        worker.close(kill=True)

    def close(self) -> None:
        with self._lock:
            while self.idle:
                self.idle.pop().close(kill=True)


_workers = _Workers()
atexit.register(_workers.close)
