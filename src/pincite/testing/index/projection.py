"""A projection: it follows the catalog, says how far, and can always be rebuilt."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import Conflict, Locked
from pincite.protocols import Index
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import SCOPE, Shelf, answers, fill, page, put
from pincite.testing.vectors import MODEL
from pincite.types import RemoveElement


class ProjectionContract(Opened):
    """Every promise of `pincite.protocols.Projection`, as a test."""

    def test_advancing_again_changes_nothing(self, shelf: Shelf) -> None:
        shelf.add(put("a", "a dog"), put("b", "another dog"))
        before = answers(shelf), shelf.index.status(SCOPE)
        assert shelf.index.advance(SCOPE) == 1
        assert (answers(shelf), shelf.index.status(SCOPE)) == before

    def test_an_unknown_repository_is_empty(self, shelf: Shelf) -> None:
        assert shelf.index.reached(SCOPE) == shelf.index.advance(SCOPE) == shelf.index.rebuild(SCOPE) == 0
        assert shelf.index.merge(SCOPE) is False
        assert not any(found for said in answers(shelf) if isinstance(said, tuple) for found in said)
        assert (shelf.index.check(SCOPE), shelf.index.status(SCOPE).revision) == ((), 0)

    def test_the_status_says_how_far_behind_it_is(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("one", "two")), put("b", "three"))
        shelf.add(RemoveElement("b"))
        shelf.commit(put("c", "four"))
        status = shelf.index.status(SCOPE)
        assert (status.revision, status.head, status.chunks, status.problem) == (2, 3, 2, "")

    def test_an_answer_at_a_revision_never_changes(self, replaying: Shelf) -> None:
        shelf = replaying
        fill(shelf)
        revision = shelf.index.reached(SCOPE)
        before = answers(shelf, revision=revision)
        for n in range(8):
            shelf.add(put(f"later {n}", page("dog court secret", language=("de", "fr")[n % 2])))
            shelf.add(RemoveElement(f"e{n}"), put("a", f"dog {n}"))
            assert answers(shelf, revision=revision) == before
        while shelf.index.merge(SCOPE):
            assert answers(shelf, revision=revision) == before
        shelf.index.rebuild(SCOPE)
        assert answers(shelf, revision=revision) == before

    def test_the_order_of_ingest_changes_nothing(self, tmp_path: Path) -> None:
        texts = {f"e{n}": "dog " * (n % 3) + "cat " * (n % 4) + "court" for n in range(10)}
        one, many, backwards = (self.make_shelf(tmp_path / name) for name in ("one", "many", "backwards"))
        one.add(*(put(element_id, text) for element_id, text in texts.items()))
        for element_id, text in texts.items():
            many.add(put(element_id, text))
        for element_id, text in reversed(texts.items()):
            backwards.commit(put(element_id, text))
        backwards.index.advance(SCOPE)
        assert answers(one) == answers(many) == answers(backwards)
        for shelf in (one, many, backwards):
            shelf.catalog.close()

    def test_merging_rebuilding_and_reopening_change_nothing(self, shelf: Shelf, tmp_path: Path) -> None:
        fill(shelf)
        revisions = range(shelf.index.reached(SCOPE) + 1)
        before = [answers(shelf, revision=r) for r in revisions]
        while shelf.index.merge(SCOPE):
            assert [answers(shelf, revision=r) for r in revisions] == before
        assert shelf.index.rebuild(SCOPE) == revisions[-1]
        assert [answers(shelf, revision=r) for r in revisions] == before
        shelf.index = self.make_index(shelf.catalog, tmp_path)
        shelf.index.advance(SCOPE)
        if shelf.index.features.dense:
            shelf.index.take_vectors(SCOPE, MODEL)
        assert [answers(shelf, revision=r) for r in revisions] == before
        assert shelf.index.check(SCOPE) == ()

    def test_a_rebuild_is_shown_before_it_is_taken_up_and_dropped_if_refused(self, shelf: Shelf) -> None:
        fill(shelf)
        before, status = answers(shelf), shelf.index.status(SCOPE)
        seen = []

        def refuse(candidate: Index) -> None:
            seen.append(answers(Shelf(shelf.catalog, candidate)))
            raise Conflict("no")

        with pytest.raises(Conflict, match="no"):
            shelf.index.rebuild(SCOPE, accept=refuse)
        assert seen == [before] == [answers(shelf)]
        assert shelf.index.status(SCOPE) == status
        shelf.index.rebuild(SCOPE, accept=lambda candidate: seen.append(answers(Shelf(shelf.catalog, candidate))))
        assert seen == [before, before] and answers(shelf) == before

    def test_after_a_purge_the_index_equals_a_rebuild(self, shelf: Shelf) -> None:
        fill(shelf)
        shelf.add(RemoveElement("e2"))
        shelf.catalog.commits.purge(SCOPE, ["e1", "e2", "e3"])
        head = shelf.index.advance(SCOPE)
        before = [answers(shelf, revision=r) for r in range(head + 1)]
        shelf.index.rebuild(SCOPE)
        assert [answers(shelf, revision=r) for r in range(head + 1)] == before

    def test_a_writer_that_may_not_wait_is_refused_or_served_at_once(self, shelf: Shelf, tmp_path: Path) -> None:
        shelf.add(put("a", "a dog"))
        shelf.commit(put("b", "a dog"))
        served = []

        def write_too(candidate: Index) -> None:  # noqa: ARG001
            other = self.make_index(shelf.catalog, tmp_path)
            try:
                served.append(other.advance(SCOPE, wait_seconds=0))
            except Locked:
                served.append(2)
            finally:
                other.close()

        assert shelf.index.rebuild(SCOPE, accept=write_too) == 2
        assert served == [2]

    def test_a_closed_index_opens_again_for_the_next_question(self, shelf: Shelf) -> None:
        fill(shelf)
        before = answers(shelf)
        shelf.index.close()
        assert answers(shelf) == before
        shelf.index.close()
        assert shelf.index.reached(SCOPE) == shelf.index.advance(SCOPE)
