"""Commands about settings files: config check, config schema."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli.session import AsJson, emit, say
from pincite.errors import UnknownArgument

config = typer.Typer(help="Settings files: check one, or get a schema for your editor.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(config, name="config")


@config.command()
def check(
    file: Annotated[str, typer.Argument(help="pincite.yaml or agent.yaml; recognised by its content.")],
    json: AsJson = False,
) -> None:
    """Report what is wrong with a settings file, or has no effect on this machine.

    Example: pincite config check agent.yaml
    """
    from pincite.cli.settings_files import check_file

    found = check_file(file)
    if json:
        emit({"file": file, "kind": found.kind, "ok": True, "tools": list(found.tools), "notes": list(found.notes)})
    elif found.kind == "agent":
        count = f"{len(found.tools)} tool{'' if len(found.tools) == 1 else 's'}"
        typer.echo(f"{file}: {count}: {', '.join(found.tools)}")
    else:
        typer.echo(f"{file}: settings of a library")
    for note in found.notes if not json else ():
        say(f"note: {note}")


@config.command()
def schema(
    what: Annotated[
        str, typer.Argument(help="agent, library, or a settings file of either kind.", show_default=True)
    ] = "agent",
    out: Annotated[str, typer.Option("--out", help="File to write.", show_default="stdout")] = "",
) -> None:
    """Print the JSON Schema of agent.yaml or pincite.yaml, for editors that complete and check YAML.

    Example: pincite config schema agent --out agent.schema.json
    """
    from pincite.cli.settings_files import KINDS, kind_of
    from pincite.cli.settings_files import schema as schema_of

    kind = next((known for known in KINDS if known == what), None)
    if kind is None:
        if Path(what).suffix.lower() not in (".yaml", ".yml"):
            raise UnknownArgument.named("kind of settings", what, KINDS, field="what")
        kind = kind_of(Path(what))
    body = schema_of(kind)
    if out:
        text = json_module.dumps(body, indent=2, ensure_ascii=False) + "\n"
        Path(out).expanduser().write_text(text, encoding="utf-8")
        say(f"wrote {out}")
    else:
        emit(body)
