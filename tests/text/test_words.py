"""From text to index terms: nothing raises, nothing is lost, nothing depends on anything but text and language."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.words import (
    MAX_WORD,
    SNOWBALL,
    analyse,
    bigrams,
    camel_parts,
    folded_words,
    stem,
    term_of,
    terms_of,
    tokens,
    without_elisions,
)

languages = st.sampled_from(("", "xx", "ja", *SNOWBALL))


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", []),
        (" ., – … ", []),
        ("The dog's owner.", ["The", "dog's", "owner"]),
        ("4A_123/2020, E. 3.1", ["4A_123/2020", "E", "3.1"]),
        ("l’article", ["l’article"]),
        ("ann@example.org", ["ann@example.org"]),
        ("Haft\u00adpflicht", ["Haftpflicht"]),
        ("हिन्दी", ["हिन्दी"]),
        ("東京都、大阪", ["東京都", "大阪"]),
        ("a-b‑c", ["a-b‑c"]),
        ("(§ 4)", ["4"]),
    ],
)
def test_text_is_cut_into_raw_tokens(text: str, cut: list[str]) -> None:
    assert tokens(text) == cut


@pytest.mark.parametrize(
    ("token", "language", "words", "terms"),
    [
        ("Hunde", "de", ["hunde"], ["hund~de"]),
        ("Hunde", "", ["hunde"], ["hunde"]),
        ("2020", "de", ["2020"], ["2020"]),
        ("l'article", "fr", ["l", "article"], ["l~fr", "articl~fr"]),
        ("4A_123/2020", "de", ["4a", "123", "2020"], ["4a", "123", "2020", "4a.123.2020"]),
        ("OrderService", "en", ["orderservice"], ["orderservic~en", "order~en", "servic~en", "order.service"]),
        ("order_service", "en", ["order", "service"], ["order~en", "servic~en", "order.service"]),
        ("東京都", "ja", ["東", "京", "都"], ["東京", "京都"]),
        ("京", "ja", ["京"], ["京"]),
        ("第4条", "ja", ["第", "4", "条"], ["第", "4", "条"]),
        ("Tokyo東京", "en", ["tokyo", "東", "京"], ["tokyo~en", "東京"]),
        ("___", "en", [], []),
    ],
)
def test_a_token_gives_words_and_terms(token: str, language: str, words: list[str], terms: list[str]) -> None:
    analysed = analyse(token, language)
    assert (list(analysed.words), list(analysed.terms)) == (words, terms)


def test_a_long_word_is_cut_but_a_long_run_without_spaces_is_not() -> None:
    assert analyse("x" * 5000, "en").words == ("x" * MAX_WORD,)
    run = "กฎหมายแพ่ง" * 50
    assert "".join(analyse(run, "th").words) == run
    assert len(analyse(run, "th").terms) == len(run) - 1


@pytest.mark.parametrize(
    ("piece", "humps"),
    [
        ("OrderService", ("order", "service")),
        ("orderService", ("order", "service")),
        ("HTTPServer", ("http", "server")),
        ("ÜberMensch", ("uber", "mensch")),
        ("GmbH", ()),
        ("iPhone", ()),
        ("word", ()),
        ("WORD", ()),
        ("Order_Service", ()),
        ("", ()),
    ],
)
def test_humps(piece: str, humps: tuple[str, ...]) -> None:
    assert camel_parts(piece) == humps


@pytest.mark.parametrize(
    ("token", "bare"),
    [
        ("l'article", "article"),
        ("L’État", "État"),
        ("dell'ordinanza", "ordinanza"),
        ("qu'il", "il"),
        ("don't", "don't"),
        ("O'Brien", "O'Brien"),
        ("aujourd'hui", "aujourd'hui"),
        ("word", "word"),
        ("l'", "l'"),
    ],
)
def test_elided_articles_are_dropped_from_queries(token: str, bare: str) -> None:
    assert without_elisions(token) == bare


def test_stems_carry_their_language_and_other_terms_do_not() -> None:
    assert term_of("hunde", "de") == "hund~de"
    assert term_of("4a", "de") == "4a"
    assert term_of("word", "xx") == "word"
    assert stem("haeuser", "de") == stem("hauser", "de") == "haus"


@given(st.text(max_size=60), languages)
def test_analysis_never_raises_and_gives_no_empty_word_or_term(text: str, language: str) -> None:
    for token in tokens(text):
        analysed = analyse(token, language)
        assert all(analysed.words)
        assert all(analysed.terms)
        assert bool(analysed.words) == bool(analysed.terms)


@given(st.text(max_size=60), languages)
def test_composed_and_decomposed_text_gives_the_same_tokens(text: str, language: str) -> None:
    composed, decomposed = (tokens(unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
    assert composed == decomposed
    assert [analyse(t, language) for t in composed] == [analyse(t, language) for t in decomposed]


@given(st.text(max_size=30), languages)
def test_a_term_is_a_function_of_word_and_language(word: str, language: str) -> None:
    fresh = analyse.__wrapped__
    assert term_of(word, language) == term_of(word, language)
    assert all(fresh(token, language) == analyse(token, language) for token in tokens(word))


@given(st.lists(st.text(max_size=30) | st.sampled_from(["Häuser", "hundebiss", "ARBEITS", "straße", "4b"])), languages)
def test_many_words_have_the_terms_that_each_has_alone(words: list[str], language: str) -> None:
    assert terms_of(words, language) == [term_of(word, language) for word in words]


@given(st.text(max_size=60))
def test_a_phrase_is_read_like_running_text(text: str) -> None:
    """Words do not depend on the language of the passage, so that a phrase can be compared with any."""
    for language in ("de", "ja"):
        assert folded_words(text) == tuple(word for t in tokens(text) for word in analyse(t, language).words)


@given(st.text(min_size=1, max_size=20))
def test_pairs_cover_the_run(run: str) -> None:
    pairs = bigrams(run)
    assert pairs == [run] if len(run) == 1 else "".join(pair[0] for pair in pairs) + pairs[-1][1] == run
