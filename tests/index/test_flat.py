"""Vectors in memory behind the protocols: alone, beside the words of two engines, and held against the segments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.candidates import CandidateIndex
from pincite.index.candidates import dense as candidates
from pincite.index.flat import FlatVectors
from pincite.index.flat import vectors as flat
from pincite.index.paired import PairedIndex
from pincite.index.segments.index import SegmentIndex
from pincite.protocols import Catalog, Index, VectorStore
from pincite.testing.index import (
    SCOPE,
    IndexContract,
    ProjectionContract,
    Shelf,
    VectorIndexContract,
    page,
    put,
)
from pincite.testing.vector_store import VectorStoreContract
from pincite.testing.vectors import MODEL, asking
from pincite.types import RemoveElement


class TestFlatStore(VectorStoreContract):
    def make_store(self, folder: Path) -> VectorStore:  # noqa: ARG002
        return FlatVectors()


class TestFlatVectors(VectorIndexContract, ProjectionContract):
    def make_index(self, catalog: Catalog, folder: Path) -> CandidateIndex:
        return CandidateIndex(catalog, folder / "index", FlatVectors())


class TestEveryCandidateCounts(TestFlatVectors):
    """With so few candidates at first that hits are found only by asking for more."""

    @pytest.fixture(autouse=True)
    def _ask_for_few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(candidates, "FIRST", 1)
        monkeypatch.setattr(candidates, "FETCH", 2)
        monkeypatch.setattr(flat, "BATCH", 2)


class TestSegmentsWithFlatVectors(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        root = folder / "index"
        return PairedIndex(SegmentIndex(root, catalog), CandidateIndex(catalog, root, FlatVectors()), catalog)


class TestSqliteVecWithFlatVectors(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        pytest.importorskip("apsw")
        pytest.importorskip("sqlite_vec")
        from pincite.index.sqlite_vec.index import SqliteVecIndex

        root = folder / "index"
        return PairedIndex(SqliteVecIndex(root, catalog), CandidateIndex(catalog, root, FlatVectors()), catalog)


# --- the same answers as the segments give ---------------------------------------------------------------------


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Shelf, Shelf]]:
    """One catalog with its vectors in segments and flat."""
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    segments = SegmentIndex(tmp_path / "index", catalog)
    paired = PairedIndex(segments, CandidateIndex(catalog, tmp_path / "index", FlatVectors()), catalog)
    yield Shelf(catalog, segments), Shelf(catalog, paired)
    catalog.close()


def test_scores_order_windows_and_background_are_those_of_a_full_scan_of_segments(both: tuple[Shelf, Shelf]) -> None:
    segments, paired = both
    words = ["dog", "cat", "court", "tax", "lease", "rent", "bite", "owner", "judge", "law"]
    rng = np.random.default_rng(7)
    for n in range(60):
        text = ". ".join(" ".join(rng.choice(words, 4).tolist()) for _ in range(1 + n % 4))
        roles = ("judge",) if n % 7 == 0 else ()
        paired.add(put(f"e{n:02d}", page(text, text[:20], roles=roles, metadata={"n": n % 3})))
    paired.add(RemoveElement("e05"), put("e06", "another text about a dog"))
    assert paired.embed() > 60
    segments.embed()
    for revision in (1, 30, paired.index.reached(SCOPE)):
        for group in ("element", "chunk"):
            for depth in (3, 200):
                asked = asking("the dog of the judge", exact=True, group=group, depth=depth)
                view = paired.view(revision=revision, roles=("clerk",))
                assert paired.mean(asked, view) == segments.mean(asked, view)


# --- processes ------------------------------------------------------------------------------------------------


def test_another_process_reads_the_vectors_from_the_catalog_again(tmp_path: Path) -> None:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    first = Shelf(catalog, CandidateIndex(catalog, tmp_path / "index", FlatVectors()))
    first.add(put("a", "a dog"))
    other = Shelf(catalog, CandidateIndex(catalog, tmp_path / "index", FlatVectors()))
    other.index.advance(SCOPE)
    assert not other.index.has_vectors([other.view()], MODEL)
    first.embed()
    assert other.index.has_vectors([other.view()], MODEL)
    assert other.near("dog") == ["a"]
    first.add(put("b", "a dog"))
    first.embed()
    other.index.advance(SCOPE)
    assert other.near("dog") == ["a", "b"]
    catalog.close()


def test_a_store_that_was_emptied_is_named_and_filled_again(tmp_path: Path) -> None:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    store = FlatVectors()
    shelf = Shelf(catalog, CandidateIndex(catalog, tmp_path / "index", store))
    shelf.add(put("a", "a dog"), put("b", "a cat"))
    shelf.embed()
    (space,) = store._spaces
    store.drop(space)
    assert "lost the vectors of 2 passages" in shelf.index.check(SCOPE)[0]
    shelf.index.rebuild(SCOPE)
    assert (shelf.near("dog"), shelf.index.check(SCOPE)) == (["a", "b"], ())
    catalog.close()
