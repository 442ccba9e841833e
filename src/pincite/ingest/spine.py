"""The write spine: scan → read → derive → commit → index.

Incremental: an unchanged file costs a stat, a touched one a hash, an unchanged element of a changed file a comparison.
Changed, renamed and deleted files leave nothing behind at head. What cannot be read is reported and its last good
version is kept; the rest goes on. What is remembered of the source is part of each commit, so that an ingest which is
killed goes on where it was.
"""

from __future__ import annotations

import time
from dataclasses import replace

from pincite import telemetry
from pincite.advice import either
from pincite.errors import Conflict, InvalidArgument
from pincite.ingest.batch import Batch, derived
from pincite.ingest.claims import ElementClaims
from pincite.ingest.context_reports import ContextsEstimate
from pincite.ingest.contexts import ContextDesk
from pincite.ingest.looks import Looks
from pincite.ingest.memory import SourceMemory
from pincite.ingest.options import IngestOptions
from pincite.ingest.read_items import ItemReading, elements_of
from pincite.ingest.remote import gathered
from pincite.ingest.report import IngestReport, Progress, silent
from pincite.ingest.sources import FileFound, Scan, Skipped, Source, empty_is_meant, scan
from pincite.protocols import Catalog, Index
from pincite.types import Scope


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
    span: telemetry.OpenSpan,
) -> IngestReport:
    started, read_seconds = time.monotonic(), 0.0
    memory = SourceMemory(catalog.sources, scope, source.key, options.take_over)
    with gathered(source, options.kind.declares, memory.items, options.is_current) as seen:
        _refuse_emptied(source, seen, memory, options)
        looks = Looks(memory.items, options)
        claims = ElementClaims(memory, {file.name: file for file in seen.files}, looks, options.prefix)
        batch = Batch(catalog, index, scope, memory, claims, options, progress)
        with telemetry.span("read", {telemetry.FILES: len(seen.files)}):
            for number, file in enumerate(seen.files):
                progress("reading", number, len(seen.files))
                if looks.is_as_before(file):
                    batch.keep(file)
                else:
                    read_seconds += _read(file, memory, looks, claims, batch, options)
            progress("reading", len(seen.files), len(seen.files))
        batch.commit(_gone(source, seen, memory, batch))
        progress("indexing", 0, 1)
        with telemetry.stage(telemetry.INGEST, "index"):
            index.advance(scope)
        progress("indexing", 1, 1)
    _describe(batch, read_seconds, span)
    report, said = batch.report, batch.said
    contexts = report.contexts.note if report.contexts else ""
    return replace(
        report,
        failed=tuple(sorted((*seen.failed, *said.failed), key=lambda item: item.path)),
        skipped=tuple(sorted((*seen.skipped, *said.skipped), key=lambda item: item.path)),
        notes=(*memory.notes, *said.notes, *filter(None, (contexts,))),
        seconds=round(time.monotonic() - started, 3),
    )


def _refuse_emptied(source: Source, seen: Scan, memory: SourceMemory, options: IngestOptions) -> None:
    """A source that held files and now holds none was more likely not mounted than emptied."""
    if memory.items and not seen.files and not options.allow_empty and source.delivery is None:
        raise Conflict(
            f"{either(source.key, 'the source')} has no readable files, though the last ingest found"
            f" {len(memory.items)}; nothing was changed. If they are meant to be removed, {empty_is_meant()}",
            field="source",
        )


def _read(
    file: FileFound, memory: SourceMemory, looks: Looks, claims: ElementClaims, batch: Batch, options: IngestOptions
) -> float:
    """Read one file into the batch; the seconds that reading took."""
    recipe = options.recipe_of(file.path)
    reading = ItemReading(file, recipe, options.prefix, was_known=file.name in memory.items)
    batch.begin(reading)
    if problem := claims.begin(file.name):
        reading.fail(problem)
    else:
        reading.digest = looks.digest(file)
        for element in elements_of(options.kind, reading):
            batch.add(element, reading)
        _require_something(reading, options)
    batch.end(reading)
    return reading.seconds


def _require_something(reading: ItemReading, options: IngestOptions) -> None:
    """Whether an item that held elements and now holds none is meant is for a person to say."""
    if reading.seen or reading.failed:
        return
    if reading.was_known and not options.allow_empty:
        reading.fail(f"it is empty now; if that is intended, remove it or {empty_is_meant()}")
    elif not reading.was_known and not reading.passed_over:
        reading.leave_out("", "it is empty", harmless=True)


def _gone(source: Source, seen: Scan, memory: SourceMemory, batch: Batch) -> list[str]:
    """Items of the last ingest whose elements are to be removed: those that are no longer there, or are taken back."""
    gone = seen.gone(memory.items)
    if source.delivery is None:
        return gone
    there = {file.name for file in seen.files}
    unknown = source.delivery.withdrawn - memory.items.keys() - there
    reason = "was never handed over, so it cannot be withdrawn"
    batch.said.failed += [Skipped(name, reason) for name in sorted(unknown)]
    return [name for name in gone if name in source.delivery.withdrawn]


def _describe(batch: Batch, read_seconds: float, span: telemetry.OpenSpan) -> None:
    """What a trace and the metrics say of it. Reading and cutting take turns, file by file: they are summed."""
    telemetry.tell(telemetry.INGEST, "read", read_seconds)
    telemetry.tell(telemetry.INGEST, "cut", batch.cut_seconds)
    span.set(
        {
            telemetry.READ_SECONDS: round(read_seconds, 6),
            telemetry.CUT_SECONDS: round(batch.cut_seconds, 6),
            telemetry.CHUNKS: batch.report.chunks,
            telemetry.REVISION: batch.report.revision,
        }
    )


def estimate(catalog: Catalog, scope: Scope, source: Source, options: IngestOptions) -> ContextsEstimate:
    """What an ingest would have a context writer write. Nobody is asked, nothing is stored."""
    desk = ContextDesk(catalog, scope, options.contexts) if options.contexts else None
    total = desk.estimate([]) if desk else ContextsEstimate()
    if source.url:
        raise InvalidArgument("an address would have to be fetched; download the file for an estimate", field="source")
    looks = Looks(catalog.sources.items(scope, source.key), options)
    for file in scan(source, options.kind.declares).files:
        if looks.is_as_before(file):
            total = replace(total, unchanged=total.unchanged + looks.known[file.name].elements)
            continue
        reading = ItemReading(file, "", options.prefix)
        for element in elements_of(options.kind, reading):
            total += desk.estimate(derived(options.kind, element)) if desk else ContextsEstimate(documents=1)
        total = replace(total, failed=total.failed + bool(reading.failed or reading.passed_over))
    return total
