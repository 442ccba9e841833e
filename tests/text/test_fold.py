"""Folding: what is the same word to a reader is the same string."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.text.fold import clean, fold, spellings

letters = st.text(
    st.characters(codec="utf-8", categories=("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Mn", "Mc")), max_size=12
)


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("Bäcker", "backer"),
        ("BACKER", "backer"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("œuvre", "oeuvre"),
        ("Ærø", "aero"),
        ("ǽ", "ae"),
        ("ǿ", "o"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("ＡＢＣ", "abc"),
        ("ﬁn", "fin"),
        ("Ωμέγα", "ωμεγα"),
        ("Ёлка", "елка"),
        ("हिन्दी", "हिन्दी"),
        ("กำ", unicodedata.normalize("NFKC", "กำ")),
        ("ガス", "ガス"),
        ("ｶﾞｽ", "ガス"),
        ("한국", "한국"),
        ("ﻻ", "لا"),
        ("", ""),
    ],
)
def test_case_width_accents_and_umlauts_are_removed_where_they_are_decoration(word: str, folded: str) -> None:
    assert fold(word) == folded


@given(letters)
@example("ᄀ\u0301ᅡ")
@example("ǽ")
def test_folding_twice_changes_nothing(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@given(letters)
def test_composed_and_decomposed_words_fold_to_the_same(word: str) -> None:
    assert fold(unicodedata.normalize("NFD", word)) == fold(unicodedata.normalize("NFC", word))


@given(st.text(max_size=40))
def test_cleaning_gives_composed_text_without_invisible_characters(text: str) -> None:
    cleaned = clean(text)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not set(cleaned) & set("\u00ad\u200b\u2060\ufeff")
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("Bäcker", ("baecker",)),
        ("Müller", ("mueller",)),
        ("Mueller", ("muller",)),
        ("Goethe", ("gothe",)),
        ("Quelle", ()),
        ("neue", ()),
        ("Haus", ()),
        ("Äpfelmueller", ("aepfelmueller", "apfelmuller")),
    ],
)
def test_umlauts_may_be_spelled_out_and_read_back(word: str, others: tuple[str, ...]) -> None:
    assert spellings(word) == others


@given(letters | st.sampled_from(["Bäcker", "Mueller", "Äpfelmueller"]))
def test_other_spellings_are_folded_and_never_the_word_itself(word: str) -> None:
    for other in spellings(word):
        assert other == fold(other) != fold(word)
