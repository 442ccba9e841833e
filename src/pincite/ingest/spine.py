"""The write spine: scan → read → cut → commit → index.

Incremental: an unchanged file costs a stat, a touched one a hash. Changed, renamed and deleted files leave nothing
behind at head. A file that cannot be read is reported and its last good version is kept; the rest goes on.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from pincite import telemetry
from pincite.advice import either
from pincite.bookkeeping import SourceFile
from pincite.errors import Conflict, Damaged, InvalidArgument, Locked, MissingExtra, PinciteError, StorageFull
from pincite.ids import normalise_id
from pincite.ingest.context_reports import ContextsEstimate, ContextsReport
from pincite.ingest.contexts import PENDING, ContextDesk, Contexts
from pincite.ingest.memory import SourceMemory
from pincite.ingest.remote import gathered
from pincite.ingest.sources import Delivery, FileFound, Scan, Skipped, Source, empty_is_meant, scan
from pincite.kinds.documents import SUFFIXES, CutOptions, cut, read_document
from pincite.kinds.documents.convert import converter_recipe, fingerprint
from pincite.kinds.documents.read import MAX_BYTES, EmptyFile
from pincite.protocols import Catalog, Index
from pincite.types import FOREVER, Change, Commit, Content, PutElement, RemoveElement, Scope, State

MAX_BATCH_CHARACTERS = 16_000_000
"""Text per commit: what one transaction holds at ease."""
MAX_SITUATED_CHARACTERS = 1_000_000
"""The same where a model writes contexts, which takes minutes: what is ready can be found meanwhile."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told the stage, how much of it is done, and how much there is."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    cut: CutOptions = field(default_factory=CutOptions)
    author: str = ""
    message: str = ""
    prefix: str = ""
    """Put before each element id, so that two sources with the same file names can share a repository."""
    allow_empty: bool = False
    """Whether a source that held files and now holds none empties the repository, or was just not mounted."""
    contexts: Contexts | None = None
    """Who writes what situates each passage; None: its headings do."""

    @property
    def recipe(self) -> str:
        """What fingerprints the passages of a file; a file with another one is read again."""
        return self.cut.recipe + (self.contexts.recipe if self.contexts else "")

    def recipe_of(self, path: Path) -> str:
        """The same with what converts this type of file: its newer version reads the file again."""
        return self.recipe + converter_recipe(fingerprint(path.suffix.lower()))

    def is_current(self, known: SourceFile) -> bool:
        """Whether a file was last read to its end, and as it would be now, whatever its type."""
        recipes = {self.recipe_of(Path(f"x{suffix}")) for suffix in SUFFIXES}
        whose = normalise_id(self.prefix + known.path)
        return known.recipe in recipes and known.element_id == whose and known.content_hash != ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did; every file is in exactly one of the counts."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Skipped, ...] = ()
    """Could not be read; the last good version stays."""
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
    known = catalog.sources.files(scope, source.key) if catalog.repositories.get(scope) else {}
    with gathered(source, known, options.is_current) as seen:
        run = _Run(catalog, scope, source, options, progress)
        if run.memory.before and not seen.files and not options.allow_empty and source.delivery is None:
            raise Conflict(
                f"{either(source.key, 'the source')} has no readable files, though the last ingest found"
                f" {len(run.memory.before)}; nothing was changed. If they are meant to be removed, {empty_is_meant()}",
                field="source",
            )
        run.memory.adopt({run.element_id(file) for file in seen.files})
        with telemetry.span("read", {telemetry.FILES: len(seen.files)}):
            for number, file in enumerate(seen.files):
                progress("reading", number, len(seen.files))
                run.take(file)
            progress("reading", len(seen.files), len(seen.files))
        if source.delivery is not None:
            run.keep_delivered(source.delivery)
        else:
            run.remove_missing(seen)
        run.finish()
        progress("indexing", 0, 1)
        with telemetry.stage(telemetry.INGEST, "index"):
            index.advance(scope)
        progress("indexing", 1, 1)
    run.describe(span)
    return replace(
        run.report,
        failed=tuple(sorted((*seen.failed, *run.failed), key=lambda item: item.path)),
        skipped=tuple(sorted((*seen.skipped, *run.skipped), key=lambda item: item.path)),
        notes=(*run.memory.notes, *run.notes, *run.context_notes),
        seconds=round(time.monotonic() - started, 3),
    )


