"""Where the ruined libraries live."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def ground() -> Iterator[Path]:
    """A folder in memory where there is one: a killed process leaves the system's cache behind, so that a real disk
    would add waiting and no rigour."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="pincite-crash-", dir=memory if memory.is_dir() else None))
    yield folder
    shutil.rmtree(folder)
