"""Tables stay whole where they fit; where not, rows keep their header without entering the span."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.kinds.documents import CutOptions, cut
from pincite.kinds.documents.tables import find_tables, is_caption
from pincite.text.tokens import count_tokens
from pincite.types import Chunk, Content


def document(text: str, file_type: str = "md") -> Content:
    return Content("document", "document", "Doc", text, "en", {"file_type": file_type})


def table(rows: int, words: int = 6) -> str:
    lines = ["| Name | Amount |", "| --- | --- |"]
    lines += [f"| {' '.join(f'item{row}x{n}' for n in range(words))} | {row} |" for row in range(rows)]
    return "\n".join(lines)


def passages(content: Content, limit: int = 100) -> list[tuple[Chunk, str]]:
    found = cut(content, CutOptions(limit, 0)).chunks
    return [(chunk, content.text[chunk.span.start : chunk.span.end]) for chunk in found if chunk.span]


def test_a_table_that_fits_is_one_passage_with_its_caption() -> None:
    filler = "Words of prose that fill the section. " * 12
    text = f"# Fees\n\n{filler}\n\nTable 1: Fees by kind\n\n{table(3, words=1)}\n\n{filler}\n"
    whole = f"Table 1: Fees by kind\n\n{table(3, words=1)}"
    assert [passage for _, passage in passages(document(text)) if whole in passage]


def test_a_table_that_is_split_repeats_caption_and_header_as_context() -> None:
    text = f"# Fees\n\nTable 2: Fees by kind\n\n{table(40)}\n"
    found = passages(document(text))
    assert len(found) > 3
    first, *others = found
    assert first[1].startswith("# Fees\n\nTable 2: Fees by kind\n\n| Name | Amount |\n| --- | --- |\n| item0x0")
    assert first[0].context == "Doc > Fees"
    for chunk, passage in others:
        assert passage.startswith("| item")
        assert chunk.context == "Doc > Fees\nTable 2: Fees by kind\n| Name | Amount |"


def test_a_caption_below_the_table_names_it_too() -> None:
    text = f"# Fees\n\n{table(40)}\n\nTable 3 – Fees\n\nProse.\n"
    assert {chunk.context for chunk, _ in passages(document(text))[1:-1]} == {
        "Doc > Fees\nTable 3 – Fees\n| Name | Amount |"
    }


def test_a_caption_between_two_tables_names_the_one_below() -> None:
    (first, second) = find_tables(f"{table(2)}\n\nTable 2: Next\n\n{table(2)}\n")
    assert (first.head, second.head) == ("| Name | Amount |", "Table 2: Next\n| Name | Amount |")


def test_prose_right_above_a_table_does_not_swallow_it() -> None:
    text = f"# Fees\n\nThe fees are these:\n{table(40)}\n"
    first, *others = passages(document(text))
    assert "The fees are these:\n| Name | Amount |" in first[1]
    assert others and all("| Name | Amount |" in chunk.context for chunk, _ in others)


def test_passages_beside_a_table_get_no_header() -> None:
    prose = "Words of prose that fill the section. " * 30
    text = f"# Fees\n\n{prose}\n\n{table(2)}\n\n{prose}\n"
    assert {chunk.context for chunk, _ in passages(document(text))} == {"Doc > Fees"}


def test_a_table_in_code_is_code() -> None:
    assert find_tables(f"```\n{table(3)}\n```\n") == []
    assert find_tables("| no | table |\n\nprose | with | bars\n") == []


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("Table 2: Fees", True),
        ("**Tabelle 4.1** Gebühren", True),
        ("Tab. IV – Costs", True),
        ("Tableau A", True),
        ("Table of contents", False),
        ("Tables are cut by rows.", False),
        ("The table 2 shows", False),
    ],
)
def test_what_names_a_table(paragraph: str, expected: bool) -> None:
    assert is_caption(paragraph) is expected


BLOCKS = st.lists(
    st.sampled_from(
        [
            "# A",
            "## 1.2 B",
            "Table 1: Caption",
            table(2),
            table(30),
            table(3, words=60),
            "| lonely |",
            "|",
            "| --- |",
            "| a |\n|---|",
            "```\n| x |\n|---|\n```",
            "Prose. And more of it! " * 20,
            "\f",
            "",
        ]
    ),
    max_size=10,
)


@settings(max_examples=60, deadline=None)
@given(
    blocks=BLOCKS,
    newline=st.sampled_from(["\n", "\n\n", "\r\n", "\r\n\r\n"]),
    kind=st.sampled_from(["md", "pdf", "csv"]),
)
def test_every_passage_is_cut_from_the_text_and_nothing_is_left_out(blocks: list[str], newline: str, kind: str) -> None:
    content = document(newline.join(blocks), kind)
    at = 0
    for chunk in cut(content, CutOptions(100, 0)).chunks:
        assert chunk.span is not None
        assert chunk.span.start >= at
        passage = content.text[chunk.span.start : chunk.span.end]
        assert passage == passage.strip() != ""
        assert count_tokens(passage) <= 100
        assert not content.text[at : chunk.span.start].strip()
        assert chunk.page == (content.text.count("\f", 0, chunk.span.start) + 1 if kind == "pdf" else None)
        at = chunk.span.end
    assert not content.text[at:].strip()
