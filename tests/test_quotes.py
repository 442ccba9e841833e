"""Quotes are compared blind to white space and typography, never to words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pincite.text.quotes import align_quote, find_quote, normalise_quote
from runaway import stopped_if_it_runs_away

SOURCE = "He said:  “The\nfee — 5 % — isn’t due”…\n\nUntil\u00a0then, co\u00adoperation\tis free. «Fin»"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("The fee", "The\nfee"),
        ('"The fee - 5 % - isn\'t due"...', "The\nfee — 5 % — isn’t due”…"),
        ("„The fee“", "The\nfee"),
        ("isn't due", "isn’t due"),
        ("Until then, cooperation is free.", "Until\u00a0then, co\u00adoperation\tis free."),
        ("  Until\n then ", "Until\u00a0then"),
        ("Fin", "Fin"),
    ],
)
def test_white_space_and_typography_do_not_count(quote: str, found: str) -> None:
    span = find_quote(quote, normalise_quote(SOURCE))
    assert span is not None
    assert SOURCE[span.start : span.end].rstrip("”…") == found.rstrip("”…")


@pytest.mark.parametrize("quote", ["the fee", "The fees", "The 5 %", "", "“”"])
def test_words_and_case_do(quote: str) -> None:
    assert find_quote(quote, normalise_quote(SOURCE)) is None


def test_decomposed_accents_match_composed_ones_and_belong_to_the_span() -> None:
    for source, quote in (("NFD", "NFC"), ("NFC", "NFD")):
        text = unicodedata.normalize(source, "Le dépôt de garantie payé. Fin")
        span = find_quote(unicodedata.normalize(quote, "dépôt de garantie payé"), normalise_quote(text))
        assert span is not None
        cut = text[span.start : span.end]
        assert unicodedata.normalize("NFC", cut) == "dépôt de garantie payé"


def test_a_soft_hyphen_at_the_end_of_a_line_joins_the_word() -> None:
    assert normalise_quote("Vertrags\u00ad\nende").text == "Vertragsende"


TEXTS = st.text(st.sampled_from("ab é“”…ﬁ\u00ad\u0301\u200b \n\t-–’e\u1100\u1161ß."), max_size=40)


@given(TEXTS)
def test_normal_form_is_stable_and_spans_lead_back(text: str) -> None:
    normal = normalise_quote(text)
    assert normalise_quote(normal.text).text == unicodedata.normalize("NFC", normal.text)
    assert "  " not in normal.text
    for start in range(len(normal.text)):
        span = normal.span(start, start + 1)
        assert 0 <= span.start < span.end <= len(text)
        assert normal.text[start] in normalise_quote(text[span.start : span.end]).text or normal.text[start] == " "
        assert normal.position(span.start) <= start


@given(TEXTS, TEXTS, st.integers(0, 80), st.integers(1, 40))
@settings(max_examples=200)
def test_a_stretch_of_normal_text_is_found_where_it_stands(before: str, after: str, start: int, length: int) -> None:
    text = f"{before}ab{after}"
    normal = normalise_quote(text)
    start %= len(normal.text)
    quote = normal.text[start : start + length].strip("\"' ")
    assume(quote and normalise_quote(quote).text == quote)
    span = find_quote(quote, normal)
    assert span is not None
    assert quote in normalise_quote(text[span.start : span.end]).text


@pytest.mark.parametrize(
    ("quote", "edits"),
    [
        ("the tenant pays five francs", [("replaced", "five", "ten")]),
        ("the tenant pays francs", [("omitted", "", "ten")]),
        ("the tenant always pays ten francs", [("inserted", "always", "")]),
        ("The tenant pays ten francs", [("replaced", "The", "the")]),
        ("the tenant pays ten Francs", [("replaced", "Francs", "francs")]),
        ("the tenant pays 1,000 francs", [("replaced", "1,000", "ten")]),
    ],
)
def test_differences_are_told_word_by_word(quote: str, edits: list[tuple[str, str, str]]) -> None:
    found = align_quote(quote, "Every month the tenant pays ten francs to the landlord.")
    assert found is not None
    assert [(edit.change, edit.quoted, edit.source) for edit in found.edits] == edits
    assert 0.6 < found.similarity < 1


def test_nothing_in_common_aligns_with_nothing() -> None:
    assert align_quote("xyz", "alpha beta") is None
    assert align_quote("", "alpha") is None


def test_a_megabyte_is_normalised_and_searched_to_its_end() -> None:
    text = "Der Vertrag endet mit Ablauf der Frist. Das Gericht — „so“ — weist die Klage ab.\n" * 13_000
    source = unicodedata.normalize("NFD", text) + "Später gilt dies."
    with stopped_if_it_runs_away():
        span = find_quote("Später gilt dies.", normalise_quote(source))
    assert span is not None
    assert source[span.start : span.end] == "Später gilt dies."


def test_marks_of_markdown_are_not_part_of_a_quote() -> None:
    source = "The **notice period** is `30 days`,\n* counted from *receipt*."
    found = find_quote("notice period is 30 days, counted from receipt", normalise_quote(source))
    assert found is not None
    assert source[found.start : found.end] == "notice period** is `30 days`,\n* counted from *receipt"
