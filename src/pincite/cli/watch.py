"""`pincite ingest --watch`: one line per change, until interrupted."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from pincite.cli.session import emit, say
from pincite.errors import InvalidArgument, PinciteError

if TYPE_CHECKING:
    from pincite.ingest.report import IngestReport
    from pincite.ingest.watch import FilesChanged
    from pincite.library import Library

_PAUSE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}


def seconds(given: str) -> float:
    """An interval as people write it: 2s, 500ms, 1m."""
    match = _PAUSE.fullmatch(given.strip())
    pause = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not 0.05 <= pause <= 86_400:
        raise InvalidArgument(f"--every {given!r} is not a valid interval; write 2s, 500ms or 1m", field="every")
    return pause


def watch_source(library: Library, source: str, pause: float, *, json: bool, **options: Any) -> None:
    """Take in what changes until interrupted; an ingest under way is finished first."""
    with _interrupted() as stop:
        outcomes = library.watch(source, every_seconds=pause, stop=stop, **options)
        for number, (change, outcome) in enumerate(outcomes):
            if isinstance(outcome, PinciteError):
                say(f"not now: {outcome.message}")
                continue
            _say_change(change, outcome, json=json, first=number == 0)
            if number == 0:
                say(f"watching {source}, every {pause:g} s; stop with Ctrl-C")
    say("stopped watching; what was committed stays committed")


def _say_change(change: FilesChanged, report: IngestReport, *, json: bool, first: bool) -> None:
    """What became of the files that changed; at first, of all."""
    from pincite import wire

    if json:
        emit(wire.ingest_report(report))
    elif first:
        counts = f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged"
        typer.echo(f"{counts}, {report.removed} removed; revision {report.revision}")
    names = (("added", change.added), ("changed", change.changed), ("removed", change.removed))
    troubled = {item.path for item in (*report.failed, *report.skipped)}
    for what, file in ((what, file) for what, files in names for file in files):
        if not json and file not in troubled:
            typer.echo(f"{what} {file} (revision {report.revision})")
    news = {file for _, files in names for file in files}
    for title, items in (("not read", report.failed), ("passed over", report.skipped)):
        for item in items:
            if first or item.path in news:
                say(f"{title}: {item.path}: {item.reason}")


@contextmanager
def _interrupted() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; a second Ctrl-C interrupts at once."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def on_signal(number: int, _frame: object) -> None:
        stop.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
