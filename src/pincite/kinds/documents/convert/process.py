"""Conversion in a process of its own: a file that hangs, crashes or fills the memory of a parser costs only itself.

The process is started for the first file, reads one after the other, and leaves when it has had nothing to do for a
while or its parent is gone. A file that takes too long takes it along; the next file gets a new one.
"""

from __future__ import annotations

import atexit
import json
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from pincite.errors import InvalidArgument
from pincite.kinds.documents.convert.converters import Converted

SECONDS = 120.0
"""Per file. The slowest real file we measured takes 2; a file that needs more should be split."""

_COMMAND = (sys.executable, "-P", "-m", "pincite.kinds.documents.convert.worker")


class ConversionFailed(InvalidArgument):
    """A file that its converter could not read; the message says why and what to do."""


class _Worker:
    """One converter process and the thread that listens to it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt is for us to handle; it must not look like a crash
        )
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="pincite-convert", daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, OSError):  # closed under our hands
            for line in self._process.stdout:
                self._answers.put(line)
        self._answers.put(b"")

    def ask(self, request: dict[str, str], seconds: float) -> dict[str, object]:
        """The answer to a request; TimeoutError, or EOFError if the process is gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EOFError from error
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if not line:
            raise EOFError
        answer: dict[str, object] = json.loads(line)
        return answer

    def close(self, *, kill: bool) -> int:
        """End the process; its exit code (negative: the signal that ended it)."""
        if kill:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


_lock = threading.Lock()
_worker: _Worker | None = None


def convert(path: Path, suffix: str, seconds: float | None = None) -> Converted:
    """The file as Markdown; `ConversionFailed` with the reason."""
    limit = SECONDS if seconds is None else seconds
    request = {"path": str(path), "suffix": suffix}
    with _lock:
        try:
            answer = _ask(request, limit)
        except EOFError:
            # It may have left for want of work just as we asked; a file that ends it does so twice.
            _stop(kill=False)
            try:
                answer = _ask(request, limit)
            except EOFError:
                code = _stop(kill=False)
                raise ConversionFailed(f"its converter ended without an answer (exit code {code})") from None
            except TimeoutError:
                _too_slow(limit)
        except TimeoutError:
            _too_slow(limit)
    if "error" in answer:
        raise ConversionFailed(str(answer["error"]))
    notes = answer["notes"]
    return Converted(
        str(answer["text"]), str(answer["title"]), tuple(map(str, notes)) if isinstance(notes, list) else ()
    )


def _too_slow(limit: float) -> NoReturn:
    _stop(kill=True)
    raise ConversionFailed(f"it took longer than {limit:g} s to convert; split the file") from None


def _ask(request: dict[str, str], seconds: float) -> dict[str, object]:
    global _worker
    if _worker is None:
        _worker = _Worker()
    return _worker.ask(request, seconds)


def _stop(*, kill: bool) -> int:
    global _worker
    worker, _worker = _worker, None
    return worker.close(kill=kill) if worker else 0


atexit.register(_stop, kill=True)
