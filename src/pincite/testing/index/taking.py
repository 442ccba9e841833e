"""Vectors come and go: taken from the catalog, let go of, erased."""

from __future__ import annotations

from pincite.queries import OneOf, Ranking
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import SCOPE, SIBLING, Shelf, page, passage, put
from pincite.testing.vectors import MODEL, asking, embed


class VectorsTaken(Opened):
    """What is there is said, and nothing else is answered from."""

    def test_what_has_no_vectors_yet_is_said(self, dense: Shelf) -> None:
        assert dense.index.dense((), asking("dog")) == Ranking("dense")
        assert dense.mean("dog") == Ranking("dense")
        dense.add(put("a", page("a dog", metadata={"x": "1"})), put("b", "a cat"), put("c", "a cow"))
        nothing = dense.mean("dog")
        assert (nothing.status, nothing.found, nothing.total) == ("unavailable", (), 0)
        assert "pincite embed" in nothing.reason
        assert dense.index.take_vectors(SCOPE, MODEL) == 0
        assert dense.mean("dog") == nothing
        assert dense.embed(chosen=lambda text: "dog" in text) == 1
        some = dense.mean("dog")
        assert (some.status, some.total, [found.element_id for found in some.found]) == ("partial", 1, ["a"])
        assert some.reason == "1 of 3 passages have vectors; the rest wait for: pincite embed"
        assert dense.mean(asking("dog", filters=(OneOf("x", ("1",)),))).status == "ok"
        assert (dense.embed(), dense.embed()) == (2, 0)
        assert (dense.mean("dog").status, dense.mean("dog").total) == ("ok", 3)
        dense.add(put("d", "a bird"))
        assert dense.mean("dog").reason.startswith("3 of 4 ")
        assert dense.mean("dog", dense.view(revision=1)).status == "ok"

    def test_vectors_wait_in_the_catalog_until_they_are_taken(self, dense: Shelf) -> None:
        assert dense.index.take_vectors(SCOPE, MODEL) == 0
        dense.commit(put("a", "a dog"))
        assert dense.embed() == 0
        dense.index.advance(SCOPE)
        assert dense.mean("dog").status == "unavailable"
        assert dense.index.take_vectors(SCOPE, MODEL) == 1
        assert dense.near("dog") == ["a"]

    def test_a_bare_heading_has_no_meaning_of_its_own(self, dense: Shelf) -> None:
        heading = passage("Dogs", chunk_type="header", parent_chain=("Dogs",))
        dense.add(put("a", page(heading, passage("they bite", parent_chain=("Dogs", "Bites")))))
        dense.embed()
        ranking = dense.mean(asking("Dogs", group="chunk"))
        assert ([found.chunk for found in ranking.found], ranking.status) == ([1], "ok")

    def test_models_do_not_mix(self, dense: Shelf) -> None:
        dense.add(put("a", "a dog"), put("b", "a cat"))
        dense.embed()
        other = asking("a dog", fingerprint="other/1")
        assert dense.mean(other).status == "unavailable"
        embed(dense.catalog, SCOPE, fingerprint="other/1", chosen=lambda text: "cat" in text)
        assert dense.index.take_vectors(SCOPE, "other/1") == 1
        assert (dense.near(other), dense.near("a dog")) == (["b"], ["a", "b"])

    def test_a_repository_without_vectors_is_counted_beside_one_with(self, dense: Shelf) -> None:
        dense.add(put("a", "a dog"))
        dense.add(put("b", "a dog"), put("c", "a cat"), scope=SIBLING)
        dense.embed()
        both = dense.mean("dog", dense.view(), dense.view(SIBLING))
        assert ([found.element_id for found in both.found], both.status) == (["a"], "partial")
        assert both.reason.startswith("1 of 3 ")
        assert dense.mean("dog", dense.view(SIBLING)).status == "unavailable"
        dense.embed(SIBLING)
        assert dense.near("dog", dense.view(SIBLING), dense.view()) == ["a", "b", "c"]

    def test_a_purge_erases_vectors_and_a_text_that_others_hold_keeps_them(self, dense: Shelf) -> None:
        dense.add(put("a", page("a secret", "a dog")), put("b", "a dog"))
        dense.embed()
        dense.catalog.commits.purge(SCOPE, ["a"])
        dense.index.advance(SCOPE)
        assert dense.near("a secret") == dense.near("a secret", dense.view(revision=1)) == ["b"]
        assert (dense.mean("dog").status, dense.mean("dog").total) == ("ok", 1)
        dense.add(put("c", "a secret"))
        assert dense.mean("dog").reason.startswith("1 of 2 ")
        assert dense.embed() == 1
        assert dense.near("a secret") == ["c", "b"]

    def test_a_text_that_was_erased_and_came_back_is_embedded_anew(self, dense: Shelf) -> None:
        dense.add(put("a", "a secret"), put("b", "a dog"))
        dense.embed()
        dense.catalog.commits.purge(SCOPE, ["a"])
        dense.add(put("c", "a secret"))
        assert dense.mean("dog").reason.startswith("1 of 2 ")
        assert (dense.embed(), dense.mean("dog").status) == (1, "ok")

    def test_the_vectors_of_a_model_can_be_let_go_and_taken_again(self, dense: Shelf) -> None:
        dense.index.drop_vectors(SCOPE, MODEL)
        dense.add(put("a", "one"))
        dense.embed()
        embed(dense.catalog, SCOPE, fingerprint="other/1")
        dense.index.take_vectors(SCOPE, "other/1")
        dense.index.drop_vectors(SCOPE, MODEL)
        dense.index.drop_vectors(SCOPE, MODEL)
        assert not dense.index.has_vectors([dense.view()], MODEL)
        assert dense.index.has_vectors([dense.view()], "other/1")
        assert dense.index.take_vectors(SCOPE, MODEL) == 1
        assert dense.near("one") == ["a"]

    def test_whether_there_are_vectors_is_known_without_a_question(self, dense: Shelf) -> None:
        assert not dense.index.has_vectors((), MODEL)
        assert not dense.index.has_vectors([dense.view()], MODEL)
        dense.add(put("a", "a dog"))
        assert not dense.index.has_vectors([dense.view()], MODEL)
        dense.embed()
        assert dense.index.has_vectors([dense.view(SIBLING), dense.view()], MODEL)
        assert not dense.index.has_vectors([dense.view()], "other/1")
        assert not dense.index.has_vectors([dense.view(SIBLING)], MODEL)
