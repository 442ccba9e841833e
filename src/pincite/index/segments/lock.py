"""One writer per repository index, across threads and processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.errors import Locked

_threads: dict[Path, threading.RLock] = {}
_guard = threading.Lock()


@contextmanager
def write_lock(folder: Path, *, wait_seconds: float = 60.0) -> Iterator[None]:
    """Hold the folder's lock. Released by the system when the process dies. Raises `Locked` after the wait."""
    folder.mkdir(parents=True, exist_ok=True)
    path = (folder / "lock").resolve()
    with _guard:
        mutex = _threads.setdefault(path, threading.RLock())
    deadline = time.monotonic() + wait_seconds
    if not mutex.acquire(timeout=max(wait_seconds, 0)):
        raise _locked(path, wait_seconds)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            while not _try_lock(handle):
                if time.monotonic() >= deadline:
                    raise _locked(path, wait_seconds)
                time.sleep(0.01)
            yield
        finally:
            os.close(handle)  # closing releases the lock
    finally:
        mutex.release()


def _locked(path: Path, waited: float) -> Locked:
    return Locked(f"another writer has held {path} for {waited:.0f} s; wait for it to finish, then run this again")


if os.name == "nt":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
