"""Sentences are spans of the text, and the abbreviations of the law do not end them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.sentences import sentences

ABBREVIATED = {
    "de": [
        "Nach Art. 41 Abs. 1 OR haftet, wer schädigt.",
        "Vgl. E. 3.1 und Ziff. 2 lit. a hiervor.",
        "Das gilt z. B. auch für Mieter.",
        "Es gilt i.V.m. Art. 2 ZGB.",
        "Prof. Müller ist Nr. 5.",
    ],
    "fr": ["Selon l'art. 5 al. 2 Cst., consid. 4.1, cela vaut.", "Voir le no. 5 de la liste."],
    "it": ["Ai sensi dell'art. 3 cpv. 1 lett. a della legge."],
    "en": ["See Sec. 2 and no. 5 of the act, e.g. Smith v. Jones.", "He said no.", "Then he left."],
}


@pytest.mark.parametrize("language", ABBREVIATED)
def test_abbreviations_do_not_split(language: str) -> None:
    text = " ".join(ABBREVIATED[language])
    assert [text[span.start : span.end] for span in sentences(text, language)] == ABBREVIATED[language]


@pytest.mark.parametrize("language", ["", "xx", "de", "ja"])
@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "\ud800 Ja. Nein.", "a\x00b. C", "." * 500, "x" * 100_000, "e\u0301. B"]
)
def test_odd_input_never_raises(text: str, language: str) -> None:
    _check_cover(text, language)


def test_a_blank_line_ends_a_sentence_even_after_an_abbreviation() -> None:
    text = "Siehe Art.\r\n\r\n5 Franken."
    assert [text[span.start : span.end] for span in sentences(text, "de")] == ["Siehe Art.", "5 Franken."]


def test_characters_that_sentencex_drops_do_not_shift_spans() -> None:
    text = "Das ist ein Satz mit Art. 5 drin.\n\n" * 5000
    found = sentences(text, "de")
    assert len(found) == 5000
    assert {text[span.start : span.end] for span in found} == {"Das ist ein Satz mit Art. 5 drin."}


@given(
    st.text(alphabet=st.sampled_from("aA. \n\r\t!?5,é😀\u0301\u00a0\ud800。"), max_size=200),
    st.sampled_from(["", "de", "fr", "zh"]),
)
def test_spans_cover_all_but_white_space(text: str, language: str) -> None:
    _check_cover(text, language)


def _check_cover(text: str, language: str) -> None:
    at = 0
    for span in sentences(text, language):
        assert not text[at : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        at = span.end
    assert not text[at:].strip()
