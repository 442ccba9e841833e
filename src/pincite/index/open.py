"""Which index a library is read with: one table of engines, each with its own files in the library's `index` folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal, get_args

from pincite.errors import MissingExtra
from pincite.extras import require
from pincite.index.segments.index import SegmentIndex
from pincite.protocols import Catalog, Index
from pincite.types import RepositoryInfo

Engine = Literal["segments", "sqlite_vec"]

SQLITE_VEC_FILE = "sqlite_vec.db"


def open_index(engine: Engine, folder: Path, catalog: Catalog) -> Index:
    """The index in a folder; `MissingExtra` with the line to install where its packages are not there."""
    return _ENGINES[engine](folder, catalog)


def _open_sqlite_vec(folder: Path, catalog: Catalog) -> Index:
    require("sqlite_vec", "index: sqlite_vec", "apsw", "sqlite_vec")
    from pincite.index.sqlite_vec import SqliteVecIndex

    return SqliteVecIndex(folder, catalog)


_ENGINES: dict[Engine, Callable[[Path, Catalog], Index]] = {"segments": SegmentIndex, "sqlite_vec": _open_sqlite_vec}


def erase_from_others(engine: Engine, folder: Path, catalog: Catalog, info: RepositoryInfo) -> None:
    """Bring what another engine has left in the folder up to a purge: what is erased must not lie in old files."""
    for other in get_args(Engine):
        if other == engine or not _has_files(other, folder, info):
            continue
        try:
            with closing(open_index(other, folder, catalog)) as index:
                index.advance(info.scope)
        except MissingExtra:  # nobody can read them here; whoever installs it again builds them anew
            for path in folder.glob(f"{SQLITE_VEC_FILE}*"):
                path.unlink(missing_ok=True)


def _has_files(engine: Engine, folder: Path, info: RepositoryInfo) -> bool:
    return (folder / (SQLITE_VEC_FILE if engine == "sqlite_vec" else info.key)).exists()
