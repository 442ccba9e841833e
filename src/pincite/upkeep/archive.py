"""Backups: a folder with a consistent catalog, the index that goes with it, and a list of checksums written last.

The index is copied first and the catalog after it, so that the copy's index is never ahead of its catalog; a restored
library rolls its index forward as after any other interruption. Vectors are in the catalog; their copy in the index
is rebuilt when a backup is restored. The lexicon is copied, because learning it again needs the model.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import Conflict, Damaged, InvalidArgument, MissingExtra, NotFound
from pincite.index.lexicon.store import files as lexicon_files
from pincite.index.open import SQLITE_VEC_FILE, Engine, open_index
from pincite.index.segments.format import clear_errors, sync_folder
from pincite.index.segments.manifest import CURRENT, MANIFEST, current_generation, load_manifest
from pincite.protocols import Catalog
from pincite.types import RepositoryInfo

LISTING = "backup.json"
FORMAT = 1
ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    files: int
    bytes: int
    seconds: float


def create_backup(catalog: Catalog, library: Path, target: Path) -> Backup:
    """Copy the library into a new folder. It is a valid backup only once its listing is written."""
    started = time.monotonic()
    if target.resolve().is_relative_to(library.resolve()):
        raise InvalidArgument(f"{str(target)!r} is inside the library; choose a folder outside it", field="target")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(f"{str(target)!r} exists and is not empty; choose a new folder for the backup", field="target")
    with clear_errors("writing the backup"):
        target.mkdir(parents=True, exist_ok=True)
        for info in _repositories(catalog):
            _copy_index(library / "index" / info.key, target / "index" / info.key)
            _copy_words(library / "words" / info.key, target / "words" / info.key)
        _copy_database(library / "index" / SQLITE_VEC_FILE, target / "index" / SQLITE_VEC_FILE)
        catalog.backup(target / "catalog.db")
        files = {path.relative_to(target).as_posix(): _describe(path) for path in sorted(_files(target))}
        listing = target / LISTING
        body = json.dumps({"format": FORMAT, "library_id": catalog.library_id, "files": files}, indent=1)
        with listing.open("w", encoding="utf-8") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(target)
    total = sum(size for size, _ in files.values())
    return Backup(target, len(files), total, round(time.monotonic() - started, 3))


def restore_backup(source: Path, target: Path) -> Backup:
    """Restore a backup to a new folder. Every file is checked before anything is put in place."""
    started = time.monotonic()
    listing = source / LISTING
    if not listing.exists():
        raise NotFound(f"{str(source)!r} is not a complete backup: it has no {LISTING}", field="source")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(
            f"{str(target)!r} exists and is not empty; restore into a new folder, then switch to it", field="target"
        )
    files = _read_listing(listing)
    for name, (size, digest) in files.items():
        path = source / name
        if not path.is_file() or [path.stat().st_size, _hash(path)] != [size, digest]:
            raise Damaged(f"{name!r} of the backup is missing or was changed; {str(source)!r} cannot be restored")
    with clear_errors("restoring the backup"):
        staging = target.with_name(target.name + ".restoring")
        shutil.rmtree(staging, ignore_errors=True)
        for name in files:
            copy = staging / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            _copy_durably(source / name, copy)
        _take_vectors(staging)
        if target.exists():
            target.rmdir()
        staging.rename(target)
        sync_folder(target.parent)
    total = sum(size for size, _ in files.values())
    return Backup(target, len(files), total, round(time.monotonic() - started, 3))


def _take_vectors(library: Path) -> None:
    """Open the catalog and give its vectors to the index, so that all legs can answer.

    Unusable vectors do not prevent a restore; answers and doctor say what is missing.
    """
    catalog = SqliteCatalog(library / "catalog.db")
    with closing(catalog):
        for engine in _engines(library / "index"):
            with suppress(MissingExtra), closing(open_index(engine, library / "index", catalog)) as index:
                for info in _repositories(catalog):
                    for fingerprint in catalog.vectors.counts(info.scope.tenant):
                        with suppress(Damaged):
                            index.advance(info.scope)
                            index.take_vectors(info.scope, fingerprint)


def _repositories(catalog: Catalog) -> tuple[RepositoryInfo, ...]:
    with catalog.operator() as operator:
        return operator.repositories.all()


def _engines(folder: Path) -> list[Engine]:
    """The settings of the backup."""
    other = (folder / SQLITE_VEC_FILE).exists()
    segments = not other or any(path.is_dir() for path in folder.iterdir())
    used: dict[Engine, bool] = {"segments": segments, "sqlite_vec": other}
    return [engine for engine, is_used in used.items() if is_used]


def _read_listing(listing: Path) -> dict[str, tuple[int, str]]:
    try:
        value = json.loads(listing.read_text(encoding="utf-8"))
        files = {str(name): (int(size), str(digest)) for name, (size, digest) in value["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{listing} is not readable: {error}") from error
    for name in files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise Damaged(f"{listing} lists {name!r}, which is outside the backup")
    return files


def _copy_index(source: Path, target: Path) -> None:
    """Copy one published state of a repository's index; start over if a merge removes files meanwhile."""
    for _ in range(ATTEMPTS):
        generation = current_generation(source)
        if not generation:
            return
        shutil.rmtree(target, ignore_errors=True)
        (target / generation).mkdir(parents=True)
        try:
            # The manifest is copied first; everything it names is immutable.
            _copy_durably(source / generation / MANIFEST, target / generation / MANIFEST)
            for name in load_manifest(target / generation).files() - {MANIFEST}:
                for path in _files(source / generation / name):
                    copy = target / generation / path.relative_to(source / generation)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    _copy_durably(path, copy)
            _copy_durably(source / CURRENT, target / CURRENT)
            if current_generation(target) == generation:
                return
        except FileNotFoundError:
            continue
    shutil.rmtree(target, ignore_errors=True)  # the index can always be rebuilt; the catalog is what counts


def _copy_database(source: Path, target: Path) -> None:
    """Copy one state of an index that is a SQLite file, page by page, which needs none of its extensions."""
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(source)) as reader, closing(sqlite3.connect(target)) as writer:
            reader.backup(writer)


def _copy_words(source: Path, target: Path) -> None:
    """Copy the published lexicons of a repository; changes made meanwhile can be learned again."""
    for store in sorted(source.glob("*")):
        copy = target / store.name
        for _ in range(ATTEMPTS):
            shutil.rmtree(copy, ignore_errors=True)
            try:
                files = lexicon_files(store)
                for path in files:
                    place = copy / path.relative_to(store)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    _copy_durably(path, place)
                if lexicon_files(store) == files:
                    break
            except FileNotFoundError:
                continue
        else:
            shutil.rmtree(copy, ignore_errors=True)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return [item for item in path.rglob("*") if item.is_file()]
    if not path.exists():
        raise FileNotFoundError(path)
    return [path]


def _copy_durably(source: Path, target: Path) -> None:
    with source.open("rb") as reader, target.open("wb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())


def _describe(path: Path) -> tuple[int, str]:
    return path.stat().st_size, _hash(path)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
