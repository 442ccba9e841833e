"""What was read of a source becomes commits: whose it is, what changed of it, what goes, what is remembered."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace

from pincite import telemetry
from pincite.bookkeeping import UNREAD_SIZE, SourceElement, SourceItem
from pincite.errors import InvalidArgument
from pincite.ids import normalise_id
from pincite.ingest.apply import apply
from pincite.ingest.claims import ElementClaims, WaitingElement
from pincite.ingest.contexts import ContextDesk
from pincite.ingest.memory import SourceMemory
from pincite.ingest.options import IngestOptions
from pincite.ingest.read_items import ItemReading, element_digest
from pincite.ingest.report import IngestReport, Progress
from pincite.ingest.sources import FileFound, Skipped
from pincite.kinds.confined import at_once
from pincite.protocols import Catalog, Index, Kind
from pincite.reading import Neighbourhood, ReadElement
from pincite.types import Change, Outcome, PutElement, PutRelation, RemoveElement, RemoveRelation, Scope, State

MAX_CHARACTERS = 16_000_000
"""Text per commit: what one transaction holds at ease."""
MAX_ELEMENTS = 20_000
"""The same for sources of many small elements."""
MAX_SITUATED_CHARACTERS = 1_000_000
"""The same where a model writes contexts, which takes minutes: what is ready can be found meanwhile."""


@dataclass(slots=True)
class Said:
    """What is to be said of the items at the end."""

    failed: list[Skipped] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Batch:
    """Elements that wait for the next commit, and the items that they come from."""

    def __init__(
        self,
        catalog: Catalog,
        index: Index,
        scope: Scope,
        memory: SourceMemory,
        claims: ElementClaims,
        options: IngestOptions,
        progress: Progress,
    ) -> None:
        self._catalog, self._index, self._scope = catalog, index, scope
        self._memory, self._claims, self._options, self._progress = memory, claims, options, progress
        # Passages that show their neighbours are derived by the commit, so nobody can write about them before.
        situates = options.contexts is not None and not options.kind.declares.neighbours
        self._desk = ContextDesk(catalog, scope, options.contexts) if options.contexts and situates else None
        repository = catalog.repositories.ensure(scope)
        self._purges = repository.purges
        self.report = IngestReport(revision=repository.head, contexts=self._desk.report if self._desk else None)
        self.said = Said()
        self.cut_seconds = 0.0
        self._under_way: ItemReading | None = None
        self._ended: list[ItemReading] = []
        """Items that were read since the last commit."""
        self._waiting: list[WaitingElement] = []
        self._characters = 0
        self._changes: list[tuple[Change, str]] = []
        """With the element that each belongs to."""

    # --- filling ----------------------------------------------------------------------------------------------

    def keep(self, file: FileFound) -> None:
        """Remember a file that is as the last ingest left it, but for its time perhaps."""
        known = self._memory.items[file.name]
        self._memory.put_item(replace(known, size=file.size, mtime_ns=file.mtime_ns, validator=file.validator))
        self._count("unchanged", known.elements)

    def begin(self, reading: ItemReading) -> None:
        """An item is about to be read."""
        self._under_way = reading

    def add(self, element: ReadElement, reading: ItemReading) -> None:
        """Let an element of the item wait; commits first where enough is waiting."""
        if self._is_full:
            self.commit()
        element_id = normalise_id(element.element_id)
        self._waiting.append(WaitingElement(reading, element, element_id, element_digest(element, reading.recipe)))
        self._characters += sum(len(state.content.text) for state in element.states)

    def end(self, reading: ItemReading) -> None:
        """The item has given all that it gives."""
        self._under_way = None
        self._ended.append(reading)
        if self._is_full:
            self.commit()

    @property
    def _is_full(self) -> bool:
        """Whether what waits is enough for a commit."""
        most = MAX_CHARACTERS if self._desk is None else MAX_SITUATED_CHARACTERS
        return self._characters >= most or len(self._waiting) >= MAX_ELEMENTS

    # --- committing -------------------------------------------------------------------------------------------

    def commit(self, gone: Collection[str] = ()) -> None:
        """Commit what waits with what is to be remembered of it; `gone`: items whose elements are to be removed."""
        readings = [*self._ended, *([self._under_way] if self._under_way else ())]
        taken = self._claims.granted(self._waiting, readings)
        changed = [waiting for waiting in taken if not waiting.is_as_before]
        self._count("unchanged", len(taken) - len(changed))
        changed = self._derive(changed)
        if self._desk is not None:
            with telemetry.stage(telemetry.INGEST, "describe"):
                self._situate(self._desk, changed)
        for waiting in changed:
            self._put(waiting)
        for waiting in taken:
            if waiting.before is not None and waiting.before.item != waiting.reading.name and waiting.is_as_before:
                self._memory.put_element(replace(waiting.before, item=waiting.reading.name))
        if self._under_way is not None:
            # Half of it is about to be committed: should this be the end, it must not pass for unchanged.
            self._memory.mark_unread(self._under_way.name)
        self._remove_stale({waiting.element_id for waiting in taken}, gone)
        self._close_items(gone)
        self._write()
        self._claims.forget(self._waiting)
        self._waiting.clear()
        self._ended.clear()
        self._characters = 0

    def _derive(self, changed: list[WaitingElement]) -> list[WaitingElement]:
        """What of it could be cut; the rest is reported, and its last good version stays."""
        began = time.perf_counter()
        cut: list[WaitingElement] = []
        pool = ThreadPoolExecutor(at_once(self._options.kind), "pincite-derive")
        try:
            under_way = [pool.submit(copy_context().run, derived, self._options.kind, w.element) for w in changed]
            for waiting, made in zip(changed, under_way, strict=True):
                try:
                    waiting.states = made.result()
                except InvalidArgument as problem:
                    waiting.reading.leave_out(waiting.place, problem.message)
                else:
                    cut.append(waiting)
        finally:
            pool.shutdown(cancel_futures=True)
        self.cut_seconds += time.perf_counter() - began
        return cut

    def _situate(self, desk: ContextDesk, changed: list[WaitingElement]) -> None:
        """Let the context writer say where each passage stands; what lacks something is read again next time."""
        situated = iter(desk.situate([state for waiting in changed for state in waiting.states], self._progress))
        for waiting in changed:
            made = [next(situated) for _ in waiting.states]
            waiting.states = tuple(item.state for item in made)
            if any(item.missing for item in made):
                waiting.digest = ""
                waiting.reading.pending = True
        self.report = replace(self.report, contexts=desk.report)

    def _put(self, waiting: WaitingElement) -> None:
        element_id, relations = waiting.element_id, waiting.element.relations
        stated = tuple(relation.relation_id for relation in relations)
        self._changes.append((PutElement(element_id, waiting.states), element_id))
        self._changes += [(PutRelation(relation), element_id) for relation in relations]
        if waiting.before is not None:
            dropped = sorted(set(waiting.before.relations) - set(stated))
            self._changes += [(RemoveRelation(relation_id), element_id) for relation_id in dropped]
        self._memory.put_element(SourceElement(element_id, waiting.reading.name, waiting.digest, stated))

    def _remove_stale(self, taken: Collection[str], gone: Collection[str]) -> None:
        """Remove what items gave before and no longer give."""
        read = {reading.name: reading for reading in self._ended if reading.was_known and not reading.failed}
        for given in self._memory.given_by([*read, *gone]):
            reading = read.get(given.item)
            if given.element_id in taken or (reading and given.element_id in reading.seen):
                continue
            self._changes.append((RemoveElement(given.element_id), given.element_id))
            self._changes += [(RemoveRelation(relation_id), given.element_id) for relation_id in given.relations]
            self._memory.remove_elements([given.element_id])
            # What is being taken over moves with the next commit, away from where it is being listed.
            if len(self._changes) >= 2 * MAX_ELEMENTS and not self._memory.takes_over:
                self._write()

    def _close_items(self, gone: Collection[str]) -> None:
        """Remember the items that were read to their end, and say what became of all of them."""
        for reading in self._ended:
            self.said.failed += reading.failed
            self.said.skipped += reading.passed_over
            self.said.notes += reading.notes
            if reading.failed or not reading.seen:
                if reading.seen:
                    self._memory.mark_unread(reading.name)
                continue
            file = reading.file
            item = SourceItem(
                file.name, file.size, file.mtime_ns, reading.digest, reading.recipe, file.validator, len(reading.seen)
            )
            self._memory.put_item(replace(item, size=UNREAD_SIZE, digest="") if reading.pending else item)
        self._memory.remove_items(gone)

    def _write(self) -> None:
        sources = self._memory.drafted()
        if not self._changes and not sources:
            return
        made = apply(
            self._catalog,
            self._index,
            self._scope,
            [change for change, _ in self._changes],
            author=self._options.author,
            message=self._options.message or "ingest",
            sources=sources,
            kinds=(self._options.kind, *self._options.beside),
            advance=False,
        )
        outcomes = dict[str, str]()
        for (change, owner), outcome in zip(self._changes, made.outcomes, strict=True):
            outcomes[owner] = _became(change, outcome, outcomes.get(owner, ""))
            if isinstance(change, PutElement) and outcome.status == "applied":
                self._count("chunks", sum(len(state.derivation.chunks) for state in change.states))
        for name, count in Counter(filter(None, outcomes.values())).items():
            self._count(name, count)
        self._count("revisions", int(made.changed))
        self.report = replace(self.report, revision=made.revision)
        self._note_erased([element_id for element_id, became in outcomes.items() if became == "added"])
        self._changes.clear()

    def _count(self, name: str, count: int) -> None:
        self.report = replace(self.report, **{name: getattr(self.report, name) + count})

    def _note_erased(self, added: list[str]) -> None:
        """Say which elements were erased before: the person who erased them may not want them back."""
        if not (added and self._purges):
            return
        items = {waiting.element_id: waiting.reading.name for waiting in self._waiting}
        for element_id in self._catalog.elements.tombstones(self._scope, added):
            name = items[element_id]
            which = "" if normalise_id(self._options.prefix + name) == element_id else f" {element_id}"
            self.said.notes.append(
                f"{name}:{which} was erased before and has been added again; remove it from the source"
                " if it must stay out"
            )


def derived(kind: Kind, element: ReadElement) -> tuple[State, ...]:
    """The states of an element as read, each with its passages."""
    element_id = normalise_id(element.element_id)
    return tuple(
        State(
            read.content,
            kind.derive(element_id, read.content, Neighbourhood()),
            read.roles,
            read.valid_from,
            read.valid_to,
        )
        for read in element.states
    )


def _became(change: Change, outcome: Outcome, before: str) -> str:
    """What an element counts as, given one change of it and what it counted as until then."""
    applied = outcome.status == "applied"
    match change:
        case PutElement():
            return ("added" if outcome.added else "changed") if applied else "unchanged"
        case RemoveElement():
            return "removed" if applied else ""
        case _:
            return "changed" if applied and before == "unchanged" else before
