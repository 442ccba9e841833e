"""Commands that rank an agent's tools: tools search, tools list."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, emit, say
from pincite.errors import InvalidArgument

tools = typer.Typer(
    help="Tools of agents: which of them fits a request? From MCP servers, tools/list files and function lists.",
    no_args_is_help=True,
)

WIDTH = 90

Given = Annotated[
    list[str],
    typer.Option("--tools", help="JSON file, URL of an MCP server, or the command that starts one (repeatable)."),
]
Header = Annotated[
    list[str] | None, typer.Option("--header", help="'Name: value' for MCP servers over HTTP (repeatable).")
]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds to wait for a server to answer.")]


def register(app: typer.Typer) -> None:
    app.add_typer(tools, name="tools")


@tools.command()
def search(
    request: Annotated[list[str], typer.Argument(help="The task, in words.")],
    given: Given,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="How many tools.")] = 5,
    header: Header = None,
    timeout: Timeout = 30.0,
    json: AsJson = False,
) -> None:
    """Rank tools for a request. Servers are only asked for their list of tools; no tool is called.

    Example: pincite tools search "will it rain tomorrow?" --tools tools.json --tools "python server.py"
    """
    from pincite.tool_index import ToolIndex, read_tools

    loaded = read_tools(given, headers=_headers(header), timeout_seconds=timeout)
    with ToolIndex(loaded) as index:
        found = index.search(" ".join(request), limit)
    if json:
        emit({"results": [asdict(match) for match in found], "notes": list(found.notes)})
        return
    for number, match in enumerate(found, start=1):
        place = f"{match.server}/{match.name}" if match.server else match.name
        typer.echo(f"{number}. {typer.style(place, bold=True)}   {match.score:.3f}")
        typer.echo(f"   {_short(match.description or match.title)}")
        typer.echo(f"   {typer.style(match.why, dim=True)}")
    if not found:
        typer.echo("no tool fits")
    for note in found.notes:
        say(f"note: {note}")


@tools.command(name="list")
def list_(given: Given, header: Header = None, timeout: Timeout = 30.0, json: AsJson = False) -> None:
    """List the tools of files and servers.

    Example: pincite tools list --tools https://example.org/mcp
    """
    from pincite.tool_index import read_tools

    loaded = read_tools(given, headers=_headers(header), timeout_seconds=timeout)
    if json:
        shown: list[dict[str, Any]] = [
            {"name": item.name, "server": item.server, "title": item.title, "description": item.description}
            | {"parameters": [asdict(parameter) for parameter in item.parameters], "definition": item.definition}
            for item in loaded
        ]
        emit({"tools": shown})
        return
    for item in loaded:
        place = f"{item.server}/{item.name}" if item.server else item.name
        typer.echo(f"{place:<32} {_short(item.description or item.title)}")


def _headers(given: list[str] | None) -> dict[str, str]:
    """`Name: value`; the value may be a secret, so an unreadable one is not repeated."""
    out = {}
    for number, header in enumerate(given or [], start=1):
        name, colon, value = header.partition(":")
        if not colon or not name.strip() or not value.strip():
            raise InvalidArgument(f"--header {number}: write it as 'Name: value'", field="header")
        out[name.strip()] = value.strip()
    return out


def _short(text: str) -> str:
    return textwrap.shorten(text, WIDTH, placeholder=" …")
