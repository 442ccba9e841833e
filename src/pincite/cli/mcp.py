"""The command for agents: mcp."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.cli.session import GlobalOptions, say, session
from pincite.errors import InvalidArgument

if TYPE_CHECKING:
    from pincite.serve.desk import Desk
    from pincite.serve.mcp.document_tools import ServedTools


def register(app: typer.Typer) -> None:
    app.command()(mcp)


def mcp(
    context: typer.Context,
    config: Annotated[
        str, typer.Option("--config", help="agent.yaml whose document tools are also served, each under its own name.")
    ] = "",
    http: Annotated[bool, typer.Option("--http", help="Use Streamable HTTP instead of stdio.")] = False,
    host: Annotated[
        str, typer.Option(help="Address for --http.", show_default="serve.host of the settings: 127.0.0.1")
    ] = "",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port for --http.", show_default="serve.port of the settings: 8080")
    ] = 0,
    log_format: Annotated[
        str,
        typer.Option(
            "--log-format", help="text, or json with a line for every request.", show_default="serve.log: text"
        ),
    ] = "",
) -> None:
    """Serve the library to agents over the Model Context Protocol, on standard input and output or over HTTP.

    Example: pincite --library handbook/.pincite mcp
    """
    given = session(context)
    if not http and (host or port):
        raise InvalidArgument("--host and --port need --http", field="http")
    tools = _document_tools(config)
    if http:
        _over_http(given, tools, host, port, log_format)
        return
    from pincite.serve.logs import configure
    from pincite.serve.mcp.stdio import serve_stdio
    from pincite.settings.serve import Log, log_settings

    configure(log_settings(Log(), log_format))  # until the settings are read, after the tool list is served
    with ExitStack() as held:
        serve_stdio(None if tools and not _has_library(given) else lambda: _desk(given, held, log_format), tools)


def _over_http(given: GlobalOptions, tools: ServedTools | None, host: str, port: int, log_format: str) -> None:
    from pincite.serve.mcp.streamable import serve_http

    with ExitStack() as held:
        desk = _desk(given, held, log_format)
        desk.library.warm_up()
        if tools is not None:
            held.callback(tools.close)
            tools.start()
        serve_http(desk, tools, host or desk.settings.host, port or desk.settings.port)


def _desk(given: GlobalOptions, held: ExitStack, log_format: str) -> Desk:
    """The library at its desk, with a log of its requests; closed with `held`."""
    from pincite.serve.desk import Desk
    from pincite.serve.logs import configure
    from pincite.serve.request_log import RequestLog
    from pincite.settings.serve import log_settings

    library = held.enter_context(given.open())
    configure(log_settings(library.config.serve.log, log_format))
    desk = Desk(library, observers=[RequestLog(library.config)])
    held.callback(desk.close)
    return desk


def _document_tools(file: str) -> ServedTools | None:
    if not file:
        return None
    from pincite.serve.mcp.installed import require_mcp

    require_mcp()
    from pincite.serve.mcp.document_tools import ServedTools

    return ServedTools(file)


def _has_library(given: GlobalOptions) -> bool:
    """Whether there is only an agent.yaml and no library; then only its tools are served."""
    from pincite.library import address_of, has_library

    settings = given.settings()
    if has_library(settings):
        return True
    say(f"there is no library at {address_of(settings)!r}: only the document tools are served")
    return False
