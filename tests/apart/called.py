"""What the tests call in another process."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator

from pincite.errors import InvalidArgument, MissingExtra


def process_id() -> int:
    return os.getpid()


def crash() -> None:
    """End this process by a segmentation fault."""
    ctypes.string_at(0)


def leave(code: int) -> None:
    os._exit(code)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def fill(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def refuse() -> None:
    raise InvalidArgument("line 3 is no line; mend it", field="line")


def miss() -> None:
    raise MissingExtra("reading it needs a package", field="package")


def break_() -> None:
    raise KeyError("nobody expected that")


def count(to: int) -> Iterator[int]:
    yield from range(to)


def count_and_crash(to: int) -> Iterator[int]:
    yield from range(to)
    crash()


class Evil:
    """Calls something in the process that takes it in."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("exit 7",)


def evil() -> Evil:
    return Evil()


def long(count_bytes: int) -> bytes:
    return b"x" * count_bytes