def estimate(catalog: Catalog, scope: Scope, source: Source, options: IngestOptions) -> ContextsEstimate:
    """What an ingest would have a context writer write. Nobody is asked, nothing is stored."""
    known = catalog.sources.files(scope, source.key) if catalog.repositories.get(scope) else {}
    desk = ContextDesk(catalog, scope, options.contexts) if options.contexts else None
    total = desk.estimate([]) if desk else ContextsEstimate()
    if source.url:
        raise InvalidArgument("an address would have to be fetched; download the file for an estimate", field="source")
    for file in scan(source).files:
        element_id = normalise_id(options.prefix + file.name)
        try:
            if _is_as_before(file, known.get(file.name), element_id, options.recipe_of(file.path)):
                total = replace(total, unchanged=total.unchanged + 1)
                continue
            content = read_document(file.path, element_id).content
        except (PinciteError, OSError):
            total = replace(total, failed=total.failed + 1)
            continue
        state = State(content, cut(content, options.cut))
        total += desk.estimate([state]) if desk else ContextsEstimate(documents=1)
    return total


def _is_as_before(file: FileFound, known: SourceFile | None, element_id: str, recipe: str) -> bool:
    if known is None or (known.element_id, known.recipe) != (element_id, recipe):
        return False
    if (known.size, known.mtime_ns) == (file.size, file.mtime_ns):
        return True
    return file.size <= MAX_BYTES and known.content_hash == _digest(file.path)


