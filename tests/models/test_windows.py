from __future__ import annotations

import pytest

from pincite.errors import InvalidArgument
from pincite.models.texts import cut, readable, sentence_case
from pincite.models.windows import WindowOptions, windows
from pincite.types import EmbeddedText

SENTENCES = [f"This is sentence number {number} of a longer passage." for number in range(30)]


def cut_up(text: str, context: str = "", **options: int) -> tuple[str, ...]:
    return windows(EmbeddedText(text, context, "en"), WindowOptions(**options))


def test_one_sentence_is_one_window() -> None:
    assert cut_up("Employees have 26 days of leave.") == ("Employees have 26 days of leave.",)
    assert cut_up("Employees have 26 days of leave.", "Leave") == ("Leave. Employees have 26 days of leave.",)


def test_the_whole_comes_first_and_every_sentence_stands_under_the_headings() -> None:
    assert cut_up("The first point is this. The second point is that.", "Book > Part > Section") == (
        "Book, Part, Section. The first point is this. The second point is that.",
        "Book, Part, Section. The first point is this.",
        "Book, Part, Section. The second point is that.",
    )


def test_of_long_headings_sentences_get_the_first_and_the_last() -> None:
    found = cut_up("The first point is this. The second point is that.", f"Book > {'middle ' * 20}> Section")
    assert found[0].startswith("Book, middle middle")
    assert found[1] == "Book, Section. The first point is this."


def test_of_headings_longer_still_sentences_get_the_last_alone_cut_at_a_word() -> None:
    found = cut_up("The first point is this. The second point is that.", f"{'outer ' * 20}> {'inner ' * 20}")
    assert found[1] == f"{'inner ' * 15}inner. The first point is this."


def test_a_written_context_that_ends_a_sentence_gets_no_second_full_stop() -> None:
    assert cut_up("Employees have 26 days.", "This is about leave.") == (
        "This is about leave. Employees have 26 days.",
    )


def test_seven_sentences_are_windows_of_one_sentence_each() -> None:
    assert cut_up(" ".join(SENTENCES[:7]))[1:] == tuple(SENTENCES[:7])


@pytest.mark.parametrize("count", [8, 9, 13, 30])
def test_more_sentences_are_grouped_into_seven_runs_that_leave_nothing_out(count: int) -> None:
    found = cut_up(" ".join(SENTENCES[:count]))
    assert len(found) == 8
    assert " ".join(found[1:]) == found[0]
    lengths = [len(window) for window in found[1:]]
    assert max(lengths) <= 2 * min(lengths) + len(SENTENCES[0])


def test_groups_are_balanced_by_length_not_by_number() -> None:
    long = "A very long sentence " + "that goes on and on " * 20 + "until it ends."
    found = cut_up(" ".join([long, *SENTENCES[:20]]))
    assert found[1] == long
    assert all(window for window in found)


def test_a_short_sentence_joins_the_next_and_a_short_last_one_the_one_before() -> None:
    found = cut_up("Yes. The employee may take leave. The employer must agree to it. No.")
    assert found[1:] == ("Yes. The employee may take leave.", "The employer must agree to it. No.")


def test_short_sentences_alone_are_only_a_whole() -> None:
    assert cut_up("Yes. No. Maybe.") == ("Yes. No. Maybe.",)


def test_no_window_comes_twice() -> None:
    assert cut_up("The same sentence again. The same sentence again. Another sentence follows.")[1:] == (
        "The same sentence again.",
        "Another sentence follows.",
    )


def test_nothing_is_longer_than_the_limit_and_cuts_fall_on_words() -> None:
    found = cut_up("word " * 2_000, "Title", whole_chars=300)
    assert found[0].endswith("word")
    assert max(map(len, found)) <= 300


def test_a_context_as_long_as_a_book_leaves_room_for_the_text() -> None:
    (found,) = cut_up("The text matters.", "context " * 1_000, max_windows=1)
    assert found.endswith("The text matters.")


def test_one_window_is_the_whole_alone() -> None:
    assert cut_up(" ".join(SENTENCES), max_windows=1) == (" ".join(SENTENCES),)


def test_options_that_cannot_be_kept_are_refused() -> None:
    for wrong in ({"max_windows": 0}, {"max_windows": 9}, {"whole_chars": 0}, {"title_chars": 5_000}):
        with pytest.raises(InvalidArgument):
            WindowOptions(**wrong)


def test_every_option_enters_the_fingerprint() -> None:
    changed = [WindowOptions(), WindowOptions(max_windows=1), WindowOptions(whole_chars=2_999)]
    changed += [WindowOptions(title_chars=99), WindowOptions(min_sentence_chars=19)]
    assert len({options.fingerprint for options in changed}) == len(changed)


def test_a_text_is_cut_at_white_space_if_that_is_near() -> None:
    assert cut("one two three", 8) == "one two"
    assert cut("one two three", 7) == "one two"
    assert cut("one two three", 100) == "one two three"
    assert cut("x" * 50, 10) == "x" * 10


def test_a_readable_text_has_no_surrogates() -> None:
    readable(" a \ud800 b ").encode("utf-8")
    assert readable(" a ") == "a"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("WHERE IS THE STATION? I AM LOST.", "Where is the station? I am lost."),
        ("“ÜBER DIE BRÜCKE GEHEN”", "“Über die brücke gehen”"),
        ("Where is NATO?", "Where is NATO?"),
        ("EU GDPR", "EU GDPR"),
        ("OPS.1.1.6 A10", "OPS.1.1.6 A10"),
        ("1 2 3 4", "1 2 3 4"),
        ("日本語の文章 を 読む", "日本語の文章 を 読む"),
    ],
)
def test_sentences_in_capitals_are_brought_to_sentence_case_and_names_are_not(text: str, read: str) -> None:
    assert sentence_case(text) == read
