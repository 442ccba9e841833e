"""What every vector store must do. Subclass `VectorStoreContract`, say how yours is made, run pytest.

class TestMyStore(VectorStoreContract):
    def make_store(self, folder: Path) -> VectorStore:
        return MyStore(folder)

What an index makes of it is tested by `VectorIndexContract` and `ProjectionContract` of `pincite.testing.index`, over
`CandidateIndex(catalog, folder, MyStore(folder))`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from pincite.points import CHUNK_BITS, Ids, Point, Space, Wanted, point_id
from pincite.protocols import VectorStore
from pincite.queries import OneOf
from pincite.testing.vectors import DIMENSIONS, fixed, meaning, stored
from pincite.types import Lifetime, Scope, View

SCOPE = Scope("acme", "legal", "decisions")
SPACE = Space("library", SCOPE, "r-1", "words/1")
OTHERS = (
    replace(SPACE, fingerprint="words/2"),
    replace(SPACE, generation=1),
    replace(SPACE, library_id="another"),
    replace(SPACE, scope=replace(SCOPE, tenant="other"), key="r-2"),
)
TEXTS = ("the dog bites", "a dog", "income tax", "lease of land", "the dog of the court")


def point(number: int, *windows: str, born: int = 1, died: int = 9) -> Point:
    """A point of which the lifetime has this number."""
    life = Lifetime(number, f"e{number}", "v", "r", born, died)
    filters = (("n", str(number)), ("even", str(number % 2 == 0).lower()))
    return Point(point_id(number, 0), life, filters, stored(*windows))


def points(texts: Sequence[str] = TEXTS) -> list[Point]:
    return [point(number, text) for number, text in enumerate(texts, start=1)]


def ids(*numbers: int) -> Ids:
    return np.array([point_id(number, 0) for number in numbers], np.int64)


def numbers(found: Ids) -> list[int]:
    return [int(item) >> CHUNK_BITS for item in np.sort(found)]


def fill(store: VectorStore, some: Sequence[Point], space: Space = SPACE) -> None:
    store.ensure(space, DIMENSIONS)
    store.upsert(space, some)


def held(store: VectorStore, space: Space = SPACE) -> list[int]:
    return numbers(store.ensure(space, DIMENSIONS))


def asking(text: str, among: Ids, limit: int = 10) -> Wanted:
    return Wanted(fixed(meaning(text)), View(SCOPE, 5, date(2026, 1, 31)), (), among, limit)


class VectorStoreContract:
    """Every promise of `pincite.protocols.VectorStore`, as a test."""

    def make_store(self, folder: Path) -> VectorStore:
        raise NotImplementedError("say how a store is opened that keeps what it must in this folder")

    @pytest.fixture
    def store(self, tmp_path: Path) -> VectorStore:
        return self.make_store(tmp_path)

    def test_a_space_that_nobody_filled_is_empty(self, store: VectorStore) -> None:
        store.drop(SPACE)
        store.drop(SPACE, ids(1))
        assert numbers(store.candidates(SPACE, asking("dog", ids(1)))) == held(store) == []
        assert numbers(store.candidates(SPACE, asking("dog", ids(1)))) == held(store) == []

    def test_it_holds_what_was_put_into_it_however_often(self, store: VectorStore) -> None:
        fill(store, points()[3:])
        fill(store, points()[:4])
        assert held(store) == [1, 2, 3, 4, 5]
        found = store.ensure(SPACE, DIMENSIONS)
        assert (found == np.sort(found)).all()

    def test_the_nearest_of_the_wanted_are_proposed(self, store: VectorStore) -> None:
        fill(store, points())
        assert numbers(store.candidates(SPACE, asking("the dog bites", ids(1, 2, 3, 4, 5), 1))) == [1]
        every = store.candidates(SPACE, asking("the dog bites", ids(1, 2, 3, 4, 5)))
        assert numbers(every) == [1, 2, 3, 4, 5]

    def test_a_window_is_enough_to_be_near(self, store: VectorStore) -> None:
        fill(store, [point(1, "income tax and more", "income tax", "the dog bites"), point(2, "lease of land")])
        assert numbers(store.candidates(SPACE, asking("the dog bites", ids(1, 2), 1))) == [1]

    def test_what_is_not_wanted_is_never_proposed(self, store: VectorStore) -> None:
        fill(store, [point(number, "the dog bites", born=1 + number % 2) for number in range(1, 40)])
        fill(store, [point(40, "income tax")])
        wanted = replace(asking("the dog bites", ids(40), 1), filters=(OneOf("n", ("40",)),))
        assert numbers(store.candidates(SPACE, wanted)) == [40], "filters hold inside the scan"

    def test_a_point_that_died_is_not_proposed_where_it_is_not_wanted(self, store: VectorStore) -> None:
        fill(store, points())
        store.mark_died(SPACE, ids(1), 4)
        assert held(store) == [1, 2, 3, 4, 5]
        assert numbers(store.candidates(SPACE, asking("the dog bites", ids(2, 3, 4, 5), 1))) == [5]
        before = View(SCOPE, 3, date(2026, 1, 31))
        wanted = replace(asking("the dog bites", ids(1, 2, 3, 4, 5), 1), view=before)
        assert numbers(store.candidates(SPACE, wanted)) == [1]

    def test_roles_and_days_in_force_hold_inside_the_scan(self, store: VectorStore) -> None:
        day = date(2026, 1, 31)
        near = [point(number, "the dog bites") for number in (1, 2, 3)]
        hidden = [
            replace(near[0].lifetime, roles=frozenset({"judge"})),
            replace(near[1].lifetime, valid_from=date(2026, 2, 1)),
            replace(near[2].lifetime, valid_to=day),
        ]
        far = point(4, "income tax")
        open_to = replace(far.lifetime, roles=frozenset({"clerk"}), valid_from=day, valid_to=date(2026, 2, 1))
        lives = [*hidden, open_to]
        fill(store, [replace(item, lifetime=life) for item, life in zip([*near, far], lives, strict=True)])
        view = View(SCOPE, 5, day, frozenset({"clerk"}))
        assert numbers(store.candidates(SPACE, replace(asking("the dog bites", ids(4), 1), view=view))) == [4]

    @pytest.mark.parametrize("other", OTHERS, ids=["model", "generation", "library", "tenant"])
    def test_spaces_do_not_mix(self, store: VectorStore, other: Space) -> None:
        fill(store, points())
        assert held(store, other) == []
        fill(store, [point(1, "income tax")], other)
        assert numbers(store.candidates(SPACE, asking("income tax", ids(1, 2, 3, 4, 5), 1))) == [3]
        store.drop(other)
        assert (held(store, other), held(store)) == ([], [1, 2, 3, 4, 5])

    def test_what_was_dropped_is_gone_and_can_come_back(self, store: VectorStore) -> None:
        fill(store, points())
        for _ in range(2):
            store.drop(SPACE, ids(1, 4, 77))
            assert held(store) == [2, 3, 5]
        assert 1 not in numbers(store.candidates(SPACE, asking("the dog bites", ids(1, 2, 3, 4, 5))))
        fill(store, points()[:1])
        assert held(store) == [1, 2, 3, 5]
        for _ in range(2):
            store.drop(SPACE)
            assert numbers(store.candidates(SPACE, asking("the dog bites", ids(1, 2)))) == []
        assert held(store) == []

    def test_an_exact_store_proposes_all_that_tie_with_the_last(self, store: VectorStore) -> None:
        if not store.exact:
            pytest.skip("the store does not declare that it is exact")
        fill(store, [*points(), point(6, "a dog"), point(7, "a dog")])
        assert numbers(store.candidates(SPACE, asking("a dog", ids(*range(1, 8)), 1))) == [2, 6, 7]
