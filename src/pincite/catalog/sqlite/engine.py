"""How a catalog in a folder is found, opened and restored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pincite.catalog.sqlite.catalog import FILE, SqliteCatalog
from pincite.durable import copy_durably, sync_folder
from pincite.errors import InvalidArgument, UnknownArgument
from pincite.protocols import Catalog


class SqliteEngine:
    """Catalogs in one file of a folder, which also holds everything that is computed from them."""

    def exists(self, address: str) -> bool:
        path = self.folder(address) / FILE
        return path.exists() and path.stat().st_size > 0

    def open(self, address: str, settings: Mapping[str, object]) -> Catalog:
        for name in settings:
            raise UnknownArgument.named("setting of an embedded catalog", name, (), field="catalog_settings")
        folder = self.folder(address)
        if folder.exists() and not folder.is_dir():
            raise InvalidArgument(f"{address!r} is a file; a library is a folder", field="library")
        return SqliteCatalog(folder / FILE)

    def folder(self, address: str) -> Path:
        return Path(address).expanduser()

    def restore(self, backup: Path, address: str) -> None:
        folder = self.folder(address)
        copy_durably(backup / FILE, folder / FILE)
        sync_folder(folder)
