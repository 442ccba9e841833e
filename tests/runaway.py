"""Texts made to be slow: where work blows up, the test fails in words instead of running for hours."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

CPU_SECONDS = 60.0
"""A hundred times what the texts take, so no slow machine reaches it; work that grows with the square does."""


@contextmanager
def stopped_if_it_runs_away(cpu_seconds: float = CPU_SECONDS) -> Iterator[None]:
    """Fail the test once this process has worked so long inside the block, also in the middle of a regular expression.

    It says that something ends, not how fast it is. Time of the processor is counted, so waiting does not matter.
    """
    if not hasattr(signal, "setitimer"):
        yield  # there is no such alarm on Windows: what blows up there hangs
        return

    def give_up(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"still at work after {cpu_seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
