"""Advice: what to do about a problem, worded for the person who reads it.

On the library's own machine, advice is a command (`pincite embed`), an option (`--allow-empty`) or a folder. A caller
of the server can use none of these. They learn what the server's operator can do, or what to send, and never see a
folder of the server. The desk marks work done for a caller (`over_a_door`); the mark also covers threads that carry its
context. Messages of background threads are meant for the operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_over_a_door: ContextVar[bool] = ContextVar("pincite_over_a_door", default=False)


@contextmanager
def over_a_door() -> Iterator[None]:
    """Mark messages made inside the block as read by a caller of the server."""
    before = _over_a_door.set(True)
    try:
        yield
    finally:
        _over_a_door.reset(before)


def is_over_a_door() -> bool:
    """Whether messages are read by a caller of the server."""
    return _over_a_door.get()


def either(here: str, there: str) -> str:
    """`here` for a user of the library's own machine, `there` for a caller of the server."""
    return there if is_over_a_door() else here


def by_operator(act: str, command: str) -> str:
    """Advice only the operator can follow: "make them with: pincite embed", or that the server's operator can."""
    return either(f"{act}: {command}", f"the server's operator can {act} `{command}`")


def repair() -> str:
    """How to repair a damaged index."""
    return by_operator("repair it with", "pincite rebuild")


def place(path: Path | str) -> str:
    """The full path of a file or folder; for a caller of the server, only its name."""
    return either(str(path), Path(path).name)
