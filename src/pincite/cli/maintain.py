"""Maintenance commands: status, doctor, rebuild, backup, restore."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, Repository, emit, say, session

MARKS = {"ok": "ok     ", "warning": "WARNING", "problem": "PROBLEM"}


def register(app: typer.Typer) -> None:
    for command in (status, doctor, rebuild, backup, restore):
        app.command()(command)


def status(context: typer.Context, repository: Repository = "", json: AsJson = False) -> None:
    """Show what the library contains: revisions, chunks, segments, generations, lag.

    Example: pincite status --json
    """
    from pincite import wire

    with session(context).open() as library:
        found = [wire.repository_status(info, index) for info, index in library.status(repository)]
        where, identity = library.address, library.catalog.library_id
        with library.catalog.operator() as operator:
            counts = operator.queue.totals()
        model = {"name": library.model.name, "note": library.model_note()}
    if json:
        body = {"library": where, "library_id": identity, "embedding_model": model, "embedding_queue": counts}
        emit({**body, "repositories": found})
        return
    typer.echo(f"library {where}")
    for item in found:
        _show_status(item)
    if not found:
        typer.echo("the library is empty; add something with: pincite ingest FOLDER")
    waiting = [f"{counts[state]} {state}" for state in ("waiting", "claimed", "parked") if counts.get(state)]
    if waiting:
        say(f"texts without vectors: {', '.join(waiting)}; compute them with: pincite embed")
    if model["note"]:
        say(model["note"])


def _show_status(item: dict[str, Any]) -> None:
    index = item["index"]
    lag = f", {index['lag']} revision(s) behind" if index["lag"] else ", up to date"
    size = sum(segment["bytes"] for segment in index["segments"])
    typer.echo(
        f"  {item['repository_id']}: revision {item['head']}; index {index['generation'] or 'none'} at revision"
        f" {index['revision']}{lag}; {index['chunks']} chunks in {len(index['segments'])} segment(s),"
        f" {size / 1e6:.1f} MB"
    )
    if index["problem"]:
        say(f"PROBLEM: {index['problem']}")


def doctor(context: typer.Context, json: AsJson = False) -> None:
    """Run real queries against every leg, verify all checksums and say what to do. Exit code 1 if there is a problem.

    Example: pincite doctor
    """
    from pincite import wire

    with session(context).open() as library:
        health = library.health(deep=True)
    if json:
        emit(wire.health(health))
    else:
        for finding in health.findings:
            _show_finding(finding.what, wire.finding(finding))
        for item in health.repositories:
            for finding in item.findings:
                _show_finding(f"{item.info.scope.repository}: {finding.what}", wire.finding(finding))
    if not health.ok:
        raise typer.Exit(1)


def _show_finding(what: str, finding: dict[str, Any]) -> None:
    took = f" ({finding['ms']:.1f} ms)" if finding["ms"] else ""
    typer.echo(f"{MARKS[finding['status']]} {what}: {finding['detail']}{took}")
    if finding["advice"] and finding["status"] != "ok":
        typer.echo(f"        → {finding['advice']}")


def rebuild(context: typer.Context, repository: Repository = "", json: AsJson = False) -> None:
    """Rebuild the index from the catalog and switch to it; searches continue meanwhile.

    Example: pincite rebuild --repository policies
    """
    started = time.monotonic()
    with session(context).open() as library:
        made = library.rebuild(repository)
    if json:
        emit({"rebuilt": [{"generation": m.generation, "revision": m.revision, "chunks": m.chunks} for m in made]})
        return
    for item in made:
        typer.echo(f"generation {item.generation} at revision {item.revision}, {item.chunks} chunks")
    say(f"done in {time.monotonic() - started:.1f} s")


def backup(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="New folder for the backup.")],
    json: AsJson = False,
) -> None:
    """Make a consistent copy of the library while others read and write.

    Example: pincite backup backups/2026-01-31
    """
    from pincite import wire

    with session(context).open() as library:
        made = library.backup(target)
    if json:
        emit(wire.backup(made))
    else:
        typer.echo(f"{made.files} files, {made.bytes / 1e6:.1f} MB, in {made.path} ({made.seconds:.1f} s)")


def restore(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="Folder of the backup.")],
    target: Annotated[
        str, typer.Argument(help="New folder for the library.", show_default="the library's own folder")
    ] = "",
    json: AsJson = False,
) -> None:
    """Check a backup and restore it to a new folder; never over an existing library.

    Example: pincite restore backups/2026-01-31 restored
    """
    from pincite import wire
    from pincite.library import restore_library
    from pincite.settings import load_config

    here = session(context)
    made = restore_library(source, target or here.library or load_config(here.config or None).library)
    if json:
        emit(wire.backup(made))
    else:
        typer.echo(f"restored {made.files} files to {made.path}; open it with: pincite --library {made.path} status")
