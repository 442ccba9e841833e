"""Passages lie in the text, in order, hold their limit, and leave nothing out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pincite.kinds.documents import CutOptions, cut, front_matter
from pincite.text.tokens import count_tokens
from pincite.types import Alias, Content, Derivation
from runaway import stopped_if_it_runs_away


def document(text: str, file_type: str = "md", name: str = "Doc") -> Content:
    return Content("document", "document", name, text, "en", {"file_type": file_type})


def passages(content: Content, derivation: Derivation) -> list[str]:
    return [content.text[chunk.span.start : chunk.span.end] for chunk in derivation.chunks if chunk.span]


def check(content: Content, options: CutOptions, disjoint: bool = True) -> Derivation:
    derivation = cut(content, options)
    assert derivation == cut(content, options)
    text = content.text
    at = front_matter.parse(text).end if content.metadata["file_type"] == "md" else 0
    start = 0
    for number, chunk in enumerate(derivation.chunks):
        assert chunk.number == number
        assert chunk.span is not None
        passage = text[chunk.span.start : chunk.span.end]
        assert passage == passage.strip() != ""
        assert count_tokens(passage) <= options.max_chunk_tokens
        assert not text[at : chunk.span.start].strip()
        assert chunk.span.start >= (at if disjoint else start)
        start = chunk.span.start + 1
        at = chunk.span.end
    assert not text[at:].strip()
    return derivation


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B",
            "### 1.2 C",
            "Setext\n===",
            "###### deep",
            "# Doc",
            "```\ncode # x\n```",
            "```",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "<!-- c -->",
            "<!--",
            "",
            "",
            "---",
            "Prose with Art. 5 Abs. 2. And more! " * 8,
            "word " * 150,
            "x" * 900,
            "e\u0301" * 300,
            "👩‍👩‍👧 emoji " * 40,
            "**Art. 5** Art. 5 Zweck",
            "§ 12",
            "\r",
            "\u2028\x0c\x85",
            "日本語の文。" * 60,
            "  - item\n    more",
            "\t",
        ]
    ),
    max_size=14,
)


@settings(max_examples=200, deadline=None)
@given(MARKDOWN, st.sampled_from(["\n", "\r\n", "\n\n"]), st.sampled_from(["md", "txt"]), st.sampled_from([0, 30]))
def test_every_character_lies_in_a_passage(blocks: list[str], newline: str, file_type: str, overlap: int) -> None:
    check(document(newline.join(blocks), file_type), CutOptions(100, overlap), disjoint=overlap == 0)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=500))
def test_any_text_can_be_cut(text: str) -> None:
    check(document(text), CutOptions(100, 0))


def test_sections_carry_chain_context_and_type() -> None:
    content = document("Intro.\n\n# Doc\n\n## 4.2 Payment\n\nPay in **30** days.\n\n## Empty\n")
    derivation = cut(content)
    assert [(c.section_id, c.parent_chain, c.chunk_type) for c in derivation.chunks] == [
        ("", ("Doc",), "content"),
        ("doc", ("Doc",), "header"),
        ("4.2", ("Doc", "4.2 Payment"), "content"),
        ("empty", ("Doc", "Empty"), "header"),
    ]
    assert derivation.chunks[2].context == "Doc > 4.2 Payment"
    assert passages(content, derivation)[2] == "## 4.2 Payment\n\nPay in **30** days."
    named = (Alias("§ 4.2", "4.2"), Alias("4.2", "4.2"), Alias("Payment", "4.2"), Alias("Doc"))
    assert derivation.aliases == named
    assert derivation.recipe.startswith("documents/2;max=800;overlap=50;")


def test_a_long_section_is_split_at_paragraphs_and_keeps_fences_whole() -> None:
    fence = "```\n" + "code line\n\n" * 20 + "```"
    content = document("# T\n\n" + "A sentence here. " * 10 + "\n\n" + fence + "\n\n" + "Another sentence. " * 10)
    derivation = check(content, CutOptions(100, 0))
    assert len(derivation.chunks) > 1
    assert any(fence in passage for passage in passages(content, derivation))
    assert {chunk.section_id for chunk in derivation.chunks} == {"t"}
    assert passages(content, derivation)[0].startswith("# T\n\nA sentence")


def test_a_flat_text_overlaps_by_whole_sentences() -> None:
    content = document(" ".join(f"This is the sentence with number {n}." for n in range(60)), "txt")
    derivation = check(content, CutOptions(100, 30), disjoint=False)
    spans = [chunk.span for chunk in derivation.chunks if chunk.span]
    assert len(spans) > 1
    assert all(later.start < earlier.end for earlier, later in pairwise(spans))
    assert all(passage.startswith("This") and passage.endswith(".") for passage in passages(content, derivation))


def test_a_passage_in_another_language_says_so() -> None:
    french = "Celui qui cause un dommage à autrui est tenu de le réparer selon les règles applicables en la matière. "
    derivation = cut(document(f"# A\n\nShort.\n\n# B\n\n{french}"))
    assert [chunk.language for chunk in derivation.chunks] == ["en", "fr"]


@pytest.mark.parametrize(("limit", "overlap"), [(99, 0), (2001, 0), (100, 51), (100, -1)])
def test_options_out_of_range_are_refused(limit: int, overlap: int) -> None:
    with pytest.raises(ValidationError):
        CutOptions(limit, overlap)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "é" * 1_000_000,
        "# " + "*a" * 200_000,
        "".join(f"{'#' * (1 + n % 6)} Heading {n % 7}\n\nText {n}.\n\n" for n in range(10_000)),
        "# Same\n" * 10_000,
        "<!-- " * 100_000,
        "<!-- \n" * 50_000,
        "``` \n" * 50_001,
        "a\n---\n" * 50_000,
        ">" * 100_000 + "\n" + "- " * 100_000,
        "word. " * 150_000,
        "{#" * 100_000,
        "\n" * 500_000 + "end",
        "a" + " " * 500_000 + "b\n\n" * 10,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("file_type", ["md", "txt"])
def test_hostile_texts_are_cut_to_the_end(text: str, file_type: str) -> None:
    with stopped_if_it_runs_away():
        derivation = cut(document(text, file_type))
    assert derivation.chunks
