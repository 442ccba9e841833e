"""What a word of a query stands for, among what the caller can see."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.expand import (
    MAX_JOINED_WORDS,
    Adjacent,
    Group,
    StartsWith,
    Term,
    Together,
    VisibleVocabulary,
    expand_words,
)
from pincite.text.words import SNOWBALL, term_of, tokens


def expand(query: str, seen: Mapping[str, int] | None = None, languages: tuple[str, ...] = ("de",)) -> list[Group]:
    known = dict(seen or {})
    lexicon = VisibleVocabulary(languages, lambda term: known.get(term, 0))
    return [group for groups in expand_words([(token, "") for token in tokens(query)], lexicon) for group in groups]


def members(query: str, seen: Mapping[str, int] | None = None, languages: tuple[str, ...] = ("de",)) -> list[object]:
    (group,) = expand(query, seen, languages)
    return list(group.members)


def test_a_plain_word_is_its_stem_in_every_visible_language() -> None:
    seen = {"hund~de": 1}
    assert members("hunde", seen) == [Term("hund~de")]
    assert members("hunde", seen, ("", "de", "en")) == [Term("hunde"), Term("hund~de"), Term("hund~en")]
    assert members("hunde", {}, ()) == []


def test_a_word_remembers_how_it_was_typed() -> None:
    (group,) = expand("Hunde", {"hund~de": 1})
    assert (group.word, group.literal, group.field) == ("Hunde", "hunde", "")


def test_umlauts_and_names_are_also_looked_for_in_the_other_spelling() -> None:
    assert Term(term_of("mueller", "en")) in members("Müller", languages=("en",))
    assert Term(term_of("muller", "en")) in members("Mueller", languages=("en",))


def test_a_plain_word_gets_another_spelling_only_if_nobody_wrote_it() -> None:
    blue, other = Term(term_of("blue", "en")), Term(term_of("blu", "en"))
    assert members("blue", {blue.text: 1}, ("en",)) == [blue]
    assert members("blue", {}, ("en",)) == [blue, other]


def test_a_compound_is_also_its_parts_together() -> None:
    assert members("Hundebiss", {"hund~de": 1, "biss~de": 1})[-1] == Together(("hund~de", "biss~de"))
    assert not any(isinstance(member, Together) for member in members("Hundebiss", {"hund~de": 1}))


def test_two_words_are_also_their_compound() -> None:
    seen = {"hund~de": 1, "biss~de": 1, "hundebiss~de": 1}
    first, second = expand("hund biss", seen)
    assert first.members == (Term("hund~de"), Term("hundebiss~de"))
    assert second.members == (Term("biss~de"), Term("hundebiss~de"))


def test_prose_is_not_joined_into_compounds() -> None:
    seen = {"hundebiss~de": 1}
    query = " ".join(["hund", "biss", *("abcdefghijklmnop"[: MAX_JOINED_WORDS - 1])])
    groups = expand(query, seen)
    assert len(groups) == MAX_JOINED_WORDS + 1
    assert not any(Term("hundebiss~de") in group.members for group in groups)


def test_an_identifier_is_one_group_for_the_whole_and_one_for_each_part() -> None:
    whole, *parts = expand("4A_123/2020")
    assert whole.members == (Term("4a.123.2020"), Adjacent(("4a", "123", "2020")))
    assert [group.members for group in parts] == [(Term("4a"),), (Term("123"),), (Term("2020"),)]
    whole, joined, *humps = expand("OrderService", {}, ("en",))
    assert whole.members == (Term("order.service"), Adjacent(("order", "service")))
    assert joined.literal == "orderservice"
    assert [group.literal for group in humps] == ["order", "service"]


def test_elided_articles_are_not_looked_for() -> None:
    assert [group.literal for group in expand("l'article", {"articl~fr": 1}, ("fr",))] == ["article"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("東京都", [(Term("東京"),), (Term("京都"),)]),
        ("京", [(Term("京"), StartsWith("京"))]),
        ("Tokyo東京", [(Term("tokyo~en"),), (Term("東京"),)]),
    ],
)
def test_scripts_without_spaces_are_looked_for_in_pairs(query: str, expected: list[tuple[object, ...]]) -> None:
    assert [group.members for group in expand(query, {"tokyo~en": 1}, ("en",))] == expected


@given(st.text(max_size=40), st.lists(st.sampled_from(("", "ja", *SNOWBALL)), unique=True).map(tuple))
def test_expansion_never_raises_and_repeats_itself(query: str, languages: tuple[str, ...]) -> None:
    seen = {term_of(token.lower(), language): 1 for token in tokens(query) for language in languages}
    first = expand(query, seen, languages)
    assert first == expand(query, seen, languages)
    assert all(len(set(group.members)) == len(group.members) for group in first)
