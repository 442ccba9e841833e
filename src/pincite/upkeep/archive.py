"""Backups: a folder with a consistent catalog, the index that goes with it, and a list of checksums written last.

The index is copied first and the catalog after it, so that the copy's index is never ahead of its catalog; a restored
library rolls its index forward as after any other interruption. Vectors are in the catalog; their copy in the index
is rebuilt when a backup is restored. The lexicon is copied, because learning it again needs the model. The engines of
catalog and index know how their own data is copied.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from pincite.catalog.open import EMBEDDED, catalog_engine, engine_name, is_folder, open_catalog, shown
from pincite.durable import clear_errors, copy_durably, sync_folder
from pincite.errors import Conflict, Damaged, InvalidArgument, MissingExtra, NotFound
from pincite.index.lexicon.store import files as lexicon_files
from pincite.index.open import DEFAULT, engines_with_files, index_engine, open_index
from pincite.protocols import Catalog
from pincite.settings import Config
from pincite.types import RepositoryInfo
from pincite.upkeep.stores import INDEX, WORDS, folder_of

LISTING = "backup.json"
FORMAT = 1
ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path | str
    """The folder that was written, or the address."""
    files: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Listing:
    """What a backup says of itself."""

    catalog: str
    """The name of its catalog's engine."""
    files: dict[str, tuple[int, str]]
    """Size and checksum by path."""


def create_backup(catalog: Catalog, config: Config, target: Path) -> Backup:
    """Copy the library into a new folder. It is a valid backup only once its listing is written."""
    started = time.monotonic()
    folder = folder_of(config)
    if target.resolve().is_relative_to(folder.resolve()):
        raise InvalidArgument(f"{str(target)!r} is inside the library; choose a folder outside it", field="target")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(f"{str(target)!r} exists and is not empty; choose a new folder for the backup", field="target")
    with clear_errors("writing the backup"):
        target.mkdir(parents=True, exist_ok=True)
        infos = _repositories(catalog)
        for name in _engines(config.index, folder / INDEX, infos):
            index_engine(name).copy(folder / INDEX, target / INDEX, infos)
        for info in infos:
            _copy_words(folder / WORDS / info.key, target / WORDS / info.key)
        catalog.backup(target)
        files = {path.relative_to(target).as_posix(): _describe(path) for path in sorted(_files(target))}
        listing = target / LISTING
        made_of = {"format": FORMAT, "library_id": catalog.library_id, "catalog": engine_name(config.library)}
        with listing.open("w", encoding="utf-8") as file:
            file.write(json.dumps({**made_of, "files": files}, indent=1))
            file.flush()
            os.fsync(file.fileno())
        sync_folder(target)
    return Backup(target, len(files), _total(files), round(time.monotonic() - started, 3))


def restore_backup(source: Path, address: str) -> Backup:
    """Restore a backup to a new folder, or to an address without a library. Every file is checked first."""
    started = time.monotonic()
    engine = catalog_engine(address)
    target = engine.folder(address)
    listing = _read_listing(source)
    if listing.catalog != engine_name(address):
        raise InvalidArgument(
            f"this is a backup of a catalog of {listing.catalog!r}; {shown(address)!r} is of {engine_name(address)!r}",
            field="target",
        )
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(
            f"{str(target)!r} exists and is not empty; restore into a new folder, then switch to it", field="target"
        )
    if not is_folder(address) and engine.exists(address):
        raise Conflict(f"there is a library at {shown(address)!r}; restore into an empty one", field="target")
    for name, (size, digest) in listing.files.items():
        path = source / name
        if not path.is_file() or [path.stat().st_size, _hash(path)] != [size, digest]:
            raise Damaged(f"{name!r} of the backup is missing or was changed; {str(source)!r} cannot be restored")
    with clear_errors("restoring the backup"):
        staging = target.with_name(target.name + ".restoring")
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        for name in listing.files:
            if Path(name).parts[0] in (INDEX, WORDS):
                copy_durably(source / name, staging / name)
        restored = str(staging) if is_folder(address) else address
        engine.restore(source, restored)
        _take_vectors(restored, staging / INDEX)
        if target.exists():
            target.rmdir()
        staging.rename(target)
        sync_folder(target.parent)
    place = target if is_folder(address) else shown(address)
    return Backup(place, len(listing.files), _total(listing.files), round(time.monotonic() - started, 3))


def _take_vectors(address: str, folder: Path) -> None:
    """Open the catalog and give its vectors to the index, so that all legs can answer.

    Unusable vectors do not prevent a restore; answers and doctor say what is missing.
    """
    with closing(open_catalog(address)) as catalog:
        infos = _repositories(catalog)
        for name in _engines(DEFAULT, folder, infos) or [DEFAULT]:
            with suppress(MissingExtra), closing(open_index(name, folder, catalog)) as index:
                for info in infos:
                    for fingerprint in catalog.vectors.counts(info.scope.tenant):
                        with suppress(Damaged):
                            index.advance(info.scope)
                            index.take_vectors(info.scope, fingerprint)


def _repositories(catalog: Catalog) -> tuple[RepositoryInfo, ...]:
    with catalog.operator() as operator:
        return operator.repositories.all()


def _engines(given: str, folder: Path, infos: Sequence[RepositoryInfo]) -> list[str]:
    """Those that have files in the folder."""
    return list(dict.fromkeys(name for info in infos for name in engines_with_files(given, folder, info)))


def _read_listing(source: Path) -> _Listing:
    listing = source / LISTING
    if not listing.exists():
        raise NotFound(f"{str(source)!r} is not a complete backup: it has no {LISTING}", field="source")
    try:
        value = json.loads(listing.read_text(encoding="utf-8"))
        files = {str(name): (int(size), str(digest)) for name, (size, digest) in value["files"].items()}
        found = _Listing(str(value.get("catalog", EMBEDDED)), files)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{listing} is not readable: {error}") from error
    for name in files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise Damaged(f"{listing} lists {name!r}, which is outside the backup")
    return found


def _copy_words(source: Path, target: Path) -> None:
    """Copy the published lexicons of a repository; changes made meanwhile can be learned again."""
    for store in sorted(source.glob("*")):
        copy = target / store.name
        for _ in range(ATTEMPTS):
            shutil.rmtree(copy, ignore_errors=True)
            try:
                files = lexicon_files(store)
                for path in files:
                    copy_durably(path, copy / path.relative_to(store))
                if lexicon_files(store) == files:
                    break
            except FileNotFoundError:
                continue
        else:
            shutil.rmtree(copy, ignore_errors=True)


def _files(folder: Path) -> list[Path]:
    return [item for item in folder.rglob("*") if item.is_file()]


def _total(files: Mapping[str, tuple[int, str]]) -> int:
    return sum(size for size, _ in files.values())


def _describe(path: Path) -> tuple[int, str]:
    return path.stat().st_size, _hash(path)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
