"""The command that computes vectors: embed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.session import AsJson, Repository, Update, emit, say, session

if TYPE_CHECKING:
    from pincite.ingest.embed import EmbedReport


def register(app: typer.Typer) -> None:
    app.command()(embed)


def embed(
    context: typer.Context,
    repository: Repository = "",
    model: Annotated[str, typer.Option("--model", help="Embedder.", show_default="the one in use")] = "",
    retry_parked: Annotated[
        bool, typer.Option("--retry-parked", help="Retry texts that failed too often before.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Compute the missing vectors. Can be stopped and continued, and run in several processes at once.

    Exit code 1 if texts failed too often. Example: pincite embed --repository policies
    """
    here = session(context)
    with here.open() as library, embedding_bar(here.progress) as progress:
        report = library.embed(repository, model=model, retry_parked=retry_parked, progress=progress)
    if json:
        emit(wire_report(report))
    else:
        typer.echo(summary(report))
        for item in report.reasons:
            say(f"parked: {item.text!r}: {item.reason}")
        if report.parked > len(report.reasons):
            say(f"parked: {report.parked - len(report.reasons)} more")
        if report.parked:
            say("retry them with: pincite embed --retry-parked")
    if report.parked:
        raise typer.Exit(1)


def summary(report: EmbedReport) -> str:
    """One line: what a run did, and the share of texts that have vectors now."""
    parts = [f"{report.embedded} embedded in {report.seconds:.1f} s ({report.rate:.1f}/s)"]
    counts = (
        (report.already_there, "already embedded"),
        (report.failed, "attempts failed"),
        (report.parked, "parked"),
        (report.waiting, "still waiting"),
    )
    parts += [f"{count} {what}" for count, what in counts if count]
    # Rounded down: 99.99 % must not be shown as complete.
    return f"{', '.join(parts)}; {int(report.coverage * 1000) / 10:.1f} % of the texts have their vectors"


def wire_report(report: EmbedReport) -> dict[str, Any]:
    """The result of a run, as JSON."""
    return {
        "embedded": report.embedded,
        "already_there": report.already_there,
        "failed": report.failed,
        "parked": report.parked,
        "reasons": [{"text": item.text, "reason": item.reason} for item in report.reasons],
        "waiting": report.waiting,
        "vectors": report.vectors,
        "coverage": report.coverage,
        "rate": report.rate,
        "seconds": report.seconds,
    }


@contextmanager
def embedding_bar(wanted: bool) -> Iterator[Update]:
    """A bar with rate and time left on stderr if it is a terminal; otherwise nothing."""
    if not wanted or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, tuple[Any, float, int]] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = (bar.add_task(stage, total=total, rate=""), time.monotonic(), done)
            task, began, first = tasks[stage]
            rate = (done - first) / max(time.monotonic() - began, 1e-3)
            bar.update(task, completed=done, total=total, rate=f"{rate:.1f}/s" if stage == "embedding" else "")

        yield update
