"""Commands that read: search, replay, filters, get, verify."""

from __future__ import annotations

from typing import Annotated

import typer

from pincite.cli.render import render_answer, render_found, render_verdict
from pincite.cli.session import (
    AsJson,
    ReadContext,
    Repositories,
    Repository,
    ValidAt,
    emit,
    parse_filters,
    session,
)
from pincite.errors import InvalidArgument

MAX_VALUES = 8


def register(app: typer.Typer) -> None:
    for command in (search, replay, filters, get, verify):
        app.command()(command)


def search(
    context: typer.Context,
    query: Annotated[
        list[str], typer.Argument(help='Words or a question; also "a phrase", prefix*, AND, NOT, title:word.')
    ],
    repository: Repositories = None,
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    filter: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", help="key=value (repeatable); date_from=, date_to=; see: pincite filters."),
    ] = None,
    mode: Annotated[str, typer.Option(help="hybrid, semantic, keyword or exact.")] = "hybrid",
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many hits, 1 to 100.")] = 10,
    min_score: Annotated[float, typer.Option(help="Leave out hits below this score (0 to 1).")] = 0.0,
    group: Annotated[str, typer.Option(help="One hit per element or per chunk.")] = "element",
    passages: Annotated[
        int, typer.Option(help="Passages per element, 1 to 5; the others are listed below the best.")
    ] = 3,
    sort: Annotated[str, typer.Option(help="relevance, date_desc or date_asc.")] = "relevance",
    cursor: Annotated[str, typer.Option(help="For the next page: next_cursor of the previous one.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show which words found each hit.")] = False,
    json: AsJson = False,
) -> None:
    """Find passages, each with a citation that pins version and span.

    Example: pincite search "notice period" --read-context baseline:2026-Q1 --filter language=en
    """
    from pincite import wire

    with session(context).open() as library:
        answer = library.search(
            " ".join(query),
            repository=repository or (),
            mode=mode,
            limit=limit,
            min_score=min_score,
            read_context=read_context or None,
            valid_at=valid_at,
            filters=parse_filters(filter),
            cursor=cursor,
            group=group,
            passages=passages,
            sort=sort,
            explain=explain,
        )
    body = wire.answer(answer, library.describe)
    if json:
        emit(body)
    else:
        render_answer(body, explain=explain)


def replay(
    context: typer.Context,
    token: Annotated[str, typer.Argument(help="The replay token of an answer (search --json).")],
    json: AsJson = False,
) -> None:
    """Repeat an earlier answer exactly, whatever has been committed since.

    Example: pincite replay "$(pincite search leave --json | jq -r .replay.token)"
    """
    from pincite import wire

    with session(context).open() as library:
        body = wire.answer(library.replay(token), library.describe)
    if json:
        emit(body)
    else:
        render_answer(body, explain=False)


def filters(context: typer.Context, repository: Repositories = None, json: AsJson = False) -> None:
    """List the filters, with their values and the number of passages that have each.

    Example: pincite filters --repository policies
    """
    with session(context).open() as library:
        found = library.filters(repository or ())
    if json:
        emit({"filters": found})
        return
    for key, values in sorted(found.items()):
        common = sorted(values.items(), key=lambda item: (-item[1], item[0]))[:MAX_VALUES]
        more = f", … {len(values)} values" if len(values) > MAX_VALUES else ""
        typer.echo(f"{key}: {', '.join(f'{value} ({count})' for value, count in common)}{more}")


def get(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="Citation or element id.")],
    repository: Repository = "",
    section: Annotated[str, typer.Option(help="Section: 4.2, '§ 4.2', 'Art. 8' or its heading.")] = "",
    span: Annotated[str, typer.Option(help="Characters START-END.")] = "",
    version: Annotated[str, typer.Option(help="Version id, or its first 8 characters.")] = "",
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    neighbours: Annotated[int, typer.Option(min=0, max=20, help="Passages before and after.")] = 0,
    json: AsJson = False,
) -> None:
    """Read an element, section or span, as it is or as it was.

    Example: pincite get company/leave.md --section 4.2 --neighbours 1
    """
    from pincite import wire

    with session(context).open() as library:
        found = library.get(
            what,
            repository=repository,
            section=section,
            span=_span(span),
            version=version,
            read_context=read_context or None,
            valid_at=valid_at,
            neighbours=neighbours,
        )
    body = wire.found(found, library.describe)
    if json:
        emit(body)
    else:
        render_found(body)


def _span(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    start, dash, end = text.partition("-")
    if not (dash and start.isdigit() and end.isdigit()):
        raise InvalidArgument(f"--span {text!r}: write it as START-END, e.g. 120-480", field="span")
    return int(start), int(end)


def verify(
    context: typer.Context,
    quote: Annotated[str, typer.Argument(help="The quoted words.")],
    citation: Annotated[str, typer.Option(help="Where the quote should be; without it, anywhere.")] = "",
    repository: Repositories = None,
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    json: AsJson = False,
) -> None:
    """Check a quote: verified, altered, superseded, erased or not found. Exit code 1 if it is not correct.

    Example: pincite verify "26 working days" --citation pincite:default/default/main/company%2Fleave.md
    """
    from pincite import wire

    with session(context).open() as library:
        verdict = library.verify(
            quote, citation, repository=repository or (), read_context=read_context or None, valid_at=valid_at
        )
    body = wire.verdict(verdict, library.describe)
    if json:
        emit(body)
    else:
        render_verdict(body)
    if verdict.status in ("altered", "erased", "not_found"):
        raise typer.Exit(1)
