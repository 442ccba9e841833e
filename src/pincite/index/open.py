"""Which index a library is read with: one table of engines, each with its own files in the library's `index` folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal, get_args

from pincite.errors import MissingExtra
from pincite.extras import require
from pincite.index.candidates import CandidateIndex
from pincite.index.paired import PairedIndex
from pincite.index.segments.index import SegmentIndex
from pincite.index.stores import open_store
from pincite.protocols import Catalog, Index
from pincite.types import RepositoryInfo

Engine = Literal["segments", "sqlite_vec"]

SQLITE_VEC_FILE = "sqlite_vec.db"


def open_index(engine: Engine, folder: Path, catalog: Catalog, vectors: str = "") -> Index:
    """The index in a folder; `MissingExtra` with the line to install where its packages are not there.

    `vectors` names a store (`index/stores.py`) that takes the place of the engine's own vectors.
    """
    index = _ENGINES[engine](folder, catalog)
    if not vectors:
        return index
    return PairedIndex(index, CandidateIndex(catalog, folder, open_store(vectors)), catalog)


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
