"""The write spine: scan → read → derive → commit → index.

Incremental: an unchanged file costs a stat, a touched one a hash, an unchanged element of a changed file a comparison.
Changed, renamed and deleted files leave nothing behind at head. What cannot be read is reported and its last good
version is kept; the rest goes on. What is remembered of the source is part of each commit, so that an ingest which is
killed goes on where it was.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from pincite import telemetry
from pincite.advice import either
from pincite.bookkeeping import UNREAD_SIZE, SourceElement, SourceItem
from pincite.errors import Conflict, InvalidArgument
from pincite.ids import normalise_id
from pincite.ingest.apply import apply
from pincite.ingest.context_reports import ContextsEstimate, ContextsReport
from pincite.ingest.contexts import ContextDesk, Contexts
from pincite.ingest.memory import SourceMemory
from pincite.ingest.read_items import Reading, digest_of, element_digest, elements_of
from pincite.ingest.remote import gathered
from pincite.ingest.sources import FileFound, Scan, Skipped, Source, empty_is_meant, scan
from pincite.protocols import Catalog, Index, Kind
from pincite.reading import Neighbourhood, ReadElement
from pincite.types import (
    Change,
    Outcome,
    PutElement,
    PutRelation,
    RemoveElement,
    RemoveRelation,
    Scope,
    State,
)

MAX_BATCH_CHARACTERS = 16_000_000
"""Text per commit: what one transaction holds at ease."""
MAX_BATCH_ELEMENTS = 20_000
"""The same for sources of many small elements."""
MAX_SITUATED_CHARACTERS = 1_000_000
"""The same where a model writes contexts, which takes minutes: what is ready can be found meanwhile."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told the stage, how much of it is done, and how much there is."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    kind: Kind
    """What reads the source."""
    author: str = ""
    message: str = ""
    prefix: str = ""
    """Put before each element id, so that two sources with the same file names can share a repository."""
    allow_empty: bool = False
    """Whether a source that held files and now holds none empties the repository, or was just not mounted."""
    take_over: str = ""
    """A source, as the library remembers it, that has become this one: what it gave and this one lacks is removed."""
    contexts: Contexts | None = None
    """Who writes what situates each passage; None: its headings do."""

    def recipe_of(self, path: Path) -> str:
        """What fingerprints how such a file is read; a file with another one is read again."""
        every = self.kind.recipe()
        own = self.kind.recipe(path.name).removeprefix(every)
        contexts = self.contexts.recipe if self.contexts else ""
        return f"{every}{contexts}{own}" + (f";prefix={self.prefix}" if self.prefix else "")

    def is_current(self, known: SourceItem) -> bool:
        """Whether an item was last read to its end, and as it would be now, whatever its type."""
        recipes = {self.recipe_of(Path(f"x{suffix}")) for suffix in self.kind.declares.suffixes}
        return known.recipe in recipes and known.digest != ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. Counts are of elements: a document is one, a file of records gives many."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Skipped, ...] = ()
    """Files, or parts of them, that could not be read; the last good version stays."""
    skipped: tuple[Skipped, ...] = ()
    """Not meant for the library."""
    notes: tuple[str, ...] = ()
    chunks: int = 0
    """Passages cut from what was added or changed."""
    revision: int = 0
    revisions: int = 0
    """How many new revisions were made."""
    seconds: float = 0.0
    contexts: ContextsReport | None = None
    """What a context writer did; None where none is configured."""


def ingest(
    catalog: Catalog, index: Index, scope: Scope, source: Source, options: IngestOptions, progress: Progress = silent
) -> IngestReport:
    """Bring the repository in line with the source and make it searchable."""
    with telemetry.span(f"ingest {scope.repository}", {telemetry.DATA_SOURCE: scope.repository}) as span:
        report = _ingest(catalog, index, scope, source, options, progress, span)
        telemetry.tell(telemetry.INGEST, "total", report.seconds)
        return report


