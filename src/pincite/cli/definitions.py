"""The command that looks a term up: definitions."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, ReadContext, Repositories, ValidAt, emit, say, session

WIDTH = 118


def register(app: typer.Typer) -> None:
    app.command("definitions")(definitions)


def definitions(
    context: typer.Context,
    term: Annotated[list[str], typer.Argument(help="The term, with or without quotes and article.")],
    repository: Repositories = None,
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    json: AsJson = False,
) -> None:
    """Show how documents define a term, with citations, and where they differ. Exit code 1 if none does.

    Example: pincite definitions Confidential Information
    """
    from pincite import wire

    with session(context).open() as library:
        found = library.definitions(
            " ".join(term), repository=repository or (), read_context=read_context or None, valid_at=valid_at
        )
    body = wire.looked_up(found)
    if json:
        emit(body)
    else:
        _render(body)
    if not body["definitions"]:
        raise typer.Exit(1)


def _render(body: dict[str, Any]) -> None:
    """By document: where the definition applies, what it says, its citation."""
    for item in body["definitions"]:
        holds = f"   (in {item['within'][-1]} only)" if item["within"] else ""
        typer.echo(typer.style(item["term"], bold=True) + f"   {' > '.join(item['parent_chain'])}{holds}")
        for line in textwrap.wrap(" ".join(item["text"].split()), WIDTH):
            typer.echo(f"   {line}")
        typer.echo("   " + typer.style(item["citation"], dim=True) + "\n")
    if body["conflicts"]:
        documents = len({(item["repository_id"], item["element_id"]) for item in body["definitions"]})
        say(f"conflict: {documents} documents define {body['term']!r} in different words")
    if not body["definitions"]:
        near = ", ".join(map(repr, body["nearest"]))
        typer.echo(f"no document defines {body['term']!r}" + (f"; similar defined terms: {near}" if near else ""))
