"""Files that are on the disk when the call returns."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.advice import place, repair
from pincite.errors import Damaged, StorageFull


def copy_durably(source: Path, target: Path) -> None:
    """Copy a file; folders on the way are made."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as reader, target.open("wb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def clear_errors(what: str) -> Iterator[None]:
    """A full disk becomes `StorageFull`, which says that nothing is lost; a file that is gone, `Damaged`."""
    try:
        yield
    except FileNotFoundError as error:
        raise Damaged(f"{place(error.filename)} is missing; {repair()}") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise StorageFull(
                f"no space left while {what}; nothing committed is lost: free some space and run it again"
            ) from error
        raise