def _ingest(
    catalog: Catalog,
    index: Index,
    scope: Scope,
    source: Source,
    options: IngestOptions,
    progress: Progress,
    span: telemetry.Span,
) -> IngestReport:
    started = time.monotonic()
    memory = SourceMemory(catalog.sources, scope, source.key, options.take_over)
    with gathered(source, options.kind.declares, memory.items, options.is_current) as seen:
        if memory.items and not seen.files and not options.allow_empty and source.delivery is None:
            raise Conflict(
                f"{either(source.key, 'the source')} has no readable files, though the last ingest found"
                f" {len(memory.items)}; nothing was changed. If they are meant to be removed, {empty_is_meant()}",
                field="source",
            )
        run = _Run(catalog, index, scope, memory, options, seen.files, progress)
        with telemetry.span("read", {telemetry.FILES: len(seen.files)}):
            for number, file in enumerate(seen.files):
                progress("reading", number, len(seen.files))
                run.take(file)
            progress("reading", len(seen.files), len(seen.files))
        run.finish(_gone(source, seen, run))
        progress("indexing", 0, 1)
        with telemetry.stage(telemetry.INGEST, "index"):
            index.advance(scope)
        progress("indexing", 1, 1)
    run.describe(span)
    return replace(
        run.report,
        failed=tuple(sorted((*seen.failed, *run.failed), key=lambda item: item.path)),
        skipped=tuple(sorted((*seen.skipped, *run.skipped), key=lambda item: item.path)),
        notes=(*memory.notes, *run.notes, *run.context_notes),
        seconds=round(time.monotonic() - started, 3),
    )


def _gone(source: Source, seen: Scan, run: _Run) -> list[str]:
    """Items of the last ingest whose elements are to be removed: those that are no longer there, or are taken back."""
    gone = seen.gone(run.memory.items)
    if source.delivery is None:
        return gone
    there = {file.name for file in seen.files}
    unknown = source.delivery.withdrawn - run.memory.items.keys() - there
    reason = "was not handed over before, so it cannot be taken back"
    run.failed += [Skipped(name, reason) for name in sorted(unknown)]
    return [name for name in gone if name in source.delivery.withdrawn]


def estimate(catalog: Catalog, scope: Scope, source: Source, options: IngestOptions) -> ContextsEstimate:
    """What an ingest would have a context writer write. Nobody is asked, nothing is stored."""
    desk = ContextDesk(catalog, scope, options.contexts) if options.contexts else None
    total = desk.estimate([]) if desk else ContextsEstimate()
    if source.url:
        raise InvalidArgument("an address would have to be fetched; download the file for an estimate", field="source")
    looks = _Looks(catalog.sources.items(scope, source.key), options)
    for file in scan(source, options.kind.declares).files:
        if looks.is_as_before(file):
            total = replace(total, unchanged=total.unchanged + looks.known[file.name].elements)
            continue
        reading = Reading(file, "", options.prefix)
        for element in elements_of(options.kind, reading):
            states = _states(options.kind, element)
            total += desk.estimate(states) if desk else ContextsEstimate(documents=1)
        total = replace(total, failed=total.failed + bool(reading.failed or reading.passed_over))
    return total


def _states(kind: Kind, element: ReadElement) -> tuple[State, ...]:
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


class _Looks:
    """Whether files are as the last ingest left them; each is hashed at most once."""

    def __init__(self, known: dict[str, SourceItem], options: IngestOptions) -> None:
        self.known = known
        self._options = options
        self._digests: dict[str, str] = {}

    def costs_a_stat(self, file: FileFound) -> bool:
        """Whether size and time alone say so."""
        known = self.known.get(file.name)
        return (
            known is not None
            and known.digest != ""
            and (known.size, known.mtime_ns) == (file.size, file.mtime_ns)
            and known.recipe == self._options.recipe_of(file.path)
        )

    def is_as_before(self, file: FileFound) -> bool:
        if self.costs_a_stat(file):
            return True
        known = self.known.get(file.name)
        if known is None or not known.digest or known.recipe != self._options.recipe_of(file.path):
            return False
        return known.digest == self.digest(file)

    def digest(self, file: FileFound) -> str:
        """Of the file's bytes; "" for what is too large or cannot be read: reading it says why."""
        if file.name not in self._digests:
            try:
                fits = file.size <= self._options.kind.declares.max_bytes
                self._digests[file.name] = digest_of(file.path) if fits else ""
            except OSError:
                self._digests[file.name] = ""
        return self._digests[file.name]


