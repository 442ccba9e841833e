"""Commands about states of a repository: log, history, diff, baseline create, list, publish, rollback."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, Author, Repository, emit, say, session

baselines = typer.Typer(help="Name states of a repository, and choose the published one.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of the baseline.")]


def register(app: typer.Typer) -> None:
    for command in (log, history, diff):
        app.command()(command)
    app.add_typer(baselines, name="baseline")


def log(
    context: typer.Context,
    repository: Repository = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many revisions.")] = 20,
    json: AsJson = False,
) -> None:
    """List the revisions of a repository, newest first.

    Example: pincite log --limit 5
    """
    from pincite import wire

    with session(context).open() as library:
        found = [wire.revision(item) for item in library.revisions(repository=repository, limit=limit)]
    if json:
        emit({"revisions": found})
        return
    for item in found:
        typer.echo(f"revision {item['revision']:>4} ({_day(item)}) {item['message']}  {item['author']}".rstrip())


def history(
    context: typer.Context,
    element: Annotated[str, typer.Argument(help="Element id or citation.")],
    repository: Repository = "",
    json: AsJson = False,
) -> None:
    """List the versions of an element with the revisions in which each was current, oldest first.

    Example: pincite history company/leave.md
    """
    from pincite import wire

    with session(context).open() as library:
        lives = [wire.life(life) for life in library.history(element, repository=repository)]
    if json:
        emit({"element_id": lives[0]["element_id"], "history": lives})
        return
    for life in lives:
        until = f"to revision {life['died']['revision']} ({_day(life['died'])})" if life["died"] else "until now"
        typer.echo(f"revision {life['born']['revision']:>4} ({_day(life['born'])}) {until}: {life['element_name']}")
        typer.echo(f"    {life['citation']}")


def _day(moment: dict[str, Any]) -> str:
    return str(moment["time"])[:16].replace("T", " ")


def diff(
    context: typer.Context,
    old: Annotated[str, typer.Option("--from", help="Read context or revision number.")],
    new: Annotated[str, typer.Option("--to", help="Read context or revision number.")] = "head",
    repository: Repository = "",
    json: AsJson = False,
) -> None:
    """Show what changed between two states of a repository.

    Example: pincite diff --from baseline:2026-Q1 --to head
    """
    from pincite import wire

    with session(context).open() as library:
        changes = [wire.change(c) for c in library.diff(_state(old), _state(new), repository=repository)]
    if json:
        emit({"from": old, "to": new, "changes": changes})
        return
    for change in changes:
        typer.echo(f"{change['change']:<10} {change['element_id']}  ({change['element_name']})")
    if not changes:
        typer.echo("no difference")


def _state(text: str) -> str:
    return f"revision:{text}" if text.isdigit() else text


@baselines.command()
def create(
    context: typer.Context,
    name: Name,
    repository: Repository = "",
    revision: Annotated[int | None, typer.Option(help="Revision to name.", show_default="head")] = None,
    note: Annotated[str, typer.Option(help="What it is for.")] = "",
    author: Author = "",
    json: AsJson = False,
) -> None:
    """Name a revision.

    Example: pincite baseline create 2026-Q1
    """
    from pincite import wire

    with session(context).open() as library:
        made = wire.baseline(
            library.baselines.create(name, repository=repository, revision=revision, author=author, note=note)
        )
    _show(made, json=json, verb="is")


@baselines.command(name="list")
def list_(context: typer.Context, repository: Repository = "", json: AsJson = False) -> None:
    """List all baselines, oldest first; the published one is marked.

    Example: pincite baseline list
    """
    from pincite import wire

    with session(context).open() as library:
        found = [wire.baseline(item) for item in library.baselines.list(repository=repository)]
    if json:
        emit({"baselines": found})
        return
    for item in found:
        mark = "*" if item["published"] else " "
        typer.echo(
            f"{mark} {item['baseline_id']}  revision {item['revision']}  {item['created']}  {item['note']}".rstrip()
        )
    if not found:
        typer.echo("no baselines yet; create one with: pincite baseline create NAME")


@baselines.command()
def publish(
    context: typer.Context, name: Name, repository: Repository = "", author: Author = "", json: AsJson = False
) -> None:
    """Publish a baseline; refused if the settings have a `gate:` and its golden queries get worse.

    Example: pincite baseline publish 2026-Q1
    """
    from pincite import wire

    with session(context).open() as library:
        made = wire.baseline(library.baselines.publish(name, repository=repository, author=author))
        if library.is_gated(repository):
            say("the golden queries of the gate passed")
    _show(made, json=json, verb="is published at")


@baselines.command()
def rollback(context: typer.Context, repository: Repository = "", author: Author = "", json: AsJson = False) -> None:
    """Publish the previously published baseline again.

    Example: pincite baseline rollback
    """
    from pincite import wire

    with session(context).open() as library:
        made = wire.baseline(library.baselines.rollback(repository=repository, author=author))
    _show(made, json=json, verb="is published again at")


def _show(baseline: dict[str, object], *, json: bool, verb: str) -> None:
    if json:
        emit(baseline)
    else:
        typer.echo(f"baseline {baseline['baseline_id']!r} {verb} revision {baseline['revision']}")
