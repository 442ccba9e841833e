"""Engines: how the catalogs and indexes of one kind are found, opened, copied and restored.

`catalog/open.py` and `index/open.py` hold the tables; other packages add to them by entry points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pincite.protocols.catalog import Catalog
from pincite.protocols.index import Index
from pincite.types import RepositoryInfo


class CatalogEngine(Protocol):
    """Catalogs of one kind. An address is a folder, or `name://…` where `name` is the engine's in the table."""

    def exists(self, address: str) -> bool:
        """Whether there is a catalog, sound or damaged. Makes nothing."""

    def open(self, address: str, settings: Mapping[str, object]) -> Catalog:
        """The catalog, made if it does not exist. `settings` are the engine's own; it refuses unknown ones."""

    def folder(self, address: str) -> Path:
        """Where this machine keeps what it computes from the catalog: index, words, uploads."""

    def restore(self, backup: Path, address: str) -> None:
        """Make the catalog at an address that has none from the files that `Catalog.backup` wrote into a folder."""


class IndexEngine(Protocol):
    """Indexes of one kind. An address is the engine's name in the table, or `name://…`."""

    def open(self, address: str, folder: Path, catalog: Catalog, settings: Mapping[str, object]) -> Index:
        """The index of a catalog; `MissingExtra` where packages are missing.

        `folder` is this machine's, for engines that keep files. `settings` are the engine's own.
        """

    def holds(self, folder: Path, info: RepositoryInfo) -> bool:
        """Whether the folder has files of this engine with passages of the repository. Needs no extra packages."""

    def copy(self, folder: Path, target: Path, infos: Sequence[RepositoryInfo]) -> None:
        """Copy a published state of its files, while others write; nothing where it keeps none in the folder."""

    def discard(self, folder: Path, info: RepositoryInfo) -> None:
        """Remove its files with passages of the repository: something was erased and nothing here can read them."""
