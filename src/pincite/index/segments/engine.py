"""How an index of segments is opened, and how its files are copied."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pincite.durable import copy_durably
from pincite.errors import InvalidArgument, UnknownArgument
from pincite.index.segments.index import SegmentIndex
from pincite.index.segments.manifest import CURRENT, MANIFEST, current_generation, load_manifest
from pincite.protocols import Catalog, Index
from pincite.types import RepositoryInfo

NAME = "segments"
ATTEMPTS = 50


class SegmentsEngine:
    """Indexes in a folder of this machine, with a folder for each repository."""

    def open(self, address: str, folder: Path, catalog: Catalog, settings: Mapping[str, object]) -> Index:
        if address != NAME:
            raise InvalidArgument(f"index: {NAME} has no address; its files lie in the library's folder", field="index")
        for name in settings:
            raise UnknownArgument.named(f"setting of index: {NAME}", name, (), field="index_settings")
        return SegmentIndex(folder, catalog)

    def holds(self, folder: Path, info: RepositoryInfo) -> bool:
        return (folder / info.key).exists()

    def copy(self, folder: Path, target: Path, infos: Sequence[RepositoryInfo]) -> None:
        for info in infos:
            _copy_repository(folder / info.key, target / info.key)

    def discard(self, folder: Path, info: RepositoryInfo) -> None:
        shutil.rmtree(folder / info.key, ignore_errors=True)


def _copy_repository(source: Path, target: Path) -> None:
    """Copy one published state of a repository's index; start over when a merge removes files meanwhile."""
    for _ in range(ATTEMPTS):
        generation = current_generation(source)
        if not generation:
            return
        shutil.rmtree(target, ignore_errors=True)
        try:
            # The manifest is copied first; everything it names is immutable.
            copy_durably(source / generation / MANIFEST, target / generation / MANIFEST)
            for name in load_manifest(target / generation).files() - {MANIFEST}:
                for path in _files(source / generation / name):
                    copy_durably(path, target / generation / path.relative_to(source / generation))
            copy_durably(source / CURRENT, target / CURRENT)
            if current_generation(target) == generation:
                return
        except FileNotFoundError:
            continue
    shutil.rmtree(target, ignore_errors=True)  # the index can always be rebuilt; the catalog is what counts


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return [item for item in path.rglob("*") if item.is_file()]
    if not path.exists():
        raise FileNotFoundError(path)
    return [path]
