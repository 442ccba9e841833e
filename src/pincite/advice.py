"""Advice: what to do about something, in words that fit whoever reads it.

At the library's own machine that is a command (`pincite embed`), an option (`--allow-empty`) or a folder. Whoever asks
over a door can use none of these: they are told what the server's operator can do, or what to send, and no folder of
the server. The desk says that a door is asking (`over_a_door`); that holds for all that is done inside, also on threads
that carry its context. What background threads say is meant for the operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_over_a_door: ContextVar[bool] = ContextVar("pincite_over_a_door", default=False)


@contextmanager
def over_a_door() -> Iterator[None]:
    """What is said inside is read by a caller of the server."""
    before = _over_a_door.set(True)
    try:
        yield
    finally:
        _over_a_door.reset(before)


def either(here: str, there: str) -> str:
    """`here` for whoever sits at the library, `there` for a caller of the server."""
    return there if _over_a_door.get() else here


def by_operator(act: str, command: str) -> str:
    """What only the operator can do: "make them with: pincite embed", or that the server's operator can."""
    return either(f"{act}: {command}", f"the server's operator can {act} `{command}`")


def repair() -> str:
    """What mends a damaged index."""
    return by_operator("repair it with", "pincite rebuild")


def place(path: Path | str) -> str:
    """A file or folder by its whole path; for a caller of the server by its name alone."""
    return either(str(path), Path(path).name)
