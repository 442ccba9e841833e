"""Words of one engine beside vectors of another: what each decides, and what happens when the vectors cannot follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import Conflict, Unavailable
from pincite.index.candidates import CandidateIndex
from pincite.index.flat import FlatVectors
from pincite.index.paired import PairedIndex, paired_features
from pincite.index.segments.index import SegmentIndex
from pincite.points import CHUNK_BITS, Ids, Point, Space, Wanted
from pincite.protocols import Catalog
from pincite.queries import IndexFeatures
from pincite.testing.index import SCOPE, SIBLING, ProjectionContract, Shelf, WordIndexContract, put
from pincite.testing.oracle import BruteForceIndex
from pincite.testing.vectors import MODEL, asking
from pincite.types import RemoveElement, Scope


class WordsOnly:
    """The words of the segments, and nothing that has to do with vectors."""

    features = IndexFeatures(replay=True, score_isolation=True, phrases=True, prefixes=True, scoring=True, ever=True)

    def __init__(self, index: SegmentIndex) -> None:
        self.keyword, self.exact, self.filter_values = index.keyword, index.exact, index.filter_values
        self.reached, self.advance, self.merge = index.reached, index.advance, index.merge
        self.status, self.check, self.close = index.status, index.check, index.close
        self._index = index

    def rebuild(self, scope: Scope, *, accept: Callable[[WordsOnly], None] | None = None) -> int:
        return self._index.rebuild(scope, accept=(lambda fresh: accept(WordsOnly(fresh))) if accept else None)


class TestAnEngineOfWordsAlone(WordIndexContract, ProjectionContract):
    def make_index(self, catalog: Catalog, folder: Path) -> WordsOnly:
        return WordsOnly(SegmentIndex(folder / "index", catalog))


class Store(FlatVectors):
    """A store that can be cut off, or estimate."""

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.estimates = False
        self.died: list[tuple[int, int]] = []

    def _reach(self) -> None:
        if self.down:
            raise Unavailable("the store cannot be reached")

    def ensure(self, space: Space, dimensions: int) -> Ids:
        self._reach()
        return super().ensure(space, dimensions)

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        self._reach()
        super().upsert(space, points)

    def mark_died(self, space: Space, ids: Ids, revision: int) -> None:
        self._reach()
        self.died += [(int(item) >> CHUNK_BITS, revision) for item in ids]
        super().mark_died(space, ids, revision)

    def candidates(self, space: Space, wanted: Wanted) -> Ids:
        self._reach()
        found = super().candidates(space, wanted)
        return np.union1d(found[::2], self._spaces[space].ids[-1:]) if self.estimates else found


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def shelf(tmp_path: Path, store: Store) -> Iterator[Shelf]:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    words = SegmentIndex(tmp_path / "index", catalog)
    yield Shelf(catalog, PairedIndex(words, CandidateIndex(catalog, tmp_path / "index", store), catalog))
    catalog.close()


def test_words_go_on_while_the_store_is_down_and_vectors_catch_up_with_the_next_question(
    shelf: Shelf, store: Store
) -> None:
    shelf.add(put("a", "a dog"), put("b", "a dog"))
    shelf.embed()
    store.down = True
    assert shelf.add(put("c", "a dog"), RemoveElement("a")) == 2
    assert shelf.find("dog") == ["b", "c"]
    with pytest.raises(Unavailable, match="cannot be reached"):
        shelf.mean("dog")
    with pytest.raises(Unavailable, match="cannot be reached"):
        shelf.embed()
    store.down = False
    assert shelf.near("dog") == ["b", "c"]
    assert shelf.mean("dog").status == "ok"
    assert [revision for _, revision in store.died] == [2], (
        "a store that filters inside its scan must know when points died"
    )


def test_what_vectors_have_not_reached_is_said_and_what_has_died_since_is_not_shown(tmp_path: Path) -> None:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    vectors = BruteForceIndex(catalog)
    shelf = Shelf(catalog, PairedIndex(SegmentIndex(tmp_path / "index", catalog), vectors, catalog))
    shelf.add(put("a", "a dog"), put("b", "a dog"), put("c", "a dog"))
    shelf.embed()

    def lag(*_: object, **__: object) -> int:
        raise Unavailable("it is busy")

    vectors.advance = lag  # type: ignore[method-assign]
    shelf.add(put("a", "now a cat"), RemoveElement("b"))
    ranking = shelf.mean("dog")
    assert [found.element_id for found in ranking.found] == ["c"]
    assert ranking.status == "partial"
    assert ranking.reason == "the vectors of 'decisions' have reached revision 1 of 2"
    shelf.catalog.commits.purge(SCOPE, ["c"])
    shelf.index.advance(SCOPE)
    assert shelf.near("dog") == []
    assert "revision 1 of 3" in shelf.index.check(SCOPE)[0]
    past = shelf.mean("dog", shelf.view(revision=1))
    assert (past.status, len(past.found)) == ("ok", 3)
    catalog.close()


def test_a_store_that_estimates_costs_recall_and_nothing_else(
    shelf: Shelf, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.index.candidates.dense.FEW", 0)
    for n in range(12):
        shelf.add(put(f"e{n:02d}", f"a dog number {n}"))
    shelf.add(put("e99", "a dog"))
    shelf.embed()
    every = shelf.mean(asking("a dog", exact=True)).found
    store.exact = False  # type: ignore[misc]
    store.estimates = True
    ranking = shelf.mean("a dog", shelf.view(revision=12))
    assert ranking.status == "partial"
    assert ranking.reason.startswith("flat proposed fewer passages than it has")
    some = ranking.found
    assert 0 < len(some) < 12
    assert "e99" not in {found.element_id for found in some}, "it was proposed, and came later"
    assert list(some) == [found for found in every if found in some]
    assert shelf.mean(asking("a dog", exact=True)).found == every, "every vector of the catalog is scored"


def test_a_store_that_another_process_emptied_is_noticed_by_the_next_question(shelf: Shelf, store: Store) -> None:
    shelf.add(put("a", "a dog"), put("b", "a cat"))
    shelf.embed()
    assert shelf.mean("dog").status == "ok"
    (space,) = store._spaces
    store.drop(space)
    ranking = shelf.mean("dog")
    assert (ranking.found, ranking.status) == ((), "partial")
    assert "with: pincite rebuild" in ranking.reason
    shelf.index.rebuild(SCOPE)
    assert (shelf.near("dog"), shelf.mean("dog").status) == (["a", "b"], "ok")


def test_a_rebuild_that_is_refused_leaves_words_and_vectors_as_they_were(shelf: Shelf, store: Store) -> None:
    shelf.add(put("a", "a dog"))
    shelf.embed()
    before = shelf.index.status(SCOPE), set(store._spaces)

    def refuse(candidate: PairedIndex) -> None:
        judged = Shelf(shelf.catalog, candidate)
        assert judged.find("dog") == judged.near("dog") == ["a"]
        assert len(store._spaces) == 2
        raise Conflict("no")

    with pytest.raises(Conflict):
        shelf.index.rebuild(SCOPE, accept=refuse)
    assert (shelf.index.status(SCOPE), set(store._spaces)) == before
    store.down = True
    with pytest.raises(Unavailable):
        shelf.index.rebuild(SCOPE)
    store.down = False
    assert shelf.index.status(SCOPE) == before[0]
    assert shelf.index.rebuild(SCOPE) == 1
    assert shelf.near("dog") == ["a"]
    assert not set(store._spaces) & before[1]


def test_the_status_names_both_engines(shelf: Shelf) -> None:
    shelf.add(put("a", "a dog"))
    assert shelf.index.status(SCOPE).engine == "segments+flat"
    assert not shelf.index.has_vectors([shelf.view(SIBLING)], MODEL)


def test_two_engines_promise_what_both_keep() -> None:
    names = [item.name for item in fields(IndexFeatures)]
    nothing, everything = (IndexFeatures(**dict.fromkeys(names, value)) for value in (False, True))
    of_both, of_vectors = {"replay", "score_isolation", "among"}, {"dense", "exact_scan"}
    only_words = paired_features(everything, nothing)
    assert {name for name in names if not getattr(only_words, name)} == of_both | of_vectors
    only_vectors = paired_features(nothing, everything)
    assert {name for name in names if getattr(only_vectors, name)} == of_vectors
    assert paired_features(everything, everything) == everything
