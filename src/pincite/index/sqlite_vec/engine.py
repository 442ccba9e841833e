"""How the index in one file is opened, and how that file is copied. Copying needs none of its extensions."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.extras import require
from pincite.protocols import Catalog, Index
from pincite.types import RepositoryInfo

NAME = "sqlite_vec"
FILE = "sqlite_vec.db"


class SqliteVecEngine:
    """Indexes in one file of this machine, for all repositories."""

    def open(self, address: str, folder: Path, catalog: Catalog, settings: Mapping[str, object]) -> Index:
        if address != NAME:
            raise InvalidArgument(f"index: {NAME} has no address; its file lies in the library's folder", field="index")
        for name in settings:
            raise UnknownArgument.named(f"setting of index: {NAME}", name, (), field="index_settings")
        require(NAME, f"index: {NAME}", "apsw", "sqlite_vec")
        from pincite.index.sqlite_vec.index import SqliteVecIndex

        return SqliteVecIndex(folder, catalog)

    def holds(self, folder: Path, info: RepositoryInfo) -> bool:  # noqa: ARG002
        return (folder / FILE).exists()

    def copy(self, folder: Path, target: Path, infos: Sequence[RepositoryInfo]) -> None:  # noqa: ARG002
        if (folder / FILE).exists():
            target.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(folder / FILE)) as reader, closing(sqlite3.connect(target / FILE)) as writer:
                reader.backup(writer)  # page by page, one state

    def discard(self, folder: Path, info: RepositoryInfo) -> None:  # noqa: ARG002
        for path in folder.glob(f"{FILE}*"):
            path.unlink(missing_ok=True)
