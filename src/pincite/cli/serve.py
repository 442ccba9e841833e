"""The command that opens the doors: HTTP, MCP and the page, and gRPC with a port."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.session import say, session

if TYPE_CHECKING:
    from pincite.settings import Config
    from pincite.settings.serve import ServeSettings


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.", show_default="serve.host: 127.0.0.1")] = "",
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Port; 0 for any free one.", show_default="serve.port: 8080")
    ] = None,
    grpc_port: Annotated[
        int | None, typer.Option("--grpc-port", min=1, max=65_535, help="Also serve gRPC on this port.")
    ] = None,
    grpc_reflection: Annotated[
        bool, typer.Option("--grpc-reflection", help="Let gRPC clients list the methods.")
    ] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Create an empty library if there is none, to be filled by uploads.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of worker processes.")] = 1,
    production: Annotated[
        bool, typer.Option("--production", help="Refuse plain HTTP and web pages served from this machine.")
    ] = False,
    certificate: Annotated[str, typer.Option(help="TLS certificate (PEM); with --key.")] = "",
    key: Annotated[str, typer.Option(help="Private key of the certificate (PEM).")] = "",
    shutdown_seconds: Annotated[
        float,
        typer.Option(
            "--shutdown-seconds", min=0, max=3_600, help="How long a running job may take to finish after SIGTERM."
        ),
    ] = 60.0,
    log_format: Annotated[
        str,
        typer.Option(
            "--log-format", help="text, or json with a line for every request.", show_default="serve.log: text"
        ),
    ] = "",
    openapi: Annotated[str, typer.Option("--openapi", help="Write the OpenAPI document to this file and exit.")] = "",
) -> None:
    """Serve HTTP, MCP (/mcp) and the web page; on loopback by default, on other addresses only with authentication.

    Example: pincite serve --port 8080 --workers 2
    """
    from pincite.extras import require

    require("http", "pincite serve", "fastapi", "uvicorn", "prometheus_client")
    if openapi:
        from pincite.serve.http.published import published

        Path(openapi).write_text(published(), encoding="utf-8")
        say(f"wrote {openapi}")
        return
    from pincite.serve.http.run import Serving
    from pincite.serve.http.run import serve as run
    from pincite.settings.serve import log_settings

    here = session(context)
    config = here.settings()
    log = log_settings(config.serve.log, log_format)
    given = {"host": host or None, "port": port, "production": production or None, "log": log}
    run(Serving(
        config, _over(config, given), here.roles, workers, grpc_port=grpc_port, grpc_reflection=grpc_reflection,
        certificate=certificate, key=key, shutdown_seconds=shutdown_seconds, create=create,
    ))  # fmt: skip


def _over(config: Config, given: dict[str, Any]) -> ServeSettings:
    """The settings, with command-line options taking precedence."""
    from pincite.serve.http.run import reachable

    return reachable(config.serve.model_copy(update={k: v for k, v in given.items() if v is not None}))
