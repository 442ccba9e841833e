"""Meaning: the dense leg."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from pincite.errors import InvalidArgument
from pincite.meaning import Calibration
from pincite.queries import Among, Between, OneOf
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import SCOPE, SIBLING, Shelf, fill, fill_long, page, put
from pincite.testing.vectors import CALIBRATION, asking
from pincite.types import RemoveElement


class VectorsAsked(Opened):
    """Passages by their vectors."""

    def test_the_nearest_passage_comes_first(self, dense: Shelf) -> None:
        dense.add(put("far", "tax on income"), put("near", "the dog bites"), put("same", "dog bites man"))
        assert dense.embed() == 3
        ranking = dense.mean("dog bites man")
        assert [found.element_id for found in ranking.found] == ["same", "near", "far"]
        assert (ranking.leg, ranking.total, ranking.status, ranking.reason) == ("dense", 3, "ok", "")
        same, near, far = ranking.found
        assert same.raw == pytest.approx(1, abs=1e-3)
        assert (same.score, same.window, same.matched) == (1.0, 0, ())
        assert 0 <= far.score < near.score < 1 and near.score == CALIBRATION.score(near.raw)

    def test_whole_and_nearest_window_count_half_each(self, dense: Shelf) -> None:
        dense.add(put("mixed", "Income tax. the dog bites. Lease of land"), put("whole", "the dog bites"))
        dense.embed()
        whole, mixed = dense.mean("the dog bites").found
        assert (whole.element_id, whole.window, mixed.window) == ("whole", 0, 2)
        assert 0.5 < mixed.raw < whole.raw
        alone = dense.mean("Income tax. the dog bites. Lease of land").found[0]
        assert (alone.element_id, alone.window) == ("mixed", 0)

    def test_a_score_is_bounded_by_what_the_model_calls_unrelated_and_the_same(self, dense: Shelf) -> None:
        dense.add(put("a", "dog bites"), put("b", "income tax"))
        dense.embed()
        strict = dense.mean(asking("dog bites", calibration=Calibration(unrelated=0.97, same=0.99)))
        assert [found.score for found in strict.found] == [1.0, 0.0]
        assert [found.raw for found in strict.found] == [found.raw for found in dense.mean("dog bites").found]

    def test_one_passage_of_an_element_stands_for_it_or_each_for_itself(self, dense: Shelf) -> None:
        dense.add(put("a", page("income tax", "the dog", "dog bites")), put("b", page("dog of the neighbour")))
        dense.embed()
        by_element = dense.mean("dog bites")
        assert [(f.element_id, f.chunk) for f in by_element.found] == [("a", 2), ("b", 0)]
        by_chunk = dense.mean(asking("dog bites", group="chunk"))
        assert (by_element.total, by_chunk.total, len(by_chunk.found)) == (2, 4, 4)
        assert by_chunk.found[0] == by_element.found[0]
        for depth in (1, 2, 3):
            assert dense.mean(asking("dog bites", group="chunk", depth=depth)).found == by_chunk.found[:depth]

    def test_equal_passages_tie_in_the_order_of_ids(self, dense: Shelf) -> None:
        ids = ("é", "b", "a", "Z", "z")
        for element_id in ids:
            dense.add(put(element_id, page("a dog", "a dog")))
            dense.add(put(element_id, page("a dog", "a dog")), scope=SIBLING)
        dense.embed()
        dense.embed(SIBLING)
        ordered = sorted(ids)
        for depth in range(1, 6):
            assert dense.near(asking("dog", depth=depth)) == ordered[:depth]
        chunks = dense.mean(asking("dog", group="chunk")).found
        assert [(found.element_id, found.chunk) for found in chunks] == [(i, n) for i in ordered for n in (0, 1)]
        both = dense.mean("dog", dense.view(SIBLING), dense.view()).found
        assert [found.scope for found in both if found.element_id == "b"] == [SCOPE, SIBLING]

    def test_meaning_is_asked_at_a_revision_of_what_is_in_force_and_open_to_the_roles(self, dense: Shelf) -> None:
        cut = date(2026, 1, 1)
        dense.add(put("law", page("old dogs", end=cut), page("new dogs", start=cut)), put("gone", "old dogs"))
        dense.add(RemoveElement("gone"), put("closed", page("old dogs", roles=("judge",))))
        dense.embed()
        before = dense.view(revision=1, valid_at=date(2025, 1, 1))
        assert dense.near("old dogs", before) == ["gone", "law"]
        assert dense.near("old dogs", dense.view(revision=1)) == ["gone", "law"]
        assert dense.mean("old dogs", dense.view(revision=1)).found[1].raw < 0.99
        assert dense.near("old dogs") == dense.near("old dogs", dense.view(roles=("judge",))) == ["closed", "law"]
        assert dense.near("old dogs", dense.view(roles=())) == ["law"]
        assert dense.mean("old dogs", dense.view(roles=())).total == 1
        assert dense.near("old dogs", dense.view(revision=0)) == []

    def test_a_filter_holds_inside_the_scan_of_vectors(self, dense: Shelf) -> None:
        dense.add(*(put(f"loud {n}", "dog bites") for n in range(30)))
        dense.add(put("quiet", page("income tax", metadata={"court": "bger", "date": "2025-06-01"})))
        dense.embed()
        for accepts in (OneOf("court", ("bger",)), Between("date", "2025", "2025-12")):
            ranking = dense.mean(asking("dog bites", filters=(accepts,), depth=1))
            assert ([found.element_id for found in ranking.found], ranking.total) == (["quiet"], 1)
        every = dense.mean("dog bites").found
        assert ranking.found[0] in every
        nothing = dense.mean(asking("dog", filters=(OneOf("court", ("none",)),)))
        assert (nothing.found, nothing.total, nothing.status) == ((), 0, "ok")

    @pytest.mark.parametrize("each", [1, 2, 50])
    def test_among_some_elements_meaning_is_measured_as_among_all(self, dense: Shelf, among: Shelf, each: int) -> None:
        shelf = dense
        assert among is shelf
        fill_long(shelf)
        shelf.embed()
        shelf.embed(SIBLING)
        views = (shelf.view(roles=("clerk",)), shelf.view(SIBLING))
        about = Among(frozenset({(SIBLING, "a"), (SCOPE, "d"), (SCOPE, "b")}), each)
        everything = [f._replace(window=-1) for f in shelf.mean(asking("the old dog", group="chunk"), *views).found]
        expected = []
        for scope, element_id in ((SIBLING, "a"), (SCOPE, "d")):
            expected += [f for f in everything if (f.scope, f.element_id) == (scope, element_id)][:each]
        found = shelf.mean(asking("the old dog", depth=1, among=about), *views)
        assert list(found.found) == [f for f in everything if f in expected]
        assert (found.total, found.background) == (4, None)

    def test_scanning_every_vector_gives_the_same_answer(self, exact_scan: Shelf) -> None:
        dense = exact_scan
        fill(dense)
        dense.embed()
        for group in ("element", "chunk"):
            assert dense.mean(asking("dog court", group=group, exact=True)) == dense.mean(
                asking("dog court", group=group)
            )

    def test_a_question_of_other_dimensions_is_refused(self, dense: Shelf) -> None:
        shelf = dense
        shelf.add(put("a", "a dog"))
        shelf.embed()
        with pytest.raises(InvalidArgument, match=r"3 dimensions.* 64"):
            shelf.mean(replace(asking("dog"), vector=(1, 2, 3)))

    def test_an_answer_says_what_it_stands_out_of(self, dense: Shelf) -> None:
        dense.add(put("a", page("dog bites", metadata={"x": "1"})), put("b", "income tax"), put("c", "dog bites"))
        dense.add(put("d", page("dog bites often", roles=("judge",))), RemoveElement("c"))
        dense.embed()
        view = dense.view(roles=())
        ranking = dense.mean("dog bites", view)
        one, other = (found.raw for found in ranking.found)
        assert ranking.background is not None
        assert ranking.background.mean == pytest.approx((one + other) / 2)
        assert ranking.background.deviation == pytest.approx((one - other) / 2)
        filtered = dense.mean(asking("dog bites", filters=(OneOf("x", ("1",)),)), view)
        assert (len(filtered.found), filtered.background) == (1, ranking.background)
