"""Opening a library: by folder, file or settings; and restoring one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pincite.catalog.open import shown
from pincite.errors import (
    NotFound,
    UnknownArgument,
)
from pincite.ingest.sources import open_source
from pincite.library.library import Library
from pincite.settings import Config, load_config
from pincite.upkeep.archive import Backup, restore_backup
from pincite.upkeep.stores import INDEX, folder_of, has_catalog


def check_source(source: str | Path, *, may_be_gone: bool = False, allow_private: bool = False) -> None:
    """Raise what `ingest` would raise for a missing source, before a library is created for it."""
    open_source(source, may_be_gone=may_be_gone, allow_private=allow_private)


def open_library(
    given: str | Path | Config | Mapping[str, Any] | None = None,
    *,
    create: bool = True,
    roles: Sequence[str] | None = None,
    **settings: Any,
) -> Library:
    """Open a library: a folder, an address, or what a YAML configuration describes. Created when it does not exist.

    `settings` override the configuration (`tenant="acme"`). `roles` restricts what this object reads to what those
    roles may read; None is the owner.
    """
    config = load_config(given)
    if settings:
        unknown = settings.keys() - Config.model_fields.keys()
        if unknown:
            raise UnknownArgument.named("setting", min(unknown), Config.model_fields)
        config = load_config({**config.model_dump(exclude_unset=True), **settings})
    if not create and not has_library(config):
        raise NotFound(
            f"there is no library at {shown(config.library)!r}; make one with: pincite ingest FOLDER", field="library"
        )
    return Library(config, roles=roles)


def address_of(config: Config) -> str:
    """Where the configuration says the library is, as messages show it: without a password."""
    return shown(config.library)


def has_library(config: Config) -> bool:
    """Whether there is a library at the configured place, intact or damaged."""
    return has_catalog(config) or (folder_of(config) / INDEX).exists()


def restore_library(backup: str | Path, target: str | Path) -> Backup:
    """Check a backup and put it where a library can be opened, a folder or an address; never over an existing one."""
    return restore_backup(Path(backup).expanduser(), str(target))
