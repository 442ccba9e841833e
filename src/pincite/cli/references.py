"""The command that follows cross-references, in both directions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, ReadContext, Repository, ValidAt, emit, session


def register(app: typer.Typer) -> None:
    app.command()(references)


def references(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="Element id or citation; ELEMENT#SECTION for one section of it.")],
    incoming: Annotated[
        bool, typer.Option("--incoming", help="List what refers to it, instead of what it refers to.")
    ] = False,
    unresolved: Annotated[
        bool, typer.Option("--unresolved", help="Only references whose target is not in the library.")
    ] = False,
    repository: Repository = "",
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    json: AsJson = False,
) -> None:
    """List the sections and documents that a text refers to, or that refer to it.

    Example: pincite references company/leave.md#4.2 --incoming
    """
    from pincite import wire

    element, _, section = what.partition("#") if not what.startswith("pincite:") else (what, "", "")
    with session(context).open() as library:
        found = library.references(
            element,
            section=section,
            incoming=incoming,
            unresolved=unresolved,
            repository=repository,
            read_context=read_context or None,
            valid_at=valid_at,
        )
    body = wire.references(found)
    if json:
        emit(body)
        return
    for item in body["references"]:
        typer.echo(_line(item, incoming=incoming))
    typer.echo(_summary(body, incoming=incoming, unresolved=unresolved), err=True)


def _line(item: dict[str, Any], *, incoming: bool) -> str:
    source = _place(item["source"] if incoming else "", item["source_section"])
    if item["status"] == "unresolved":
        return f"{source}  {item['text']!r} → unresolved: {item['reason']}"
    target = _place("" if item["target"] == item["source"] and not incoming else item["target"], item["target_section"])
    return f"{source}  {item['text']!r} → {target}"


def _place(element: str, section: str | None) -> str:
    return f"{element}#{section}" if element and section else element or f"#{section or ''}"


def _summary(body: dict[str, Any], *, incoming: bool, unresolved: bool) -> str:
    if unresolved:
        return f"{body['total']} unresolved"
    what = "references to it" if incoming else "references"
    return f"{body['total']} {what}, {body['unresolved']} unresolved"
