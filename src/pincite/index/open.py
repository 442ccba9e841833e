"""Which indexes there are: ours in one table, those of other packages by entry points of `pincite.indexes`.

An engine is named by the setting `index`: `segments`, or an address that begins with its name, as in `name://host`. An
entry point names an object with the methods of `IndexEngine`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from pincite import plugins
from pincite.errors import MissingExtra
from pincite.index.candidates import CandidateIndex
from pincite.index.paired import PairedIndex
from pincite.index.segments.engine import SegmentsEngine
from pincite.index.sqlite_vec.engine import SqliteVecEngine
from pincite.index.stores import open_store
from pincite.protocols import Catalog, Index, IndexEngine
from pincite.types import RepositoryInfo

GROUP = "pincite.indexes"
DEFAULT = "segments"

_ENGINES: Mapping[str, IndexEngine] = {DEFAULT: SegmentsEngine(), "sqlite_vec": SqliteVecEngine()}


def index_names() -> tuple[str, ...]:
    """The names that the setting may begin with."""
    return plugins.names(GROUP, _ENGINES)


def index_engine(given: str) -> IndexEngine:
    """The engine that the setting names; `UnknownArgument` for a name that nobody has."""
    return plugins.named("index", _name(given), GROUP, _ENGINES, field="index")


def open_index(
    given: str,
    folder: Path,
    catalog: Catalog,
    vectors: str = "",
    settings: Mapping[str, object] | None = None,
    vectors_settings: Mapping[str, object] | None = None,
) -> Index:
    """The index of a catalog; `MissingExtra` with the line to install where its packages are not there.

    `vectors` names a store (`index/stores.py`) that takes the place of the engine's own vectors. `settings` are the
    engine's own, `vectors_settings` the store's.
    """
    index = index_engine(given).open(given, folder, catalog, settings or {})
    if not vectors:
        return index
    return PairedIndex(index, CandidateIndex(catalog, folder, open_store(vectors, vectors_settings or {})), catalog)


def engines_with_files(given: str, folder: Path, info: RepositoryInfo) -> dict[str, IndexEngine]:
    """Engines that have files with passages of the repository in the folder: the one in use, and any of ours."""
    known = {**_ENGINES, _name(given): index_engine(given)}
    return {name: engine for name, engine in known.items() if engine.holds(folder, info)}


def erase_from_others(given: str, folder: Path, catalog: Catalog, info: RepositoryInfo) -> None:
    """Bring what another engine has left in the folder up to a purge: what is erased must not lie in old files."""
    for name, engine in engines_with_files(given, folder, info).items():
        if name == _name(given):
            continue
        try:
            with closing(engine.open(name, folder, catalog, {})) as index:
                index.advance(info.scope)
        except MissingExtra:  # nothing here can read them; they are built again when the package is installed
            engine.discard(folder, info)


def _name(given: str) -> str:
    return given.partition("://")[0]
