"""Commands that put things in and take them out: ingest, purge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pincite.cli.embed import summary
from pincite.cli.estimate import say_contexts, say_estimate
from pincite.cli.session import AsJson, Author, Repository, emit, progress_bar, say, session
from pincite.cli.watch import seconds, watch_source
from pincite.errors import InvalidArgument

if TYPE_CHECKING:
    from pincite.ingest.report import IngestReport

MAX_LISTED = 20


def register(app: typer.Typer) -> None:
    app.command()(ingest)
    app.command()(purge)


def ingest(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            help="Folder, file or https:// address: Markdown, text, PDF, Word, PowerPoint, Excel, HTML, CSV.",
            show_default=False,
        ),
    ],
    repository: Repository = "",
    include: Annotated[list[str] | None, typer.Option(help="Only files like this, e.g. '*.md' (repeatable).")] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Skip files like this, e.g. 'drafts/*' (repeatable).")
    ] = None,
    prefix: Annotated[str, typer.Option(help="Put this before each element id.")] = "",
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="If the source is empty, remove what came from it.")
    ] = False,
    take_over: Annotated[
        str,
        typer.Option(
            metavar="SOURCE", help="The source that moved here: its elements belong to this source from now on."
        ),
    ] = "",
    kind: Annotated[str, typer.Option(help="How the files are read and cut.")] = "documents",
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow an address in a private network or on this machine.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running and ingest changes until interrupted.")] = False,
    every: Annotated[str, typer.Option("--every", help="Pause between two scans with --watch.")] = "2s",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what the context model would write and cost.")
    ] = False,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Skip the vectors; add them later with: pincite embed.")
    ] = False,
    message: Annotated[str, typer.Option("--message", "-m", help="The reason, kept in the history.")] = "",
    author: Author = "",
    json: AsJson = False,
) -> None:
    """Bring a repository in line with a folder, a file or an address; unchanged files cost nothing.

    Example: pincite ingest handbook --repository policies
    """
    from pincite.library import check_source

    check_source(source, may_be_gone=allow_empty, allow_private=allow_private)
    pause = seconds(every)
    here = session(context)
    if dry_run:
        say_estimate(here, source, repository, include or (), exclude or (), prefix, kind, json=json)
        return
    if watch:
        with here.open(create=True) as library:
            options = {"prefix": prefix, "allow_empty": allow_empty, "author": author, "message": message}
            options |= {"take_over": take_over, "kind": kind}
            watch_source(
                library,
                source,
                pause,
                json=json,
                include=include or (),
                exclude=exclude or (),
                repository=repository,
                embedding=not no_embed,
                **options,
            )
        return
    with here.open(create=True) as library, progress_bar(here.progress) as progress:
        if library.is_new:
            say(f"created a new library in {library.address}")
        report = library.ingest(
            source,
            repository=repository,
            include=include or (),
            exclude=exclude or (),
            prefix=prefix,
            allow_empty=allow_empty,
            take_over=take_over,
            kind=kind,
            allow_private=allow_private,
            author=author,
            message=message,
            embedding=False,
            progress=progress,
        )
        _say_report(report, json=json)
        if not no_embed and library.config.dense != "off":
            embedded = library.embed(repository or library.config.repository, progress=progress)
            if embedded.embedded or embedded.parked:
                say(summary(embedded))
    if report.failed:
        raise typer.Exit(1)


def _say_report(report: IngestReport, *, json: bool) -> None:
    from pincite import wire

    if json:
        emit(wire.ingest_report(report))
    else:
        parts = [
            f"{report.added} added",
            f"{report.changed} changed",
            f"{report.unchanged} unchanged",
            f"{report.removed} removed",
        ]
        cut = f"{report.chunks} passage{'' if report.chunks == 1 else 's'} cut"
        typer.echo(f"{', '.join(parts)} in {report.seconds:.1f} s; revision {report.revision}, {cut}")
        if report.contexts is not None:
            say_contexts(report.contexts)
    for title, items in (("not read", report.failed), ("passed over", report.skipped)):
        for item in items[:MAX_LISTED]:
            say(f"{title}: {item.path}: {item.reason}")
        if len(items) > MAX_LISTED:
            say(f"{title}: {len(items) - MAX_LISTED} more (--json lists them all)")
    for note in report.notes[:MAX_LISTED]:
        say(f"note: {note}")
    if len(report.notes) > MAX_LISTED:
        say(f"note: {len(report.notes) - MAX_LISTED} more (--json lists them all)")


def purge(
    context: typer.Context,
    elements: Annotated[list[str], typer.Argument(help="Ids of the elements to erase.")],
    repository: Repository = "",
    reason: Annotated[str, typer.Option(help="The reason, kept with the tombstone; do not name anyone in it.")] = "",
    author: Author = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    json: AsJson = False,
) -> None:
    """Erase elements for good, from catalog, logs, caches and index. Backups made earlier still hold them.

    Example: pincite purge letters/2024-03.md --reason "request of 3 May" --yes
    """
    here = session(context)
    if not yes:
        if json:
            raise InvalidArgument("purge asks for confirmation; with --json, confirm with --yes", field="yes")
        typer.confirm(
            f"Erase {len(elements)} element(s) for good, with all versions and citations?", abort=True, err=True
        )
    with here.open() as library:
        committed = library.purge(elements, repository=repository, reason=reason, author=author)
        pending = library.catalog.traces_pending()
    if json:
        emit({"erased": len(elements), "revision": committed.revision, "traces_pending": pending})
    else:
        typer.echo(f"erased {len(elements)} element(s) at revision {committed.revision}")
    if pending:
        say("readers still hold the catalog's log; traces in it go once they close and the library is opened again")
