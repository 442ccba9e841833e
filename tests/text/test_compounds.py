"""Compounds are split and joined only into words that the caller can see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.compounds import COMPOUNDING, join, split
from pincite.text.words import term_of


class Seen(dict[str, int]):
    """How many visible passages hold a word, by its German term."""

    def __init__(self, language: str = "de", **words: int) -> None:
        super().__init__({term_of(word, language): count for word, count in words.items()})

    def __call__(self, term: str) -> int:
        return self.get(term, 0)


@pytest.mark.parametrize(
    ("word", "seen", "parts"),
    [
        ("hundebiss", {"hund": 3, "biss": 2}, ("hund~de", "biss~de")),
        ("kundigungsfrist", {"kundigung": 1, "frist": 1}, ("kundig~de", "frist~de")),
        ("bundesgericht", {"bund": 4, "gericht": 4}, ("bund~de", "gericht~de")),
        ("hundebiss", {"hund": 3}, ()),
        ("hundebiss", {"biss": 3}, ()),
        ("hundebiss", {}, ()),
        ("biss", {"bi": 1, "ss": 1}, ()),
        ("artikel41", {"artikel": 1}, ()),
        ("x" * 50, {"x" * 25: 1}, ()),
    ],
)
def test_a_compound_is_split_where_both_halves_can_be_seen(word: str, seen: dict[str, int], parts: tuple[str]) -> None:
    assert split(word, "de", Seen(**seen)) == parts


def test_the_split_whose_halves_are_seen_most_wins() -> None:
    seen = Seen(stau=1, becken=1, staub=50, ecken=50)
    assert split("staubecken", "de", seen) == (term_of("staub", "de"), term_of("ecken", "de"))
    seen = Seen(stau=80, becken=80, staub=2, ecken=2)
    assert split("staubecken", "de", seen) == (term_of("stau", "de"), term_of("becken", "de"))


def test_two_words_are_joined_where_the_compound_can_be_seen() -> None:
    assert join("hund", "biss", "de", Seen(hundebiss=1)) == ("hundebiss~de",)
    assert join("hunde", "bisse", "de", Seen(hundebiss=1)) == ("hundebiss~de",)
    assert join("biss", "hund", "de", Seen(hundebiss=1)) == ()
    assert join("hund", "biss", "de", Seen()) == ()
    assert join("kundigung", "frist", "de", Seen(kundigungsfrist=1)) == (term_of("kundigungsfrist", "de"),)


@pytest.mark.parametrize("language", ["en", "fr", "", "ja"])
def test_languages_that_do_not_glue_words_are_left_alone(language: str) -> None:
    assert split("hundebiss", language, lambda _: 1) == join("hund", "biss", language, lambda _: 1) == ()


@given(
    st.text(st.characters(categories=("Ll",), max_codepoint=0x24F), max_size=45), st.sampled_from(sorted(COMPOUNDING))
)
def test_a_split_never_raises_and_gives_two_visible_terms_or_none(word: str, language: str) -> None:
    asked: list[str] = []

    def frequency(term: str) -> int:
        asked.append(term)
        return len(term) % 3

    parts = split(word, language, frequency)
    assert len(parts) in (0, 2)
    assert all(part in asked and len(part) % 3 for part in parts)
