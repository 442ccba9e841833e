"""Passages that are about to be committed get their contexts: from the cache, else from a model, else their headings.

Each answer is remembered as it comes, so that nothing is paid for twice, however an ingest ends. What cannot be had (a
service that is down, a budget that is used up) costs no passage: it keeps its headings, is counted, and is asked for
again by the next ingest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pincite.bookkeeping import Usage
from pincite.ids import text_hash
from pincite.ingest.budget import Budget
from pincite.ingest.context_calls import ContextCalls, Task
from pincite.ingest.context_reports import ContextsEstimate, ContextsReport
from pincite.meaning import Tokens, Unsituated, WrittenContext
from pincite.protocols import Catalog, ContextWriter
from pincite.types import BEFORE_WRITTEN, Chunk, Scope, State

PURPOSE = "context"


@dataclass(frozen=True, slots=True)
class Contexts:
    """Who writes contexts, and what one ingest may spend on them."""

    writer: ContextWriter
    budget_usd: float | None = None

    @property
    def recipe(self) -> str:
        """What the writer adds to the fingerprint of passages."""
        return f";contexts={self.writer.fingerprint}"


@dataclass(frozen=True, slots=True)
class Situated:
    """A state whose passages carry their contexts."""

    state: State
    missing: int
    """How many passages have their headings only, though more was asked for."""


class ContextDesk:
    """The contexts of one ingest: what is known, what is asked for, what became of it."""

    def __init__(self, catalog: Catalog, scope: Scope, contexts: Contexts) -> None:
        self._catalog = catalog
        self._tenant = scope.tenant
        self._contexts = contexts
        self._writer = contexts.writer
        self._budget = Budget(None if contexts.budget_usd is None else round(contexts.budget_usd * 1e6))
        self._calls = ContextCalls(self._writer, self._budget)
        self._counts: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._tokens = Tokens()

    def situate(self, states: Sequence[State], progress: Callable[[str, int, int], None]) -> list[Situated]:
        """The states in order, each with what could be had."""
        found: list[dict[int, str]] = [{} for _ in states]
        wanted, unknown = self._look_up(states, found)
        total = sum(map(len, unknown))
        self._counts.update(passages=sum(wanted), remembered=sum(wanted) - total)

        def take(task: Task, written: WrittenContext) -> None:
            self._take(task, written)
            if written.text:
                found[task.owner][task.passage.number] = written.text
            progress(self._stage, self._counts["asked"] - before, total)

        before = self._counts["asked"]
        if total:
            progress(self._stage, 0, total)
            self._calls.run(unknown, take)
        unasked = total - (self._counts["asked"] - before)
        if unasked:
            self._reasons[self._calls.given_up] += unasked
        return [self._situated(*item) for item in zip(states, wanted, found, strict=True)]

    def estimate(self, states: Sequence[State]) -> ContextsEstimate:
        """What the states would cost. Tokens are good to about a third; output is counted at its limit."""
        wanted, unknown = self._look_up(states, [{} for _ in states])
        tasks = [(task, task is window[0]) for window in unknown for task in window]
        expected = [self._calls.expected(task, first=first) for task, first in tasks]
        plain = [self._calls.expected(task, cached=False) for task, _ in tasks]
        return ContextsEstimate(
            documents=len(states),
            passages=sum(wanted),
            remembered=sum(wanted) - len(tasks),
            input_tokens=sum(t.input for t in plain),
            output_tokens=sum(t.output for t in plain),
            cost_usd=self._dollars(expected),
            uncached_cost_usd=self._dollars(plain),
            budget_usd=self._contexts.budget_usd,
        )

    @property
    def report(self) -> ContextsReport:
        """What has been done so far."""
        is_priced = self._writer.cost_micros(Tokens()) is not None
        return ContextsReport(
            passages=self._counts["passages"],
            written=self._counts["written"],
            remembered=self._counts["remembered"],
            missing=self._counts["missing"],
            reasons=tuple(f"{reason} ({count})" for reason, count in self._reasons.most_common(3)),
            tokens=self._tokens,
            cost_usd=self._budget.spent_micros / 1e6 if is_priced else None,
            budget_usd=self._contexts.budget_usd,
        )

    @property
    def _stage(self) -> str:
        is_priced = self._writer.cost_micros(Tokens()) is not None
        return f"contexts · ${self._budget.spent_micros / 1e6:.4f}" if is_priced else "contexts"

    def _dollars(self, calls: Sequence[Tokens]) -> float | None:
        amounts = [self._writer.cost_micros(tokens) for tokens in calls]
        return None if self._writer.cost_micros(Tokens()) is None else sum(a or 0 for a in amounts) / 1e6

    # --- the cache ------------------------------------------------------------------------------------------------

    def _look_up(self, states: Sequence[State], found: list[dict[int, str]]) -> tuple[list[int], list[list[Task]]]:
        """How many contexts each state wants, and by window those that nobody has written yet."""
        wanted = [0] * len(states)
        unknown: list[list[Task]] = []
        for owner, state in enumerate(states):
            for window in self._writer.windows(state.content, state.derivation.chunks):
                wanted[owner] += len(window.passages)
                ask = [passage for passage in window.passages if not self._recall(passage, found[owner])]
                if ask:
                    unknown.append([Task(owner, window, passage, shared=len(ask) > 1) for passage in ask])
        return wanted, unknown

    def _recall(self, passage: Unsituated, found: dict[int, str]) -> bool:
        known = self._catalog.contexts.get(self._tenant, passage.key)
        if known:
            found[passage.number] = known
        return bool(known)

    def _take(self, task: Task, written: WrittenContext) -> None:
        """Remember an answer at once: should the ingest be killed now, it is not asked for again."""
        self._counts["asked"] += 1
        if written.text:
            passage = task.passage
            self._catalog.contexts.put(self._tenant, passage.key, text_hash(passage.passage), written.text)
            self._counts["written"] += 1
        else:
            self._reasons[written.problem] += 1
        if written.tokens != Tokens():
            self._tokens += written.tokens
            self._catalog.usage.add(self._tenant, datetime.now(UTC).date().isoformat(), self._usage(written.tokens))

    def _usage(self, tokens: Tokens) -> Usage:
        return Usage(
            self._writer.provider,
            self._writer.model,
            PURPOSE,
            calls=1,
            input_tokens=tokens.input + tokens.cache_written + tokens.cache_read,
            cached_tokens=tokens.cache_read,
            output_tokens=tokens.output,
            cost_micros=self._writer.cost_micros(tokens) or 0,
        )

    def _situated(self, state: State, wanted: int, found: dict[int, str]) -> Situated:
        made = state.derivation
        chunks = tuple(replace(chunk, context=_joined(chunk, found.get(chunk.number, ""))) for chunk in made.chunks)
        # A model may say something else the next time, so what it said is part of the fingerprint.
        said = text_hash("\n".join(f"{number} {text}" for number, text in sorted(found.items())))
        derivation = replace(made, chunks=chunks, recipe=f"{made.recipe}{self._contexts.recipe},said={said}")
        missing = wanted - len(found)
        self._counts["missing"] += missing
        return Situated(replace(state, derivation=derivation), missing)


def _joined(chunk: Chunk, written: str) -> str:
    """The headings, and below them what was written."""
    return BEFORE_WRITTEN.join(part for part in (chunk.context, written) if part)
