"""Phrases and prefixes; skipped where an engine declares that it has none."""

from __future__ import annotations

from pincite.queries import Phrase, Prefix
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import Shelf, page, passage, put


class Phrases(Opened):
    """Words side by side, and words that begin alike."""

    def test_a_phrase_needs_its_words_side_by_side(self, phrases: Shelf) -> None:
        phrases.add(
            put("yes", "The Owner of a Dog is liable."), put("reversed", "a dog of owner"),
            put("apart", "owner, of dog"), put("twice", "owner of a dog; owner of a dog"),
        )  # fmt: skip
        assert phrases.find(Phrase("owner of a dog")) == ["twice", "yes"]
        assert phrases.find(Phrase("owner of a cat")) == []
        assert phrases.ask(Phrase("OWNER, of - a dog")).total == 2

    def test_a_phrase_is_found_at_both_ends_of_a_field(self, phrases: Shelf) -> None:
        phrases.add(put("a", "first words in the middle last words"))
        assert phrases.find(Phrase("first words")) == phrases.find(Phrase("last words")) == ["a"]
        assert phrases.find(Phrase("words in the middle last words")) == ["a"]

    def test_no_phrase_crosses_from_one_field_or_chunk_into_another(self, phrases: Shelf) -> None:
        chunks = (passage("ends here", section_id="begins"), passage("next one", 1, section_id="x"))
        phrases.add(put("a", page(*chunks, name="over", defined=(("and out", 0),))))
        for crossing in ("here over", "over begins", "begins and", "out next", "here next"):
            assert phrases.find(Phrase(crossing)) == []
        assert phrases.find(Phrase("and out")) == ["a"]

    def test_a_phrase_is_compared_without_case_and_accents_but_not_by_stem(self, phrases: Shelf) -> None:
        phrases.add(put("a", page("Die Häuser der Stadt Zürich", language="de")))
        assert phrases.find(Phrase("HAUSER DER")) == ["a"]
        assert phrases.find(Phrase("Haus der")) == []

    def test_a_phrase_may_hold_identifiers_and_elisions(self, phrases: Shelf) -> None:
        phrases.add(put("a", page("selon l'arrêt 4A_123/2020 du 3 mai", language="fr")))
        assert phrases.find(Phrase("l'arrêt 4A_123/2020")) == ["a"]
        assert phrases.find(Phrase("arret 4a 123 2020 du")) == ["a"]
        assert phrases.find(Phrase("123/2020")) == ["a"]

    def test_a_phrase_in_a_field(self, phrases: Shelf) -> None:
        phrases.add(put("a", page(passage("the dog bites", parent_chain=("dog bites man",)))))
        assert phrases.find(Phrase("dog bites man", field="headings")) == ["a"]
        assert phrases.find(Phrase("the dog bites", field="headings")) == []

    def test_a_prefix_finds_every_word_that_begins_like_it(self, prefixes: Shelf) -> None:
        prefixes.add(
            put("a", page("Mietvertrag", language="de")), put("b", page("Mieterin", language="de")),
            put("c", page("Vermieter", language="de")), put("d", page("ÉTATS", language="fr")),
        )  # fmt: skip
        assert prefixes.find(Prefix("miet")) == ["a", "b"]
        assert prefixes.find(Prefix("Mieter")) == ["b"]
        assert prefixes.find(Prefix("eta")) == prefixes.find(Prefix("Éta")) == ["d"]
        assert prefixes.find(Prefix("zz")) == []

    def test_a_phrase_of_a_script_without_spaces_ignores_spaces(self, phrases: Shelf) -> None:
        phrases.add(put("one", page("東京都大阪府", language="ja")), put("two", page("東京都 大阪府", language="ja")))
        phrases.add(put("no", page("大阪府東京都", language="ja")), put("ko", page("대한민국 헌법", language="ko")))
        assert sorted(phrases.find(Phrase("都大阪"))) == ["one", "two"]
        assert sorted(phrases.find(Phrase("東京都 大阪府"))) == ["one", "two"]
        assert phrases.find(Phrase("대한민국 헌법")) == ["ko"]

    def test_a_prefix_of_a_script_without_spaces_is_a_run_of_characters(self, prefixes: Shelf) -> None:
        prefixes.add(put("a", page("東京都の条例", language="ja")), put("b", page("京都", language="ja")))
        assert prefixes.find(Prefix("東京")) == ["a"]
        assert sorted(prefixes.find(Prefix("京"))) == ["a", "b"]