@dataclass(slots=True)
class _Waiting:
    """An element that was read and waits for the next commit."""

    reading: Reading
    element: ReadElement
    element_id: str
    digest: str
    before: SourceElement | None = None
    """What is remembered of it, where this source gave it before."""
    states: tuple[State, ...] = ()


class _Run:
    """One ingest under way: what was seen of the source and what is still to be committed."""

    def __init__(
        self,
        catalog: Catalog,
        index: Index,
        scope: Scope,
        memory: SourceMemory,
        options: IngestOptions,
        files: Iterable[FileFound],
        progress: Progress,
    ) -> None:
        self._catalog, self._index, self._scope = catalog, index, scope
        self._options, self._kind, self._progress = options, options.kind, progress
        # Passages that look at neighbours are derived by the commit, and nobody can write their contexts before.
        situates = options.contexts is not None and options.kind.declares.neighbours == 0
        self._desk = ContextDesk(catalog, scope, options.contexts) if options.contexts and situates else None
        repository = catalog.repositories.ensure(scope)
        self._purges = repository.purges
        self.memory = memory
        self.report = IngestReport(revision=repository.head, contexts=self._desk.report if self._desk else None)
        self.failed: list[Skipped] = []
        self.skipped: list[Skipped] = []
        self.notes: list[str] = []
        self._files = {file.name: file for file in files}
        self._looks = _Looks(memory.items, options)
        self._read: set[str] = set()
        """Names of the items that this ingest has read."""
        self._under_way: Reading | None = None
        self._ended: list[Reading] = []
        """Items that were read since the last commit."""
        self._waiting: list[_Waiting] = []
        self._characters = 0
        self._changes: list[tuple[Change, str]] = []
        """With the element that each belongs to."""
        self._read_seconds = self._cut_seconds = 0.0
        self._owners = self._foreseen()
        """What is known of the owners of elements; None: nobody's."""

    def element_id(self, file: FileFound) -> str:
        """The id of a file that is one element."""
        return normalise_id(self._options.prefix + file.name)

    def _foreseen(self) -> dict[str, tuple[str, SourceElement] | None]:
        """Owners of the elements that files are likely to be: asked for at once, and before any file is read."""
        ids = [self.element_id(file) for file in self._files.values() if not self._looks.costs_a_stat(file)]
        return dict.fromkeys(ids) | self.memory.owners(ids)

    # --- reading ----------------------------------------------------------------------------------------------

    def take(self, file: FileFound) -> None:
        """Read one file unless it is as the last ingest left it."""
        if self._looks.is_as_before(file):
            known = self.memory.items[file.name]
            seen = replace(known, size=file.size, mtime_ns=file.mtime_ns, validator=file.validator)
            self.memory.put_item(seen)
            self.report = replace(self.report, unchanged=self.report.unchanged + known.elements)
            return
        recipe = self._options.recipe_of(file.path)
        reading = Reading(file, recipe, self._options.prefix, was_known=file.name in self.memory.items)
        self._read.add(file.name)
        self._under_way = reading
        if problem := self._foreseen_problem(file):
            reading.fail(problem)
        else:
            reading.digest = self._looks.digest(file)
            for element in elements_of(self._kind, reading):
                self._wait(reading, element)
            self._require_something(reading)
        self._read_seconds += reading.seconds
        self._under_way = None
        self._ended.append(reading)
        if self._is_full:
            self._commit()

    def _require_something(self, reading: Reading) -> None:
        """Whether an item that held elements and now holds none is meant is for a person to say."""
        if reading.seen or reading.failed:
            return
        if reading.was_known and not self._options.allow_empty:
            reading.fail(f"it holds nothing any more; remove it, or {empty_is_meant()}, if that is meant")
        elif not reading.was_known and not reading.passed_over:
            reading.leave_out("", "it holds nothing", harmless=True)

    def _foreseen_problem(self, file: FileFound) -> str:
        """Why a file need not be read: a file of the same name in another source gave the element of that name."""
        element_id = self.element_id(file)
        found = self._owners.get(element_id)
        if found and found[0] and found[1].item == file.name:
            return self.memory.whose(element_id, found[0])
        return ""

    def _wait(self, reading: Reading, element: ReadElement) -> None:
        if self._is_full:
            self._commit()
        element_id = normalise_id(element.element_id)
        self._waiting.append(_Waiting(reading, element, element_id, element_digest(element, reading.recipe)))
        self._characters += sum(len(state.content.text) for state in element.states)

    @property
    def _is_full(self) -> bool:
        """Whether what waits is enough for a commit."""
        most = MAX_BATCH_CHARACTERS if self._desk is None else MAX_SITUATED_CHARACTERS
        return self._characters >= most or len(self._waiting) >= MAX_BATCH_ELEMENTS

    # --- committing -------------------------------------------------------------------------------------------

    def finish(self, gone: Collection[str]) -> None:
        """Commit what is left, and remove what the items that are gone had given."""
        self._commit(gone)

    def _commit(self, gone: Collection[str] = ()) -> None:
        """Make changes of what waits, and commit them with what is to be remembered of them."""
        taken = self._claimed()
        changed = [waiting for waiting in taken if not _is_remembered(waiting)]
        self._count("unchanged", len(taken) - len(changed))
        self._derive(changed)
        if self._desk is not None:
            with telemetry.stage(telemetry.INGEST, "describe"):
                self._situate(self._desk, changed)
        for waiting in changed:
            self._put(waiting)
        for waiting in taken:
            if waiting.before is not None and waiting.before.item != waiting.reading.name and _is_remembered(waiting):
                self.memory.put_element(replace(waiting.before, item=waiting.reading.name))
        if self._under_way is not None:
            # Half of it is about to be committed: should this be the end, it must not pass for unchanged.
            self.memory.mark_unread(self._under_way.name)
        self._remove_stale({waiting.element_id for waiting in taken}, gone)
        self._close_items(gone)
        self._write()
        for waiting in self._waiting:
            self._owners.pop(waiting.element_id, None)
        self._waiting.clear()
        self._ended.clear()
        self._characters = 0

    def _claimed(self) -> list[_Waiting]:
        """Of what waits, what this source may put in. An item that is denied one element gives nothing."""
        unasked = [w.element_id for w in self._waiting if w.element_id not in self._owners]
        self._owners |= dict.fromkeys(unasked) | self.memory.owners(unasked)
        batch = {reading.name: reading for reading in (*self._ended, *([self._under_way] if self._under_way else ()))}
        claims: dict[str, Reading] = {}
        for waiting in self._waiting:
            source, before = self._owners[waiting.element_id] or ("", None)
            if source and before:
                waiting.reading.deny(self.memory.whose(waiting.element_id, source))
            elif other := self._rival(waiting, before, claims, batch):
                waiting.reading.deny(self._same_id(waiting.element_id, waiting.reading.name, other))
            else:
                claims[waiting.element_id] = waiting.reading
                waiting.before = before
        return [waiting for waiting in self._waiting if not waiting.reading.denied]

    def _rival(
        self,
        waiting: _Waiting,
        before: SourceElement | None,
        claims: dict[str, Reading],
        batch: dict[str, Reading],
    ) -> str:
        """Another item of this source that gives the element as well; "" if there is none."""
        claimed = claims.get(waiting.element_id)
        if claimed is not None and not claimed.denied:
            return claimed.name
        other = before.item if before else waiting.reading.name
        if other == waiting.reading.name:
            return ""
        if other in batch:
            return other if waiting.element_id in batch[other].seen else ""
        if other in self._read:
            return other
        file = self._files.get(other)
        return other if file is not None and self._looks.is_as_before(file) else ""

    def _same_id(self, element_id: str, name: str, other: str) -> str:
        if normalise_id(name) == normalise_id(other):
            return "its name differs from another file's only in how accents are encoded; rename one"
        return f"{element_id!r} is in {other} as well; ids must differ"

    def _derive(self, changed: list[_Waiting]) -> None:
        began = time.perf_counter()
        for waiting in changed:
            waiting.states = _states(self._kind, waiting.element)
        self._cut_seconds += time.perf_counter() - began

    def _situate(self, desk: ContextDesk, changed: list[_Waiting]) -> None:
        """Let the context writer say where each passage stands; what lacks something is read again next time."""
        situated = iter(desk.situate([state for waiting in changed for state in waiting.states], self._progress))
        for waiting in changed:
            made = [next(situated) for _ in waiting.states]
            waiting.states = tuple(item.state for item in made)
            if any(item.missing for item in made):
                waiting.digest = ""
                waiting.reading.pending = True
        self.report = replace(self.report, contexts=desk.report)

    def _put(self, waiting: _Waiting) -> None:
        element_id, relations = waiting.element_id, waiting.element.relations
        stated = tuple(relation.relation_id for relation in relations)
        self._changes.append((PutElement(element_id, waiting.states), element_id))
        self._changes += [(PutRelation(relation), element_id) for relation in relations]
        if waiting.before is not None:
            dropped = sorted(set(waiting.before.relations) - set(stated))
            self._changes += [(RemoveRelation(relation_id), element_id) for relation_id in dropped]
        self.memory.put_element(SourceElement(element_id, waiting.reading.name, waiting.digest, stated))

    def _remove_stale(self, taken: Collection[str], gone: Collection[str]) -> None:
        """Remove what items gave before and no longer give."""
        read = {reading.name: reading for reading in self._ended if reading.was_known and not reading.failed}
        for given in self.memory.given_by([*read, *gone]):
            reading = read.get(given.item)
            if given.element_id in taken or (reading and given.element_id in reading.seen):
                continue
            self._changes.append((RemoveElement(given.element_id), given.element_id))
            self._changes += [(RemoveRelation(relation_id), given.element_id) for relation_id in given.relations]
            self.memory.remove_elements([given.element_id])
            # What is being taken over moves with the next commit, away from where it is being listed.
            if len(self._changes) >= 2 * MAX_BATCH_ELEMENTS and not self.memory.takes_over:
                self._write()

    def _close_items(self, gone: Collection[str]) -> None:
        """Remember the items that were read to their end, and say what became of all of them."""
        for reading in self._ended:
            self.failed += reading.failed
            self.skipped += reading.passed_over
            self.notes += reading.notes
            if reading.failed or not reading.seen:
                if reading.seen:
                    self.memory.mark_unread(reading.name)
                continue
            file = reading.file
            item = SourceItem(
                file.name, file.size, file.mtime_ns, reading.digest, reading.recipe, file.validator, len(reading.seen)
            )
            self.memory.put_item(replace(item, size=UNREAD_SIZE, digest="") if reading.pending else item)
        self.memory.remove_items(gone)

    def _write(self) -> None:
        sources = self.memory.drafted()
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
        """Say which elements had been erased once: whoever had them erased may not want them back."""
        if not (added and self._purges):
            return
        items = {waiting.element_id: waiting.reading.name for waiting in self._waiting}
        for element_id in self._catalog.elements.tombstones(self._scope, added):
            name = items[element_id]
            which = "" if normalise_id(self._options.prefix + name) == element_id else f" {element_id}"
            self.notes.append(
                f"{name}:{which} had been erased and is put in again; remove it there if it must stay out"
            )

    # --- what is said of it -----------------------------------------------------------------------------------

    def describe(self, span: telemetry.Span) -> None:
        """What a trace and the metrics say of it. Reading and cutting take turns, file by file: they are summed."""
        telemetry.tell(telemetry.INGEST, "read", self._read_seconds)
        telemetry.tell(telemetry.INGEST, "cut", self._cut_seconds)
        span.set(
            {
                telemetry.READ_SECONDS: round(self._read_seconds, 6),
                telemetry.CUT_SECONDS: round(self._cut_seconds, 6),
                telemetry.CHUNKS: self.report.chunks,
                telemetry.REVISION: self.report.revision,
            }
        )

    @property
    def context_notes(self) -> tuple[str, ...]:
        """What is missing of the written contexts, in one line."""
        note = self.report.contexts.note if self.report.contexts else ""
        return (note,) if note else ()


def _is_remembered(waiting: _Waiting) -> bool:
    """Whether the element was read just like this before."""
    return waiting.before is not None and waiting.before.digest == waiting.digest


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
