"""Groups, ties, totals, explanations, and the best chunks of some elements."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from pincite.queries import All, Among, Not, OneOf, Ranking, Scoring, Word, WordQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import PLAIN, SCOPE, SIBLING, Shelf, fill_long, page, put, words
from pincite.types import Scope, View


class WordGroups(Opened):
    """What a ranking of words is made of."""

    def test_an_element_is_one_hit_shown_by_its_best_chunk(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("a cat and a dog and more", "a dog", "a mouse")), put("b", "a dog and a cat or so"))
        ranking = shelf.ask(WordQuery(Word("dog"), scoring=PLAIN))
        assert [(found.element_id, found.chunk) for found in ranking.found] == [("a", 1), ("b", 0)]
        assert ranking.total == 2

    def test_chunks_are_hits_of_their_own_when_asked_for(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("a cat and a dog and more", "a dog", "a mouse")), put("b", "a dog and a cat or so"))
        ranking = shelf.ask(WordQuery(Word("dog"), group="chunk", scoring=PLAIN))
        assert [(found.element_id, found.chunk) for found in ranking.found] == [("a", 1), ("a", 0), ("b", 0)]
        assert ranking.total == 3

    def test_the_depth_counts_groups_not_chunks(self, shelf: Shelf) -> None:
        shelf.add(put("a", page(*["dog"] * 10)), put("b", "dog cat"), put("c", "dog cat bird"))
        assert shelf.find(WordQuery(Word("dog"), depth=2)) == ["a", "b"]
        assert shelf.ask(WordQuery(Word("dog"), depth=2)).total == 3

    def test_ties_are_broken_by_id(self, shelf: Shelf) -> None:
        ids = ["b", "a", "é", "Z", "10", "9", "\U0001f600", "\uffee"]
        for element_id in ids:
            shelf.add(put(element_id, page("dog", "dog")))
        shelf.add(put("b", page("dog", "dog")), scope=SIBLING)
        ordered = sorted(ids)
        assert shelf.find("dog") == ordered
        for depth in range(1, len(ids)):
            assert shelf.find(WordQuery(Word("dog"), depth=depth)) == ordered[:depth]
        chunks = shelf.ask(WordQuery(Word("dog"), group="chunk")).found
        assert [(found.element_id, found.chunk) for found in chunks] == [(i, n) for i in ordered for n in (0, 1)]
        both = shelf.ask(Word("dog"), shelf.view(SIBLING), shelf.view()).found
        assert [found.scope for found in both if found.element_id == "b"] == [SCOPE, SIBLING]
        assert shelf.identify("Page") == ordered

    @pytest.mark.parametrize("group", ["element", "chunk"])
    def test_a_shallow_answer_is_the_head_of_a_deep_one(self, shelf: Shelf, group: Literal["element", "chunk"]) -> None:
        texts = ("dog cat", "dog", "cat", "dog dog bird", "a long text about a dog and nothing else", "bird cat fish")
        for n in range(36):
            shelf.add(put(f"e{n}", page(texts[n % 6], texts[n // 6], language=("en", "de")[n % 2])))
        asked = WordQuery(words("dog cat bird"), group=group, scoring=PLAIN)
        deep = shelf.ask(asked).found
        for depth in (1, 2, 7, 20):
            assert shelf.ask(replace(asked, depth=depth)).found == deep[:depth]

    def test_totals_count_all_that_match(self, shelf: Shelf) -> None:
        shelf.add(*(put(f"e{n}", page("dog", "dog cat")) for n in range(30)))
        for depth in (1, 10, 100):
            ranking = shelf.ask(WordQuery(words("dog cat"), depth=depth))
            assert (ranking.total, ranking.total_is_lower_bound) == (30, False)
        assert shelf.ask(WordQuery(words("dog cat"), group="chunk")).total == 60

    def test_a_hit_explains_itself(self, explains: Shelf) -> None:
        shelf = explains
        shelf.add(put("a", "the dog bites and bit"), put("b", "dogs"), put("c", "a cat"))
        ranking = shelf.ask(WordQuery(words("dog bites unknown"), explained=1))
        first, second = ranking.found
        assert {matched.word: matched.df for matched in first.matched} == {"dog": 2, "bites": 1}
        assert all("dog~en" in matched.terms for matched in first.matched if matched.word == "dog")
        assert sum(matched.share for matched in first.matched) == pytest.approx(first.raw)
        assert all(0 < matched.share <= matched.idf * 1.2 for matched in first.matched)
        assert second.matched == ()

    def test_other_passages_of_an_element_complete_what_a_long_query_asks(self, scoring: Shelf) -> None:
        shelf = scoring
        first, second = "ant bee cat dog elk fox gnu", "hen ibis jay kite lark mole newt"
        shelf.add(
            put("scattered", page(first, second)),
            put("one sided", page(first, "something else entirely and nothing more")),
            put("apart", second),
        )
        asked = WordQuery(words(f"{first} {second}"), explained=10)
        found = {hit.element_id: hit for hit in shelf.ask(asked).found}
        assert next(iter(found)) == "scattered"
        assert found["scattered"].elsewhere > 0
        assert found["one sided"].elsewhere == found["apart"].elsewhere == 0
        for hit in found.values():
            assert sum(word.share for word in hit.matched) + hit.elsewhere == pytest.approx(hit.raw)
        assert {word.word for word in found["scattered"].matched} in ({*first.split()}, {*second.split()})

        def added(query: WordQuery, *views: View) -> list[float]:
            return [hit.elsewhere for hit in shelf.ask(query, *views).found if hit.element_id == "scattered"]

        assert added(replace(asked, scoring=Scoring(elsewhere=0.0))) == [0.0]
        assert added(replace(asked, group="chunk")) == [0.0, 0.0]
        assert added(WordQuery(words(f"{first} hen ibis"))) == [0.0], "a short query is answered by one passage"

    @pytest.mark.parametrize("each", [1, 2, 50])
    def test_among_some_elements_chunks_score_as_they_do_among_all(self, among: Shelf, each: int) -> None:
        shelf = among
        fill_long(shelf)
        elements = frozenset({(SCOPE, "a"), (SCOPE, "b"), (SCOPE, "nothing like it")})
        views = (shelf.view(roles=("clerk",)), shelf.view(SIBLING))
        by_chunk = WordQuery(words("dog cat"), group="chunk", depth=50)
        everything = shelf.ask(by_chunk, *views)
        of_a = [f for f in everything.found if (f.scope, f.element_id) == (SCOPE, "a")]
        assert len(of_a) == 4
        for depth in (1, 50):
            about = Among(elements, each)
            found = shelf.ask(replace(by_chunk, among=about, depth=depth, group="element"), *views)
            assert list(found.found) == of_a[:each]
            assert (found.total, found.total_is_lower_bound) == (4, False)

    def test_among_some_elements_demands_and_filters_hold(self, among: Shelf) -> None:
        shelf = among
        fill_long(shelf)
        about = Among(frozenset({(SCOPE, "a"), (SCOPE, "c")}), 10)
        found = shelf.ask(WordQuery(All((Word("dog"), Not(Word("cat")))), among=about)).found
        assert sorted((f.element_id, f.chunk) for f in found) == [("a", 2), ("a", 3), ("c", 0), ("c", 1)]
        assert shelf.ask(WordQuery(Word("dog"), (OneOf("language", ("de",)),), among=about)).found == ()
        assert shelf.ask(WordQuery(Word("dog"), among=Among(frozenset(), 10))) == Ranking("keyword")
        past = shelf.ask(WordQuery(Word("dog"), among=about), shelf.view(revision=1)).found
        assert sorted((f.element_id, f.chunk) for f in past) == [("a", 0), ("a", 2), ("c", 0), ("c", 1)]

    def test_views_of_several_repositories_share_their_statistics(self, shelf: Shelf) -> None:
        texts = {f"e{n}": ("dog " * (n % 3) + "cat " * (n % 4) + "bird").strip() for n in range(12)}
        together = Scope("acme", "legal", "together")
        for n, (element_id, text) in enumerate(texts.items()):
            shelf.add(put(element_id, text), scope=(SCOPE, SIBLING)[n % 2])
            shelf.add(put(element_id, text), scope=together)
        one = shelf.ask("dog cat", shelf.view(together))
        for views in ((SCOPE, SIBLING), (SIBLING, SCOPE)):
            two = shelf.ask("dog cat", *(shelf.view(scope) for scope in views))
            assert [(f.element_id, f.raw, f.score) for f in two.found] == [
                (f.element_id, f.raw, f.score) for f in one.found
            ]
            assert two.total == one.total
            merged = shelf.index.filter_values([shelf.view(scope) for scope in views])
            assert merged == shelf.index.filter_values([shelf.view(together)])
