"""Tokens are estimated without a model; spans split at a limit hold it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.tokens import count_tokens, split_at_tokens
from pincite.types import Span


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" \n", 0),
        ("the cat sat", 3),
        ("Verhältnismässigkeit", 4),
        ("12345", 2),
        ("Art. 41 OR.", 5),
        ("日本語", 3),
        ("привет", 2),
        ("a_b", 3),
    ],
)
def test_counting(text: str, count: int) -> None:
    assert count_tokens(text) == count


@given(st.text(max_size=400), st.integers(1, 20))
def test_split_spans_hold_the_limit_and_cover_the_text(text: str, limit: int) -> None:
    at = 0
    for span in split_at_tokens(text, Span(0, len(text)), limit):
        assert not count_tokens(text[at : span.start])
        assert 0 < count_tokens(text[span.start : span.end]) <= limit
        at = span.end
    assert not count_tokens(text[at:])


def test_words_stay_whole_where_there_is_white_space() -> None:
    text = "alpha beta gamma delta"
    assert [text[span.start : span.end] for span in split_at_tokens(text, Span(0, len(text)), 2)] == [
        "alpha beta",
        "gamma delta",
    ]


def test_a_letter_keeps_its_combining_mark() -> None:
    text = "abcdee\u0301" * 3
    spans = list(split_at_tokens(text, Span(0, len(text)), 2))
    assert len(spans) > 1
    assert all(text[span.start] != "\u0301" for span in spans)
