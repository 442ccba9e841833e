"""How words score: alone, in fields, in trees."""

from __future__ import annotations

import pytest

from pincite.fields import STRUCTURAL
from pincite.queries import All, Maybe, Node, Not, Phrase, Scoring, Some, Word, WordQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import PLAIN, Shelf, page, passage, put, scores, words


class WordScores(Opened):
    """BM25 over words, fields and trees."""

    def test_more_and_rarer_words_score_higher(self, shelf: Shelf) -> None:
        shelf.add(
            put("both", "the dog bites"), put("rare", "it bites"), put("common", "some dog"), put("other", "one dog"),
            *(put(f"none {n}", "a cat") for n in range(5)),
        )  # fmt: skip
        assert shelf.find("dog bites") == ["both", "rare", "common", "other"]
        assert shelf.ask("dog bites").total == 4

    def test_scores_lie_between_0_and_1(self, shelf: Shelf) -> None:
        shelf.add(*(put(f"e{n}", page("dog " * n + "cat", name="dog")) for n in range(1, 9)))
        ranking = shelf.ask("dog cat")
        assert len(ranking.found) == ranking.total == 8
        for found in ranking.found:
            assert 0 < found.score <= 1
            assert found.raw > 0

    def test_unknown_words_find_nothing_and_hurt_nothing(self, shelf: Shelf) -> None:
        shelf.add(put("a", "a dog"))
        unknown = shelf.ask("xyzzy plugh")
        assert (unknown.found, unknown.total, unknown.status) == ((), 0, "ok")
        assert shelf.find("dog xyzzy") == ["a"]

    @pytest.mark.parametrize("text", ["", "   ", "…", "___", "'", "\x00"])
    def test_a_query_without_words_finds_nothing(self, shelf: Shelf, text: str) -> None:
        shelf.add(put("a", "a dog"))
        for node in (Word(text), Phrase(text), Some(()), All(()), Not(Word("cat")), Maybe(Word(text))):
            assert shelf.find(node) == []

    def test_stop_words_count_only_if_nothing_else_is_left(self, shelf: Shelf) -> None:
        shelf.add(put("a", "the dog"), put("b", "the cat"))
        the = Word("the", stop=True)
        assert shelf.find(Some((the, Word("dog")))) == ["a"]
        assert shelf.find(Some((the,))) == ["a", "b"]

    def test_a_word_counts_as_much_as_its_weight(self, stand_ins: Shelf) -> None:
        shelf = stand_ins
        shelf.add(put("a", "dog"), put("b", "cat"), put("c", "mouse"))
        asked = Some((Word("dog", weight=0.25), Word("cat", weight=0.5), Word("cats", weight=0.1)))
        found = shelf.ask(WordQuery(asked, scoring=PLAIN)).found
        assert [item.element_id for item in found] == ["b", "a"]
        assert found[1].raw == pytest.approx(found[0].raw / 2)

    def test_a_stand_in_that_nobody_can_see_counts_for_nothing(self, isolated: Shelf, stand_ins: Shelf) -> None:
        shelf = isolated
        assert stand_ins is shelf
        shelf.add(put("a", "dog"), put("b", "cat"), put("hidden", page("fox", roles=("partner",))))
        view = shelf.view(roles=())
        alone = shelf.ask(WordQuery(Some((Word("dog", weight=0.5),))), view)
        beside = shelf.ask(WordQuery(Some((Word("dog", weight=0.5), Word("fox", weight=0.4)))), view)
        assert beside.found == alone.found

    def test_a_full_score_needs_as_many_words_as_are_expected(self, stand_ins: Shelf) -> None:
        shelf = stand_ins
        shelf.add(put("a", "dog cat mouse"), put("b", "dog"), put("c", "horse"))
        tree = words("dog cat mouse")
        one, all_of_them = shelf.ask(WordQuery(tree, expected=1)), shelf.ask(WordQuery(tree))
        assert [item.raw for item in one.found] == [item.raw for item in all_of_them.found]
        assert all_of_them.found[0].score < one.found[0].score <= 1

    def test_a_long_query_keeps_its_rarest_words_and_says_so(self, condenses: Shelf) -> None:
        shelf = condenses
        shelf.add(put("a", "dog cat"), put("b", "dog"), put("c", "dog mouse"))
        ranking = shelf.ask(WordQuery(words("dog cat unknown"), max_words=1))
        assert [found.element_id for found in ranking.found] == ["a"]
        assert "1 rarest" in ranking.notes[0]
        assert "2 left out" in ranking.notes[0]

    def test_a_word_as_typed_ranks_before_its_stem(self, scoring: Shelf) -> None:
        shelf = scoring
        shelf.add(put("a", page("les droits", language="fr")), put("b", page("les droit", language="fr")))
        assert shelf.find("droit") == ["b", "a"]
        assert shelf.find("droits") == ["a", "b"]
        assert len(set(scores(shelf.ask(WordQuery(Word("droit"), scoring=PLAIN))).values())) == 1

    def test_headings_and_defined_terms_weigh_more_than_text(self, shelf: Shelf) -> None:
        filler = "some words that fill the passage"
        shelf.add(
            put("text", page(f"{filler} lease", name="x")),
            put("heading", page(passage(filler, parent_chain=("lease",)), name="x")),
            put("term", page(filler, name="x", defined=(("lease", 0),))),
        )
        assert shelf.find(WordQuery(Word("lease"), scoring=PLAIN)) == ["term", "heading", "text"]
        content_only = Scoring(boosts={**dict.fromkeys(STRUCTURAL, 0.0), "content": 1.0})
        ranking = shelf.ask(WordQuery(Word("lease"), scoring=content_only))
        assert ([found.element_id for found in ranking.found], ranking.total) == (["text"], 1)

    def test_written_context_is_searched_and_repeated_headings_count_once(self, shelf: Shelf) -> None:
        written = passage("the dog", parent_chain=("Animals",), context="about liability of keepers")
        structural = passage("the dog", parent_chain=("Animals",), context="Animals")
        plain = passage("the dog", parent_chain=("Animals",))
        shelf.add(put("written", page(written)), put("structural", page(structural)), put("plain", page(plain)))
        assert shelf.find("liability") == ["written"]
        found = scores(shelf.ask("animals"))
        assert found["structural", 0] == found["plain", 0]

    def test_a_field_query_looks_only_there(self, shelf: Shelf) -> None:
        shelf.add(
            put("text", page("rent", name="x")),
            put("heading", page(passage("x", parent_chain=("Rent",)), name="x")),
            put("term", page("x", name="x", defined=(("rent", 0),))),
            put("section", page(passage("x", section_id="4.2"), name="x")),
        )
        assert shelf.find(Word("rent", field="content")) == ["text"]
        assert shelf.find(Word("rent", field="headings")) == ["heading"]
        assert shelf.find(Word("rent", field="terms")) == ["term"]
        assert shelf.find(Word("4.2", field="section")) == ["section"]
        assert shelf.find(Word("rent", field="section")) == []
        assert shelf.find(All((Word("rent", field="headings"), Word("x", field="content")))) == ["heading"]

    def test_a_word_that_also_stands_in_another_field_gains_nothing_there(self, shelf: Shelf) -> None:
        both = page(passage("rent droits", parent_chain=("droit",)), language="fr", name="x")
        other = page(passage("rent droit", parent_chain=("droit",)), language="fr", name="x")
        shelf.add(put("both", both), put("other", other))
        found = scores(shelf.ask(Word("droit", field="headings")))
        assert found["both", 0] == found["other", 0]

    @pytest.mark.parametrize(
        ("tree", "expected"),
        [
            (All((Word("dog"), Word("cat"))), {"dog cat", "dog cat bird"}),
            (All((Word("dog"), Not(Word("cat")))), {"dog", "dog bird"}),
            (All((Word("dog"), Maybe(Word("cat")))), {"dog", "dog cat", "dog bird", "dog cat bird"}),
            (All((Word("dog"), Some((Word("cat"), Word("bird"))))), {"dog cat", "dog bird", "dog cat bird"}),
            (Some((All((Word("dog"), Word("bird"))), Word("fish"))), {"dog bird", "dog cat bird", "fish"}),
            (Some((Word("fish"), Not(Word("dog")))), {"fish"}),
            (All((Word("dog"), Not(All((Word("cat"), Word("bird")))))), {"dog", "dog cat", "dog bird"}),
            (All((Word("dog"), Not(Not(Word("cat"))))), {"dog cat", "dog cat bird"}),
            (All((Word("dog"), Word("unknown"))), set()),
            (All((Maybe(Word("fish")), Maybe(Word("bird")))), {"fish", "dog bird", "dog cat bird"}),
        ],
    )
    def test_a_tree_demands_and_forbids(self, shelf: Shelf, tree: Node, expected: set[str]) -> None:
        shelf.add(*(put(text, text) for text in ("dog", "cat", "dog cat", "dog bird", "dog cat bird", "fish")))
        ranking = shelf.ask(tree)
        assert {found.element_id for found in ranking.found} == expected
        assert ranking.total == len(expected)

    def test_a_forbidden_word_adds_nothing_to_a_score(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog"), put("b", "dog cat"))
        assert scores(shelf.ask(All((Word("dog"), Not(Word("bird")))))) == scores(shelf.ask("dog"))

    def test_an_optional_word_raises_what_holds_it(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog mouse"), put("b", "dog cat"))
        assert shelf.find(All((Word("dog"), Maybe(Word("cat"))))) == ["b", "a"]

    def test_a_demanded_identifier_must_be_there_as_a_whole(self, shelf: Shelf) -> None:
        shelf.add(put("yes", "see 4A_123/2020"), put("parts", "4A and 123 in 2020"))
        assert shelf.find(All((Word("4A_123/2020"),))) == ["yes"]
        assert shelf.find(Word("4A_123/2020")) == ["yes", "parts"]
