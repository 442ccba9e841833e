"""Merges in a process of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import pincite
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.segments.index import SegmentIndex
from pincite.settings import Config
from pincite.testing.index import page, put
from pincite.types import Commit, Scope
from pincite.upkeep import merging
from pincite.upkeep.merging import merge_due

SCOPE = Scope()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Eight commits, each indexed on its own: eight small segments."""
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    index = SegmentIndex(tmp_path / "index", catalog)
    for number in range(8):
        catalog.commits.commit(SCOPE, Commit((put(f"e{number}", page(f"dog number {number}")),)))
        index.advance(SCOPE)
    assert len(index.status(SCOPE).segments) == 8
    index.close()
    catalog.close()
    return tmp_path


def opened(library: Path) -> SegmentIndex:
    return SegmentIndex(library / "index", SqliteCatalog(library / "catalog.db"))


@pytest.mark.parametrize("here_up_to", [0, 1_000], ids=["in a process", "here"])
def test_what_is_due_is_merged_and_a_reader_notices(
    library: Path, here_up_to: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "HERE_UP_TO", here_up_to)
    index = opened(library)
    assert merge_due(Config(library=str(library)), index, SCOPE) == ""
    assert len(index.status(SCOPE).segments) < 6
    assert index.status(SCOPE).chunks == 8


def test_damage_stops_a_merge_and_is_said(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "HERE_UP_TO", 0)
    columns = sorted(library.glob("index/*/g-*/seg-*/columns.bin"))[0]
    content = bytearray(columns.read_bytes())
    content[len(content) // 2] ^= 0xFF
    index = opened(library)
    columns.write_bytes(content)
    assert "pincite rebuild" in merge_due(Config(library=str(library)), index, SCOPE)
    assert len(index.status(SCOPE).segments) == 8


def test_a_library_merges_behind_its_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "HERE_UP_TO", 0)
    source = tmp_path / "source"
    source.mkdir()
    for number in range(8):
        (source / f"{number}.md").write_text(f"# Page {number}\n\nA dog bites.\n", encoding="utf-8")
        with pincite.open(tmp_path / "library") as library:
            library.ingest(source)
    with pincite.open(tmp_path / "library") as library:
        (_, status), *_ = library.status()
        assert len(status.segments) < 6
        assert library.search("dog").total == 8
