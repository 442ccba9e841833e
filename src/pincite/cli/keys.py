"""Commands about who may come in: keys create, list, revoke."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.session import AsJson, GlobalOptions, emit, say, session
from pincite.errors import PermissionDenied

if TYPE_CHECKING:
    from pincite.serve.auth.keys import KeyStore

keys = typer.Typer(help="API keys for the server: make, list and revoke them.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(keys, name="keys")


@keys.command()
def create(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", help="Whose key it is; shown in lists and in the audit log.")],
    repository: Annotated[
        list[str] | None,
        typer.Option("--repository", "-r", help="May read this one (repeatable).", show_default="all"),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option("--role", help="Reads what this role may read (repeatable).", show_default="the owner"),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            help="May do this (repeatable): search:read, index:write, baselines:write, admin:read.",
            show_default="search:read",
        ),
    ] = None,
    tenant: Annotated[str, typer.Option(help="Tenant.", show_default="that of the settings")] = "",
    organization: Annotated[str, typer.Option(help="Organization.", show_default="that of the settings")] = "",
    expires: Annotated[str, typer.Option(help="When it ends: 12h, 90d, 8w, 1y or 2027-01-31.")] = "",
    create_library: Annotated[
        bool, typer.Option("--create", help="Make an empty library where there is none, for uploads to fill.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Make a key. It is shown once: only its hash is kept. From then on the server asks everyone for one.

    Example: pincite keys create --name "reports of finance" --repository policies --expires 90d
    """
    from pincite.serve.auth.keys import DEFAULT_SCOPES, to_wire

    here = session(context)
    config = here.settings()
    with _store(here, create=create_library) as store:
        key, text = store.create(
            name,
            tenant=tenant or config.tenant,
            organization=organization or config.organization,
            scopes=scope or DEFAULT_SCOPES,
            repositories=repository,
            roles=role,
            expires=expires,
        )
    if json:
        emit(to_wire(key) | {"key": text})
        return
    typer.echo(text)
    say(f"key {key.id} for {key.name!r}; keep it now, it cannot be shown again")
    say("from now on the server asks everyone for a key, also on this machine")
    if not key.expires:
        say("it does not expire; make one that does with: --expires 90d")


@keys.command(name="list")
def list_(context: typer.Context, json: AsJson = False) -> None:
    """All keys, oldest first, with what each may do; never the keys themselves.

    Example: pincite keys list
    """
    from pincite.serve.auth.keys import to_wire

    with _store(session(context)) as store:
        found = [to_wire(key) for key in store.list()]
    if json:
        emit({"keys": found})
        return
    for item in found:
        typer.echo(_line(item))
    if not found:
        typer.echo("no keys yet; make one with: pincite keys create --name NAME")


@keys.command()
def revoke(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Id of the key, its name, or the key itself.")],
    json: AsJson = False,
) -> None:
    """Refuse a key from its next request on.

    Example: pincite keys revoke 4f7k2m9qxa
    """
    from pincite.serve.auth.keys import to_wire

    with _store(session(context)) as store:
        revoked = to_wire(store.revoke(key))
    if json:
        emit(revoked)
    else:
        typer.echo(f"key {revoked['id']} of {revoked['name']!r} is revoked since {revoked['revoked']}")


@contextmanager
def _store(here: GlobalOptions, *, create: bool = False) -> Iterator[KeyStore]:
    """The keys of the library that the options name; one that is not there has none, and is made only on request."""
    from pincite.serve.auth.verifier import keys_of

    if here.roles is not None:
        raise PermissionDenied("a caller limited to roles may not decide who comes in; leave --role out")
    with here.open(create=create) as library:
        yield keys_of(library, library.config.serve.auth)


def _line(item: dict[str, Any]) -> str:
    where = f"{item['tenant']}/{item['organization']}/" + (",".join(item["repositories"] or ()) or "*")
    roles = f"  roles {','.join(item['roles'])}" if item["roles"] else ""
    until = f"  until {item['expires'][:10]}" if item["expires"] else ""
    return f"{item['id']}  {item['state']:<7}  {item['name']}  {where}  {','.join(item['scopes'])}{roles}{until}"
