"""Commands that examine answers: why-not, compare, context."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, ReadContext, Repositories, ValidAt, emit, parse_filters, say, session

QueryWords = Annotated[list[str], typer.Argument(help="The query, as for search.")]
Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", "-f", help="key=value (repeatable); date_from=, date_to=; see: pincite filters."),
]
Mode = Annotated[str, typer.Option(help="hybrid, semantic, keyword or exact.")]


def register(app: typer.Typer) -> None:
    app.command("why-not")(why_not)
    app.command("compare")(compare)
    app.command("context")(gather)


def why_not(
    context: typer.Context,
    element: Annotated[str, typer.Argument(help="Element id or citation.")],
    query: QueryWords,
    repository: Repositories = None,
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    filter: Filters = None,
    mode: Mode = "hybrid",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Hits on the page, 1 to 100.")] = 10,
    min_score: Annotated[float, typer.Option(help="The min-score of the search (0 to 1).")] = 0.0,
    json: AsJson = False,
) -> None:
    """Explain why an element is not in the answer to a query, or where it is.

    Example: pincite why-not company/leave.md notice period --filter language=de
    """
    from pincite import wire

    with session(context).open() as library:
        found = library.why_not(
            element,
            " ".join(query),
            repository=repository or (),
            mode=mode,
            limit=limit,
            min_score=min_score,
            read_context=read_context or None,
            valid_at=valid_at,
            filters=parse_filters(filter),
        )
    body = wire.why_not(found)
    if json:
        emit(body)
    else:
        _render_why_not(body)


def _render_why_not(body: dict[str, Any]) -> None:
    typer.echo(f"{body['verdict']}: {body['message']}")
    for leg, score in body["legs"].items():
        typer.echo(f"   {leg}: " + (f"rank {score['rank']}, score {score['score']:.3f}" if score else "no rank"))
    if body["citation"]:
        typer.echo(f"   {body['citation']}")
    _render_notes(body)


def compare(
    context: typer.Context,
    query: QueryWords,
    old: Annotated[str, typer.Option("--from", help="Read context or revision number.")],
    new: Annotated[str, typer.Option("--to", help="Read context or revision number.")] = "head",
    repository: Repositories = None,
    valid_at: ValidAt = "",
    filter: Filters = None,
    mode: Mode = "hybrid",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Hits on each page, 1 to 100.")] = 10,
    json: AsJson = False,
) -> None:
    """Compare the answers to a query in two states of the library: what appeared, vanished, changed and moved.

    Example: pincite compare annual leave --from baseline:2026-Q1 --to head
    """
    from pincite import wire

    with session(context).open() as library:
        found = library.compare(
            " ".join(query),
            _state(old),
            _state(new),
            repository=repository or (),
            mode=mode,
            limit=limit,
            valid_at=valid_at,
            filters=parse_filters(filter),
        )
    body = wire.comparison(found)
    if json:
        emit(body)
    else:
        _render_comparison(body)


def _state(text: str) -> str:
    return f"revision:{text}" if text.isdigit() else text


def _render_comparison(body: dict[str, Any]) -> None:
    """One line per element with its ranks and why, then its citations."""
    changes = ("appeared", "vanished", "changed", "moved", "same")
    for change in changes:
        for hit in body[change]:
            before, after = hit["before"], hit["after"]
            why = f": {hit['why']}" if hit["why"] else ""
            typer.echo(f"{change:<9} {_rank(before):>3} → {_rank(after):<3} {hit['element_id']}{why}")
            cited = dict.fromkeys(side["citation"] for side in (before, after) if side)
            for citation in cited if change != "same" else ():
                typer.echo(f"{'':21}{citation}")
    if not any(body[change] for change in changes):
        typer.echo("nothing matches in either state")
    _render_notes(body)


def _rank(side: dict[str, Any] | None) -> str:
    return str(side["rank"]) if side else "–"


def gather(
    context: typer.Context,
    query: QueryWords,
    max_tokens: Annotated[int, typer.Option(help="Maximum tokens of the whole text.")] = 4_000,
    no_definitions: Annotated[bool, typer.Option("--no-definitions", help="Leave out definitions of terms.")] = False,
    no_relationships: Annotated[
        bool, typer.Option("--no-relationships", help="Leave out what the passages refer to.")
    ] = False,
    repository: Repositories = None,
    read_context: ReadContext = "",
    valid_at: ValidAt = "",
    filter: Filters = None,
    mode: Mode = "hybrid",
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many passages to consider, 1 to 100.")] = 20,
    json: AsJson = False,
) -> None:
    """Collect passages for a prompt, each with its citation, within a budget of tokens.

    Example: pincite context "how much leave is there" --max-tokens 1500
    """
    from pincite import wire

    with session(context).open() as library:
        found = library.context(
            " ".join(query),
            max_tokens=max_tokens,
            include_definitions=not no_definitions,
            include_relationships=not no_relationships,
            repository=repository or (),
            mode=mode,
            limit=limit,
            read_context=read_context or None,
            valid_at=valid_at,
            filters=parse_filters(filter),
        )
    body = wire.context(found)
    if json:
        emit(body)
    else:
        _render_context(body)


def _render_context(body: dict[str, Any]) -> None:
    """The text on stdout, ready to be piped; why each part is there on stderr."""
    if body["context"]:
        typer.echo(body["context"])
        say("")
    for number, source in enumerate(body["sources"], start=1):
        say(f"[{number}] {source['element_id']}: {source['why_included']}")
    _render_notes(body)
    say(f"{body['tokens']} of {body['max_tokens']} tokens")


def _render_notes(body: dict[str, Any]) -> None:
    for note in body["notes"]:
        say(f"note: {note}")
