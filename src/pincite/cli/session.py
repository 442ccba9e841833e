"""What all commands share: opening the library, printing data, showing progress, reporting errors."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from pincite.errors import InvalidArgument, PinciteError

if TYPE_CHECKING:
    from pincite.library import Library
    from pincite.settings import Config

Update: TypeAlias = Callable[[str, int, int], None]
"""Receives the stage, how much of it is done, and the total."""
DETAIL = " · "
"""The text after it in the name of a stage is shown next to its rate, such as the cost so far."""

Repository = Annotated[
    str, typer.Option("--repository", "-r", help="Repository.", show_default="the one in the settings: main")
]
Repositories = Annotated[
    list[str] | None, typer.Option("--repository", "-r", help="Repository (repeatable).", show_default="all")
]
ReadContext = Annotated[
    str, typer.Option("--read-context", help="head, published, baseline:NAME, as_of:2026-01-31T12:00Z or revision:12.")
]
ValidAt = Annotated[
    str, typer.Option("--valid-at", help="Read what is in force on this date (2026-01-31 or 31.01.2026).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Author = Annotated[
    str, typer.Option("--author", envvar="PINCITE_AUTHOR", help="Who makes this change; stored in the history.")
]


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """Global options."""

    library: str
    config: str
    tenant: str
    organization: str
    roles: tuple[str, ...] | None
    progress: bool

    @contextmanager
    def open(self, *, create: bool = False) -> Iterator[Library]:
        """The library, closed at the end; `create` for commands that may create one."""
        from pincite.library import open_library

        with open_library(self.settings(), create=create, roles=self.roles) as library:
            yield library

    def settings(self) -> Config:
        """The configuration, with command-line options taking precedence."""
        from pincite.settings import load_config

        given = {"tenant": self.tenant, "organization": self.organization, "library": self.library}
        config = load_config(self.config or None)
        chosen = {name: value for name, value in given.items() if value}
        return load_config({**config.model_dump(exclude_unset=True), **chosen}) if chosen else config


def session(context: typer.Context) -> GlobalOptions:
    found = context.obj
    assert isinstance(found, GlobalOptions)
    return found


def emit(value: Any) -> None:
    """One JSON value on stdout."""
    unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    sys.stdout.write(json.dumps(value, ensure_ascii=not unicode, indent=2) + "\n")


def say(message: str) -> None:
    """A message for people, on stderr."""
    typer.echo(message, err=True)


def complain(error: PinciteError, *, as_json: bool, quiet: bool = False) -> int:
    """Report an error in the format the caller asked for; returns its exit code."""
    if as_json:
        emit(error.to_wire())
    if not quiet:
        say(f"pincite: {error.message}")
    return error.exit_code


def parse_filters(pairs: Sequence[str] | None, option: str = "--filter") -> dict[str, Any]:
    """`key=value` pairs; a repeated key means one of several values."""
    out: dict[str, Any] = {}
    for pair in pairs or []:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise InvalidArgument(f"{option} {pair!r}: write it as key=value", field=option.lstrip("-"))
        if key in out:
            known = out[key]
            out[key] = [*known, value] if isinstance(known, list) else [known, value]
        else:
            out[key] = value
    return out


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Update]:
    """A progress bar on stderr if it is a terminal; otherwise nothing."""
    if not wanted or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, tuple[Any, float]] = {}

        def update(stage: str, done: int, total: int) -> None:
            name, _, detail = stage.partition(DETAIL)
            if name not in tasks:
                tasks[name] = (bar.add_task(name, total=total, detail=""), time.monotonic())
            task, began = tasks[name]
            if detail:
                detail = f"{done / max(time.monotonic() - began, 1e-3):.1f}/s {detail}"
            bar.update(task, completed=done, total=total, detail=detail)

        yield update
