"""CommonMark says what is a heading and what is code; our own rules are the few that the last tests name."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.kinds.documents.cut import cut
from pincite.kinds.documents.markdown import read_blocks, text_start
from pincite.kinds.documents.outline import outline
from pincite.kinds.documents.tables import find_tables
from pincite.types import Content


def titles(text: str, file_type: str = "md") -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in outline(text, file_type) if section.heading]


def fenced(text: str, file_type: str = "md") -> list[str]:
    return [text[span.start : span.end] for span in read_blocks(text, file_type).fences]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<pre>\n# no\n</pre>\n", id="in <pre>"),
        pytest.param("<pre>\n\n# no\n\n</pre>\n", id="in <pre> behind a blank line"),
        pytest.param("<script>\n# no\n</script>\n", id="in <script>"),
        pytest.param("<div>\n# no\n</div>\n", id="in <div> without a blank line"),
        pytest.param("<?php\n# no\n?>\n", id="in a processing instruction"),
        pytest.param("text <!-- a\n\n--> # no\n", id="behind the end of a comment in a line"),
        pytest.param("[a]: /address\n===\n", id="a link definition over an underline"),
        pytest.param("text\n\n\tcode\n---\n", id="code indented by a tab over a rule"),
        pytest.param("```\n    ```\n# no\n```\n", id="a fence is not closed by an indented mark"),
        pytest.param("````\n```\n# no\n````\n", id="a fence is not closed by a shorter mark"),
        pytest.param("~~~\n```\n# no\n~~~\n", id="a fence is not closed by another mark"),
        pytest.param("#\u00a0no\n", id="a no-break space behind the hash"),
        pytest.param("\\# no\n", id="an escaped hash"),
        pytest.param("text\n    # no\n", id="an indented line that continues a paragraph"),
        pytest.param("a\u2028# no\n", id="a line separator is no newline"),
        pytest.param("a\f# no\n", id="nor is a form feed"),
    ],
)
def test_commonmark_sees_no_heading(text: str) -> None:
    assert titles(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("A\n=\n\nB\n-\n", [(1, "A"), (2, "B")], id="an underline of one character"),
        pytest.param("two lines\nof a title\n===\n", [(1, "two lines of a title")], id="several lines over ==="),
        pytest.param("**Bold**\n---\n", [(2, "Bold")], id="an underlined line in bold"),
        pytest.param("<b>Bold</b>\n---\n", [(2, "Bold")], id="an underlined line that begins with a tag"),
        pytest.param(
            "2024 was a year\n---\n", [(2, "2024 was a year")], id="an underlined line that begins with a digit"
        ),
        pytest.param("- # A\n", [(1, "A")], id="in a list item, on the line of its mark"),
        pytest.param("1.  item\n\n    ## A\n", [(2, "A")], id="in a list item, as deep as its text"),
        pytest.param("- item\n\n  ## A\n", [(2, "A")], id="in a list item, by accident of indentation"),
        pytest.param("text\n# A\ntext\n", [(1, "A")], id="between two lines of a paragraph"),
        pytest.param("| a |\n|---|\n| 1 |\n# A\n", [(1, "A")], id="right below a table"),
        pytest.param("<!-- a --> text\n# A\n", [(1, "A")], id="right below a comment that ends in its line"),
        pytest.param("<!-->\n# A\n", [(1, "A")], id="right below an empty comment"),
        pytest.param("<pre>code</pre>\n# A\n", [(1, "A")], id="right below HTML that ends in its line"),
        pytest.param("    <!--\n\n# A\n", [(1, "A")], id="below a comment mark in indented code"),
        pytest.param("``` a`b\n# A\n", [(1, "A")], id="below backticks that are inline code"),
        pytest.param("> ```\n# A\n", [(1, "A")], id="below a fence that ends with its quote"),
        pytest.param("- ```\n# A\n", [(1, "A")], id="below a fence that ends with its list item"),
        pytest.param("    ```\n\n# A\n", [(1, "A")], id="below a fence mark in indented code"),
        pytest.param("a\n\n\t```\n\n# A\n", [(1, "A")], id="below a fence mark indented by a tab"),
        pytest.param("#\tA\t#\t\n", [(1, "A")], id="tabs around the title"),
        pytest.param("# A \\#\n## B#\n### C # b\n", [(1, "A #"), (2, "B#"), (3, "C # b")], id="hashes of the title"),
        pytest.param("# A ##########  \n", [(1, "A")], id="more closing hashes than opening ones"),
        pytest.param("---\ntitle: x\n---\n# A\n", [(1, "A")], id="right below the front matter"),
        pytest.param("# A\rtext\r\r## B\r", [(1, "A"), (2, "B")], id="lines that end in a carriage return"),
        pytest.param("# A\0B\n", [(1, "A\ufffdB")], id="a NUL in the title"),
        pytest.param("[a]:\n\n# A\n", [(1, "A")], id="below a link definition without an address"),
    ],
)
def test_commonmark_sees_a_heading(text: str, expected: list[tuple[int, str]]) -> None:
    assert titles(text) == expected


def test_a_fence_reaches_from_mark_to_mark() -> None:
    text = "- a\n\n  ~~~ sh\n  b\n\n  c\n  ~~~\n\n```\nd\n`````\ne\n"
    assert fenced(text) == ["~~~ sh\n  b\n\n  c\n  ~~~", "```\nd\n`````"]
    assert fenced("a\n\n```\nb\n") == ["```\nb"]


def test_fences_are_kept_whole_in_plain_text_and_have_no_tables() -> None:
    assert fenced("a\n\n```\nb\n\n# c\n```\n", "txt") == ["```\nb\n\n# c\n```"]
    assert find_tables("<pre>\n```\n</pre>\n\n| a |\n|---|\n| 1 |\n") != []
    assert find_tables("````\n```\n\n| a |\n|---|\n| 1 |\n````\n") == []


def test_spans_are_those_of_the_stored_text() -> None:
    text = "---\r\na: b\r\n---\r\n\0\u2028\r\n\r\n  # Ü #\r\nx\r\ry\r=\r\n```\r\nc\r\n```"
    blocks = read_blocks(text)
    assert [text[h.span.start : h.span.end] for h in blocks.headings] == ["# Ü #", "y\r="]
    assert [text[span.start : span.end] for span in blocks.fences] == ["```\r\nc\r\n```"]


@given(st.text(st.sampled_from("#=-`~<>!*[]: \t\r\n\f\0\u2028ab1."), max_size=60))
def test_every_heading_is_whole_lines_and_sections_cover_the_text(text: str) -> None:
    blocks = read_blocks(text)
    for span in (*(heading.span for heading in blocks.headings), *blocks.fences):
        assert span.start < span.end
        assert re.fullmatch(r"(?s:.*[\r\n])?\s*", text[: span.start])
        assert re.match(r"[^\S\r\n]*(?:[\r\n]|\Z)", text[span.end :])
    covered = "".join(
        text[span.start : span.end] for section in outline(text) for span in (section.heading, section.body) if span
    )
    assert covered.split() == text[text_start(text, "md") :].split()


# --- our own rules --------------------------------------------------------------------------------------------


def test_a_heading_in_a_quote_belongs_to_what_is_quoted() -> None:
    assert titles("# A\n\n> # no\n>\n> no\n> ---\n\n- > ## no\n\n## B\n") == [(1, "A"), (2, "B")]


def test_prose_a_table_row_or_a_footnote_above_a_rule_is_no_title() -> None:
    assert titles("two lines\nof prose\n---\n\n| a |\n---\n\n| b |\n===\n\n[^1]: See there.\n---\n") == []


def test_a_heading_without_words_is_none() -> None:
    assert titles("#\n\n## ##\n\n###   \n") == []


def test_a_bold_article_is_no_heading_in_code_and_html() -> None:
    hidden = "```\n**Art. 1** a\n```\n\n<pre>\n**Art. 2** b\n</pre>\n\n    **Art. 3** c\n"
    assert titles(f"{hidden}\nText\n**Art. 4** d\n\n   **§ 5** e\n") == [(7, "Art. 4 d"), (7, "§ 5 e")]


def test_an_underlined_article_is_one_heading() -> None:
    assert titles("**Art. 4** d\n---\n\nText\n") == [(2, "Art. 4 d")]


def test_converted_files_have_headings_with_hashes_only() -> None:
    text = "<pre>\n# A\n\nline\n-\n\n<!--\n\n## B\n"
    assert titles(text, "pdf") == titles(text, "docx") == [(1, "A"), (2, "B")]


# --- hostile and huge texts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", [">", "- ", "1. ", "> - ", "[", "<", "*", "`a", "[a]: b '"])
def test_a_heading_below_fifty_thousand_marks_is_found(mark: str) -> None:
    assert titles(mark * 50_000 + "\n\n# A\n") == [(1, "A")]


@pytest.mark.parametrize("line", ["> - - > - " * 5 + "a\n", "[a]: b 'c\n", "<a b\n", "- a\n", "a\n-\n", "> a\nb\n"])
def test_eight_times_the_text_runs_about_eight_times_as_many_lines_of_code(line: str) -> None:
    def lines_run(count: int) -> int:
        run = 0

        def count_lines(_frame: FrameType, event: str, _argument: object) -> Any:
            nonlocal run
            run += event == "line"
            return count_lines

        before = sys.gettrace()
        sys.settrace(count_lines)
        try:
            read_blocks(line * count)
        finally:
            sys.settrace(before)
        return run

    # Quadratic work would be 64 times as much. Counted, not timed: a busy machine changes no count.
    assert lines_run(2_000) < 12 * lines_run(250)


def test_libraries_of_the_reader_before_are_cut_again() -> None:
    content = Content("document", "document", "a", "# A\n\ntext\n", "en", {"file_type": "md"})
    assert cut(content).recipe.startswith("documents/2;")
