"""The order in which contexts are asked for, and when asking ends.

The first passage of a window goes ahead, the others follow when it is back: then the service has the window in its
cache, and asks a tenth of the price for it. Before each call the budget must have room for what it is expected to cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeAlias

from pincite import telemetry
from pincite.errors import ServiceFailed
from pincite.ingest.budget import Budget
from pincite.meaning import ContextWindow, Tokens, Unsituated, WrittenContext
from pincite.protocols import ContextWriter

FAILURES_IN_A_ROW = 10
"""After so many without an answer in between, the service is given up until the next ingest."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One passage to ask for."""

    owner: int
    """Position of the state that it belongs to."""
    window: ContextWindow
    passage: Unsituated
    shared: bool
    """Whether others are asked for with the same window."""


Take: TypeAlias = Callable[[Task, WrittenContext], None]
"""Called with each answer, and with each failure as an answer with a problem, in the calling thread."""


class ContextCalls:
    """The calls of one ingest."""

    def __init__(self, writer: ContextWriter, budget: Budget) -> None:
        self._writer = writer
        self._budget = budget
        self._failures = 0
        self._cached: dict[int, bool] = {}
        """By identity of a window that is being asked about: whether the service said that it keeps it."""
        self.given_up = ""
        """Why nothing more is asked for; empty: it still is."""

    def run(self, windows: Sequence[Sequence[Task]], take: Take) -> None:
        """Ask for all, until the budget is used up or the service is given up."""
        self._cached.clear()
        ready = deque(window[0] for window in windows)
        behind = {window[0]: window[1:] for window in windows}
        under_way: dict[Future[WrittenContext], tuple[Task, int]] = {}
        with ThreadPoolExecutor(self._writer.concurrency, thread_name_prefix="pincite-context") as pool:
            try:
                while self._send(pool, ready, under_way) or under_way:
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        task, expected = under_way.pop(future)
                        self._settle(task, future, expected, take)
                        ready.extendleft(reversed(behind.pop(task, ())))
            except BaseException:
                self._writer.stop()
                for future in under_way:
                    future.cancel()
                # What is under way is paid for: it is waited for and kept.
                for future, (task, expected) in under_way.items():
                    if not future.cancelled():
                        self._settle(task, future, expected, take)
                raise

    def _send(
        self, pool: ThreadPoolExecutor, ready: deque[Task], under_way: dict[Future[WrittenContext], tuple[Task, int]]
    ) -> bool:
        """Send what can be sent now; whether anything was."""
        sent = False
        while ready and not self.given_up and len(under_way) < self._writer.concurrency:
            expected = self._writer.cost_micros(self.expected(ready[0])) or 0
            if not self._budget.set_aside(expected):
                if not under_way:  # otherwise what comes back may have cost less than was set aside for it
                    self.given_up = self._budget.used_up
                break
            task = ready.popleft()
            write = telemetry.carried(self._writer.write)
            future = pool.submit(write, task.window, task.passage, shared=task.shared)
            under_way[future] = (task, expected)
            sent = True
        return sent

    def _settle(self, task: Task, future: Future[WrittenContext], expected: int, take: Take) -> None:
        try:
            written = future.result()
            self._failures = 0
            if task.shared:
                self._cached.setdefault(
                    id(task.window), bool(written.tokens.cache_written or written.tokens.cache_read)
                )
        except ServiceFailed as failure:
            written = WrittenContext("", problem=failure.message)
            self._failures += 1
            if failure.hopeless or self._failures >= FAILURES_IN_A_ROW:
                self.given_up = self.given_up or failure.message
            self._budget.settle(expected, 0)
        else:
            # A server that does not say what a call took is taken to have taken what was expected.
            took = self._writer.cost_micros(written.tokens) or 0
            self._budget.settle(expected, took if written.tokens != Tokens() else expected)
        take(task, written)

    def expected(self, task: Task, *, first: bool | None = None, cached: bool = True) -> Tokens:
        """What a call is expected to consume; at most, as to its output."""
        seen = self._cached.get(id(task.window))
        window = task.window.tokens
        begins = seen is None if first is None else first
        own = Tokens(input=task.passage.tokens, output=self._writer.max_tokens)
        if not (cached and task.shared and (task.window.cacheable if seen is None else seen)):
            return own + Tokens(input=window)
        return own + (Tokens(cache_written=window) if begins else Tokens(cache_read=window))
