"""Which catalogs there are: ours in one table, those of other packages by entry points of `pincite.catalogs`.

A library's address names the engine: `name://…`, or a folder for the embedded one. An entry point names an object with
the methods of `CatalogEngine`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pincite import plugins
from pincite.catalog.sqlite.engine import SqliteEngine
from pincite.protocols import Catalog, CatalogEngine
from pincite.server_state import ApiKey

GROUP = "pincite.catalogs"
EMBEDDED = "sqlite"
"""The engine of a library whose address is a folder."""

_ENGINES: Mapping[str, CatalogEngine] = {EMBEDDED: SqliteEngine()}


def is_folder(address: str) -> bool:
    """Whether the address is a folder of this machine, and not `name://…`."""
    return "://" not in address


def engine_name(address: str) -> str:
    """The name in the table of the engine that an address belongs to."""
    return EMBEDDED if is_folder(address) else address.partition("://")[0]


def catalog_engine(address: str) -> CatalogEngine:
    """The engine that an address belongs to; `UnknownArgument` for a name that nobody has."""
    return plugins.named("catalog", engine_name(address), GROUP, _ENGINES, field="library")


def open_catalog(address: str, settings: Mapping[str, object] | None = None) -> Catalog:
    """The catalog at an address, made if it does not exist; `settings` are its engine's own."""
    return catalog_engine(address).open(address, settings or {})


def old_keys(path: Path) -> tuple[ApiKey, ...]:
    """API keys that an earlier version stored in a file of their own; none where there is no such file."""
    from pincite.catalog.sqlite.server.keys import keys_in

    return keys_in(path) if path.exists() else ()


def shown(address: str) -> str:
    """The address as messages show it: without the password that it may hold."""
    if is_folder(address):
        return address
    parts = urlsplit(address)
    if parts.password is None:
        return address
    user, _, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user.partition(':')[0]}:…@{host}").geturl()
