"""What a purge leaves of words: nothing."""

from __future__ import annotations

from pincite.queries import Word, WordQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import SCOPE, Shelf, facts, fill, page, put


class WordsErased(Opened):
    """A purge reaches every leg and every revision."""

    def test_a_purged_element_is_gone_from_every_leg_and_every_revision(self, shelf: Shelf) -> None:
        fill(shelf)
        secret = page("dog secret", name="Secret", metadata={"party": "secret"})
        shelf.add(put("secret", secret), put("e1", "dog cat again"))
        shelf.add(put("secret", "another secret"))
        shelf.catalog.commits.purge(SCOPE, ["secret"], reason="order")
        head = shelf.index.advance(SCOPE)
        for revision in range(head + 1):
            view = shelf.view(revision=revision)
            assert shelf.find("secret", view) == shelf.identify("secret", views=(view,)) == []
            assert "party" not in shelf.index.filter_values([view])
        if shelf.index.features.ever:
            assert shelf.find(WordQuery(Word("secret"), ever=True)) == []

    def test_a_purge_changes_no_answer_at_a_revision_before_the_element_came(self, replaying: Shelf) -> None:
        shelf = replaying
        fill(shelf)
        untouched = shelf.view(revision=shelf.index.reached(SCOPE))
        before = facts(shelf.ask("dog court", untouched))
        shelf.add(put("secret", "dog secret"), put("e1", "dog cat again"))
        shelf.add(put("secret", "another secret"))
        shelf.catalog.commits.purge(SCOPE, ["secret"], reason="order")
        shelf.index.advance(SCOPE)
        assert facts(shelf.ask("dog court", untouched)) == before

    def test_an_element_that_comes_back_after_a_purge_is_found(self, shelf: Shelf) -> None:
        shelf.add(put("a", "old secret"), put("b", "x"))
        shelf.catalog.commits.purge(SCOPE, ["a"])
        shelf.add(put("a", "new text"))
        assert (shelf.find("text"), shelf.find("secret")) == (["a"], [])
