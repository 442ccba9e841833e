"""The program: its global options, its commands, and how errors become exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from pincite.cli import (
    definitions,
    document_tools,
    embed,
    evaluate,
    explain,
    keys,
    maintain,
    mcp,
    models,
    read,
    references,
    reindex,
    serve,
    settings,
    state,
    tools,
    tune,
    write,
)
from pincite.cli.session import GlobalOptions, complain
from pincite.errors import InvalidArgument, PinciteError, StorageFull, Unavailable, UnknownArgument

app = typer.Typer(
    name="pincite",
    help="Find the passage that answers a question, and cite it so that the citation still holds tomorrow.",
    epilog="Example: pincite ingest handbook && pincite search 'annual leave'",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

TERMINATED = 143
"""128 + SIGTERM, the shells' convention."""
INTERRUPTED = 130
"""The exit code typer gives for an interrupt: 128 + SIGINT, the shells' convention."""


def _version(show: bool) -> None:
    if show:
        from pincite import __version__

        typer.echo(f"pincite {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    library: Annotated[
        str,
        typer.Option(
            "--library",
            envvar="PINCITE_LIBRARY",
            help="A folder, or an address: name://…",
            show_default="./.pincite",
        ),
    ] = "",
    config: Annotated[str, typer.Option("--config", envvar="PINCITE_CONFIG", help="YAML file with settings.")] = "",
    tenant: Annotated[str, typer.Option(help="Tenant, for libraries with several.")] = "",
    organization: Annotated[str, typer.Option(help="Organization within the tenant.")] = "",
    role: Annotated[list[str] | None, typer.Option(help="Read only what this role may read (repeatable).")] = None,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bars.")] = False,
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    context.obj = GlobalOptions(
        library, config, tenant, organization, None if not role else tuple(role), not no_progress
    )


for module in (
    write,
    embed,
    read,
    definitions,
    references,
    explain,
    state,
    evaluate,
    tune,
    models,
    maintain,
    reindex,
    document_tools,
    tools,
    settings,
    keys,
    mcp,
    serve,
):
    module.register(app)


def main() -> None:
    """Run the program and exit with a code that says what happened."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # any file name or query can be printed, if necessary as an escape
            stream.reconfigure(errors="backslashreplace")
    with _leaving_in_order_when_terminated():
        try:
            code = _run()
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of our output closed the pipe; flushing the rest at exit must not raise again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
    sys.exit(code)


@contextmanager
def _leaving_in_order_when_terminated() -> Iterator[None]:
    """SIGTERM unwinds the command, so that temporary folders are removed; afterwards its old handler is back."""
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        # None: the handler was not set from Python, so only the default can be restored.
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def _run() -> int:
    as_json = "--json" in sys.argv
    try:
        # Not standalone: typer would print its usage errors as text only.
        code = int(app(standalone_mode=False) or 0)
        if code == INTERRUPTED:
            typer.echo("interrupted; what was committed stays committed", err=True)
        return code
    except PinciteError as error:
        return complain(error, as_json=as_json)
    except typer.Abort:
        typer.echo("stopped; nothing was changed", err=True)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:
        kind = StorageFull if error.errno == errno.ENOSPC else Unavailable
        return complain(kind(f"{error.filename or 'the system'}: {error.strerror or error}"), as_json=as_json)
    except Exception as error:  # typer's usage errors share no public class; anything else goes on
        show = getattr(error, "show", None)
        if show is None:
            raise
        if as_json:
            complain(_usage_error(error), as_json=True, quiet=True)
        show()
        return int(getattr(error, "exit_code", 2))


def _usage_error(error: Exception) -> InvalidArgument:
    """A usage error of typer in our format: which option, and what was probably meant."""
    said = getattr(error, "format_message", None)
    message = said() if said else str(error)
    unknown = getattr(error, "option_name", "") or ""
    name = unknown or getattr(getattr(error, "param", None), "name", "") or ""
    near = tuple(getattr(error, "possibilities", None) or ())
    return (UnknownArgument if unknown else InvalidArgument)(message, field=name.lstrip("-"), suggestions=near)
