"""The stores of a library as its settings describe them: where they are, and how they are opened."""

from __future__ import annotations

from pathlib import Path

from pincite.catalog.open import catalog_engine, is_folder, open_catalog, shown
from pincite.errors import Damaged, InvalidArgument
from pincite.index.open import open_index
from pincite.protocols import Catalog, Index
from pincite.settings import Config

INDEX = "index"
WORDS = "words"


def folder_of(config: Config) -> Path:
    """Where this machine keeps what it computes from the catalog."""
    if not config.folder:
        return catalog_engine(config.library).folder(config.library)
    if is_folder(config.library):
        raise InvalidArgument(
            "a library in a folder keeps everything there; leave `folder` out, or set `library` to that folder",
            field="folder",
        )
    return Path(config.folder).expanduser()


def has_catalog(config: Config) -> bool:
    """Whether there is a catalog where the settings say."""
    return catalog_engine(config.library).exists(config.library)


def catalog_of(config: Config) -> Catalog:
    """The catalog, made where there is none."""
    return open_catalog(config.library, config.catalog_settings)


def index_of(config: Config, catalog: Catalog) -> Index:
    """The index of the catalog."""
    return open_index(
        config.index,
        folder_of(config) / INDEX,
        catalog,
        config.vectors,
        config.index_settings,
        config.vectors_settings,
    )


def require_catalog(config: Config) -> None:
    """An index without the truth behind it is what a lost catalog leaves; making a new one would hide the loss."""
    index = folder_of(config) / INDEX
    if index.is_dir() and any(index.iterdir()) and not has_catalog(config):
        raise Damaged(
            f"the catalog of {shown(config.library)} is missing or empty, though there is an index made from it;"
            " restore a backup with: pincite restore BACKUP TARGET"
        )
