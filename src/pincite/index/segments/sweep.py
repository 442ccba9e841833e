"""Deleting what no manifest names: leftovers of crashes, of exchanges, of what was erased."""

from __future__ import annotations

import shutil
from pathlib import Path

from pincite.errors import Locked
from pincite.index.segments.lock import write_lock
from pincite.index.segments.manifest import Manifest

MERGING = "merging"
"""Folder of the lock that the one running merge of a repository holds."""


def sweep(folder: Path, manifest: Manifest) -> None:
    """Delete segments and deaths that the manifest does not name. Needs the write lock."""
    wanted = manifest.files()
    for path in folder.iterdir():
        if path.name not in wanted and path.name.startswith(("seg-", "deaths-")):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def sweep_generations(repository: Path, current: str) -> None:
    """Delete generations that are not in use: replaced ones, and those that a crash left half built or not removed."""
    for path in repository.glob("g-*"):
        if path.name != current:
            shutil.rmtree(path, ignore_errors=True)


def sweep_merges(folder: Path) -> None:
    """Delete what dead merges left. A merge that is alive holds its lock and cleans up after itself."""
    try:
        with write_lock(folder.parent / MERGING, wait_seconds=0):
            for path in folder.glob("merge-*"):
                shutil.rmtree(path, ignore_errors=True)
    except Locked:
        return
