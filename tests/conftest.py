"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import SAMPLES, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library") as library:
        yield Desk(tmp_path, library)


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pincite.Library]:
    """The samples, ingested once; for tests that only read."""
    with pincite.open(tmp_path_factory.mktemp("handbook") / "library") as library:
        library.ingest(SAMPLES)
        yield library
