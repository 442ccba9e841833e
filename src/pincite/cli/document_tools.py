"""Commands for tools in YAML: tool run, tool list."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pincite.cli.session import AsJson, emit

tool = typer.Typer(help="Document tools of an agent.yaml: search as an agent does.", no_args_is_help=True)

File = Annotated[str, typer.Argument(metavar="FILE", help="YAML file with tools.")]


def register(app: typer.Typer) -> None:
    app.add_typer(tool, name="tool")


@tool.command(name="list")
def list_(file: File, json: AsJson = False) -> None:
    """List the tools of a file and what they are for.

    Example: pincite tool list agent.yaml
    """
    from pincite.document_tools import load_agent_file

    tools = load_agent_file(file).tools
    if json:
        emit({"tools": [item.model_dump(mode="json") for item in tools]})
        return
    for item in tools:
        typer.echo(f"{item.name:<20} {item.description or item.source}")


@tool.command()
def run(
    file: File,
    name: Annotated[str, typer.Argument(help="Name of the tool.")],
    query: Annotated[list[str], typer.Argument(help="What to look for.")],
    top_k: Annotated[int, typer.Option("--top-k", min=0, max=100, help="Passages; 0: as configured.")] = 0,
    json: AsJson = False,
) -> None:
    """Ask a tool and print what an agent would read. Its source is ingested first; unchanged files cost nothing.

    Example: pincite tool run agent.yaml handbook "how much leave is carried over?"
    """
    from pincite.document_tools import DocumentTool, load_agent_file

    config = load_agent_file(file).tool(name)
    with DocumentTool.open(config, base=Path(file).expanduser().parent) as opened:
        if not json:
            typer.echo(opened.format(opened.search(" ".join(query), top_k)))
            return
        emit(opened.to_wire(opened.answer(" ".join(query), top_k)))
