"""Words in time: what is found once it is indexed, at which revision, on which day, by whom."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from pincite.queries import IdentifierQuery, Phrase, Word, WordQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import SCOPE, SIBLING, Shelf, page, passage, put
from pincite.types import Content, Derivation, RemoveElement, State


class WordsInTime(Opened):
    """Views hold in every leg of words."""

    def test_what_is_committed_is_found_once_the_index_has_advanced(self, shelf: Shelf) -> None:
        assert shelf.commit(put("a", "a dog")) == 1
        assert (shelf.index.reached(SCOPE), shelf.find("dog", shelf.view(revision=1))) == (0, [])
        assert (shelf.index.advance(SCOPE), shelf.index.reached(SCOPE)) == (1, 1)
        assert shelf.find("dog") == ["a"]

    def test_many_commits_are_taken_in_one_advance(self, shelf: Shelf) -> None:
        for text in ("a dog", "a cat", "a dog again"):
            shelf.commit(put("a", text))
        shelf.commit(RemoveElement("a"))
        shelf.commit(put("b", "one dog"))
        assert shelf.index.advance(SCOPE) == 5
        assert [shelf.find("dog", shelf.view(revision=r)) for r in range(6)] == [[], ["a"], [], ["a"], [], ["b"]]

    def test_an_empty_repository_answers_nothing(self, shelf: Shelf) -> None:
        shelf.catalog.repositories.ensure(SCOPE)
        assert (shelf.index.advance(SCOPE), shelf.index.reached(SCOPE)) == (0, 0)
        assert shelf.ask("dog").total == 0
        shelf.add(put("a", State(Content("document", "page", "No chunk", ""), Derivation("r"))))
        assert (shelf.index.reached(SCOPE), shelf.find("chunk"), shelf.index.filter_values([shelf.view()])) == (
            1,
            [],
            {},
        )

    def test_an_unknown_repository_has_no_words(self, shelf: Shelf) -> None:
        assert (shelf.find("dog"), shelf.identify("dog"), shelf.index.filter_values([shelf.view()])) == ([], [], {})

    def test_no_view_finds_nothing(self, shelf: Shelf) -> None:
        assert shelf.index.keyword((), WordQuery(Word("dog"))).found == ()
        assert shelf.index.exact((), IdentifierQuery(("dog",))).found == ()
        assert shelf.index.filter_values(()) == {}

    def test_a_removed_element_is_found_until_its_death(self, shelf: Shelf) -> None:
        born = shelf.add(put("a", "a dog"), put("b", "a dog"))
        shelf.add(RemoveElement("a"))
        assert shelf.find("dog") == ["b"]
        assert shelf.find("dog", shelf.view(revision=born)) == ["a", "b"]

    def test_a_changed_element_leaves_no_stale_word(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("a dog", "a long tail")))
        shelf.add(put("a", page("a cat")))
        assert (shelf.find("dog tail"), shelf.find("cat")) == ([], ["a"])

    def test_there_and_back_again_is_found_in_both_lifetimes(self, shelf: Shelf) -> None:
        for text in ("a dog", "a cat", "a dog"):
            shelf.add(put("a", text))
        (first,), (last,) = (shelf.ask("dog", shelf.view(revision=r)).found for r in (1, 3))
        assert first.version_id == last.version_id
        assert first.lifetime_id != last.lifetime_id
        assert shelf.find("dog", shelf.view(revision=2)) == []

    def test_a_new_recipe_replaces_the_chunks(self, shelf: Shelf) -> None:
        whole = page(passage("a dog and a cat"))
        cut = page(passage("a dog"), passage("a cat"))
        shelf.add(put("a", whole))
        shelf.add(put("a", cut))
        (found,) = shelf.ask("cat").found
        assert (found.chunk, found.recipe) == (1, cut.derivation.recipe)
        (before,) = shelf.ask("cat", shelf.view(revision=1)).found
        assert (before.chunk, before.recipe, before.version_id) == (0, whole.derivation.recipe, found.version_id)

    def test_validity_selects_what_is_in_force(self, shelf: Shelf) -> None:
        cut = date(2026, 1, 1)
        shelf.add(put("law", page("old dogs", end=cut), page("new dogs", start=cut, end=date(2027, 1, 1))))
        for day, expected in ((date(2025, 12, 31), "old"), (cut, "new"), (date(2026, 12, 31), "new")):
            assert shelf.find(expected, shelf.view(valid_at=day)) == ["law"]
            assert len(shelf.ask("dogs", shelf.view(valid_at=day)).found) == 1
        assert shelf.find("dogs", shelf.view(valid_at=date(2027, 1, 1))) == []

    def test_roles_decide_who_finds(self, shelf: Shelf) -> None:
        shelf.add(put("open", "a dog"), put("closed", page("a dog", roles=("judge", "clerk"))))
        for roles, expected in (
            (None, ["closed", "open"]),
            ((), ["open"]),
            (("party",), ["open"]),
            (("party", "clerk"), ["closed", "open"]),
        ):
            view = shelf.view(roles=roles)
            assert shelf.find("dog", view) == shelf.identify("Page", views=(view,)) == expected
            assert shelf.index.filter_values([view])["kind"] == {"document": len(expected)}

    def test_changed_roles_hold_from_their_revision_on(self, shelf: Shelf) -> None:
        shelf.add(put("a", "a dog"))
        shelf.add(put("a", page("a dog", roles=("judge",))))
        assert [shelf.find("dog", shelf.view(revision=r, roles=())) for r in (1, 2)] == [["a"], []]

    def test_where_a_quote_may_have_come_from_is_also_asked_of_the_dead(self, phrases: Shelf, ever: Shelf) -> None:
        shelf = phrases
        assert ever is shelf
        shelf.add(put("a", "the old words"), put("b", page("the old words", roles=("judge",))))
        shelf.add(put("a", "other words"))
        asked = WordQuery(Phrase("old words"), ever=True)
        assert shelf.find(asked, shelf.view(roles=())) == ["a"]
        assert shelf.find(asked) == ["a", "b"]
        assert shelf.find(replace(asked, ever=False)) == ["b"]

    def test_lifetimes_of_one_version_tie_in_the_order_of_its_chunks(self, ever: Shelf) -> None:
        shelf = ever
        for text in ("dog", "cat", "dog"):
            shelf.add(put("a", page(text, text)), put("b", "a dog or so"))
        asked = WordQuery(Word("dog"), ever=True, group="chunk")
        first, second = (found.lifetime_id for found in shelf.ask(asked).found[:2])
        expected = [("a", 0, first), ("a", 0, second), ("a", 1, first), ("a", 1, second)]
        for _ in range(2):
            for depth in (1, 2, 3, 4):
                found = shelf.ask(replace(asked, depth=depth)).found
                assert [(hit.element_id, hit.chunk, hit.lifetime_id) for hit in found] == expected[:depth]
            shelf.index.rebuild(SCOPE)
        by_element = shelf.ask(replace(asked, group="element", depth=2))
        assert ([hit.element_id for hit in by_element.found], by_element.total) == (["a", "b"], 2)

    def test_a_view_may_lag_in_one_repository(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog"))
        shelf.add(put("b", "dog"), scope=SIBLING)
        shelf.add(put("c", "dog"))
        assert shelf.find("dog", shelf.view(revision=1), shelf.view(SIBLING)) == ["a", "b"]

    def test_two_open_indexes_see_each_others_work(self, shelf: Shelf, tmp_path: Path) -> None:
        shelf.add(put("a", "a dog"))
        other = Shelf(shelf.catalog, self.make_index(shelf.catalog, tmp_path))
        other.index.advance(SCOPE)
        assert other.find("dog") == ["a"]
        other.add(put("b", "a dog"))
        shelf.index.advance(SCOPE)
        assert shelf.find("dog") == other.find("dog") == ["a", "b"]