class _Run:
    """One ingest under way: what was seen of the source and what is still to be committed."""

    def __init__(
        self, catalog: Catalog, scope: Scope, source: Source, options: IngestOptions, progress: Progress
    ) -> None:
        self._catalog = catalog
        self._progress = progress
        self._desk = ContextDesk(catalog, scope, options.contexts) if options.contexts else None
        self._scope = scope
        self._options = options
        self._seen: dict[str, SourceFile] = {}
        self._changes: list[Change] = []
        self._characters = 0
        self.report = IngestReport(
            revision=catalog.repositories.ensure(scope).head, contexts=self._desk.report if self._desk else None
        )
        self.memory = SourceMemory(catalog, scope, source.key)
        self.failed: list[Skipped] = []
        self.skipped: list[Skipped] = []
        self.notes: list[str] = []
        self._taken: dict[str, str] = {}
        self._read_seconds = self._cut_seconds = 0.0

    def element_id(self, file: FileFound) -> str:
        return normalise_id(self._options.prefix + file.name)

    def take(self, file: FileFound) -> None:
        """Read one file unless it is as the last ingest left it."""
        element_id, recipe = self.element_id(file), self._options.recipe_of(file.path)
        known = self.memory.before.get(file.name)
        if known and (known.element_id, known.recipe) != (element_id, recipe):
            known = None
        try:
            self._claim(element_id, file)
            if known and (known.size, known.mtime_ns) == (file.size, file.mtime_ns):
                self._keep(known)
                return
            digest = _digest(file.path) if file.size <= MAX_BYTES else ""
            seen = SourceFile(file.name, file.size, file.mtime_ns, digest, element_id, recipe, file.validator)
            if known and known.content_hash == digest != "":
                self._keep(seen)
            else:
                self._put(file, seen)
        except (StorageFull, Locked, Damaged):  # the library's trouble, not this file's
            raise
        except (PinciteError, OSError) as error:
            reason = error.message if isinstance(error, PinciteError) else (error.strerror or str(error))
            # A file that never had text, or never could be read here, is no failure; one that lost it may be.
            harmless = isinstance(error, EmptyFile | MissingExtra) and file.name not in self.memory.before
            named = reason.removeprefix(f"{element_id}: ").replace(str(file.path), file.name)
            (self.skipped if harmless else self.failed).append(Skipped(file.name, named))

    def _claim(self, element_id: str, file: FileFound) -> None:
        """One element, one file of one source."""
        other = self._taken.setdefault(element_id, file.name)
        if other != file.name:
            raise Conflict("its name differs from another file's only in how accents are encoded; rename one")
        self.memory.check_owner(element_id)

    def _put(self, file: FileFound, seen: SourceFile) -> None:
        began = time.perf_counter()
        document = read_document(file.path, seen.element_id)
        _check_text(document.content)
        was_read = time.perf_counter()
        derivation = cut(document.content, self._options.cut, seen.element_id)
        self._read_seconds += was_read - began
        self._cut_seconds += time.perf_counter() - was_read
        state = State(document.content, derivation, document.roles, document.valid_from, document.valid_to)
        self.notes += [f"{file.name}: {note}" for note in document.notes]
        if self._catalog.elements.tombstone(self._scope, seen.element_id) and not self._is_alive(seen.element_id):
            self.notes.append(f"{file.name}: had been erased and is put in again; remove the file if it must stay out")
        self._seen[file.name] = seen
        self._changes.append(PutElement(seen.element_id, (state,)))
        self._characters += len(document.content.text)
        if self._characters >= (MAX_BATCH_CHARACTERS if self._desk is None else MAX_SITUATED_CHARACTERS):
            self._commit()

    def _keep(self, file: SourceFile) -> None:
        self._seen[file.path] = file
        self.report = replace(self.report, unchanged=self.report.unchanged + 1)

    def _is_alive(self, element_id: str) -> bool:
        return any(life.died == FOREVER for life in self._catalog.elements.history(self._scope, element_id))

    def remove_missing(self, seen: Scan) -> None:
        """Remove the elements that the source gave last time and no longer gives; those in trouble stay."""
        troubled = {item.path for item in self.failed}
        for name, file in self.memory.before.items():
            if name not in self._seen and (name in troubled or not seen.is_gone(name)):
                # Its last good version stays; the next ingest looks at the file again.
                self._seen[name] = replace(file, size=-1, content_hash="")
        kept = {file.element_id for file in self._seen.values()}
        gone = {file.element_id for file in self.memory.before.values()} - kept
        self._changes += [RemoveElement(element_id) for element_id in sorted(gone)]

    def keep_delivered(self, delivery: Delivery) -> None:
        """Remember what was handed over before beside what came now; remove what is taken back."""
        for name in sorted(delivery.withdrawn - self._seen.keys()):
            known = self.memory.before.pop(name, None)
            if known is None:
                self.failed.append(Skipped(name, "was not handed over before, so it cannot be taken back"))
            else:
                self._changes.append(RemoveElement(known.element_id))
        self._seen = self.memory.before | self._seen

    def _situate(self, desk: ContextDesk) -> None:
        """Let the context writer say where each passage stands; a file that lacks something is read again next time."""
        puts = [(at, change) for at, change in enumerate(self._changes) if isinstance(change, PutElement)]
        states = [state for _, change in puts for state in change.states]
        situated = iter(desk.situate(states, self._progress))
        pending: set[str] = set()
        for at, change in puts:
            made = [next(situated) for _ in change.states]
            self._changes[at] = replace(change, states=tuple(item.state for item in made))
            if any(item.missing for item in made):
                pending.add(change.element_id)
        for name, file in self._seen.items():
            if file.element_id in pending:
                self._seen[name] = replace(file, recipe=self._options.recipe + PENDING)
        self.report = replace(self.report, contexts=desk.report)

    def _commit(self) -> None:
        if not self._changes:
            return
        if self._desk is not None:
            with telemetry.stage(telemetry.INGEST, "describe"):
                self._situate(self._desk)
        with telemetry.stage(telemetry.INGEST, "commit") as span:
            span.set({telemetry.CHANGES: len(self._changes)})
            self._write()

    def _write(self) -> None:
        self.memory.announce(self._seen.values())
        alive = {c.element_id for c in self._changes if isinstance(c, PutElement) and self._is_alive(c.element_id)}
        commit = Commit(tuple(self._changes), self._options.author, self._options.message or "ingest")
        made = self._catalog.commits.commit(self._scope, commit)
        counts = {"added": 0, "changed": 0, "unchanged": 0, "removed": 0, "chunks": 0}
        for change, outcome in zip(self._changes, made.outcomes, strict=True):
            if outcome.status != "applied":
                counts["unchanged"] += isinstance(change, PutElement)
            elif isinstance(change, PutElement):
                counts["changed" if change.element_id in alive else "added"] += 1
                counts["chunks"] += sum(len(state.derivation.chunks) for state in change.states)
            else:
                counts["removed"] += 1
        totals = {name: getattr(self.report, name) + count for name, count in counts.items()}
        revisions = self.report.revisions + made.changed
        self.report = replace(self.report, revision=made.revision, revisions=revisions, **totals)
        self._changes.clear()
        self._characters = 0

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

    def finish(self) -> None:
        """Commit what is left and remember the source as it was seen."""
        self._commit()
        self.memory.store(self._seen.values())


def _check_text(content: Content) -> None:
    """Front matter can spell what is no text; one such file must not spoil the commit of all others."""
    try:
        json.dumps([content.name, dict(content.metadata)], ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"its front matter holds a lone surrogate ({error.object[error.start]!a})") from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
