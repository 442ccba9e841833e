"""Headings are found where a reader sees them, and each section has an id of its own."""

from __future__ import annotations

import pytest

from pincite.kinds.documents.numbering import heading_number
from pincite.kinds.documents.outline import outline


def titles(text: str, file_type: str = "md") -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in outline(text, file_type) if section.heading]


def test_atx_and_setext_headings_nest() -> None:
    text = "# A #\r\n\r\ntext\r\n\r\nB\r\n---\r\n\r\n#### C ####\nmore\n\n## D\n"
    assert titles(text) == [(1, "A"), (2, "B"), (4, "C"), (2, "D")]
    assert [section.chain for section in outline(text)] == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no\n```\n",
        "~~~~ python\n```\n# no\n~~~\n# no\n~~~~\n",
        "- item\n  ```sh\n  # no\n  ```\n",
        "<!--\n# no\n-->\n",
        "    # no\n",
        "#no\n",
        "####### no\n",
        "---\ntitle: x\n# no\n---\ntext\n",
        "| a |\n---\n",
        "- item\n---\n",
        "two lines\nof prose\n---\n",
        "text\n\n---\n\ntext",
        "##\n",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert titles(text) == []


def test_markup_goes_and_an_anchor_becomes_the_id() -> None:
    section = outline("## The **bold** [link](http://x.y/(z)) `code` a\\*b {#my-id}\n")[0]
    assert (section.title, section.section_id) == ("The bold link code a*b", "my-id")


def test_an_article_letter_in_emphasis_belongs_to_its_number() -> None:
    sections = outline("##### **Art. 962***a*[^3] Zweck\n\nText.\n\n**Art. 349***h*[^430]\n\nText.\n")
    assert [section.section_id for section in sections] == ["art.962a", "art.349h"]
    assert sections[0].title == "Art. 962a Zweck"


def test_slugs_keep_letters_and_are_unique() -> None:
    ids = [section.section_id for section in outline("# Über uns!\n# Über uns\n# 日本 語\n# Über uns\n# !?\n")]
    assert ids == ["über-uns", "über-uns-1", "日本-語", "über-uns-2", "section"]


def test_repeated_numbers_take_the_parent_into_the_id() -> None:
    ids = [section.section_id for section in outline("# A\n## 1. X\n# B\n## 1. X\n## 1. Y\n")]
    assert ids == ["a", "1", "b", "b/1", "b/1-1"]


@pytest.mark.parametrize(
    ("title", "section_id"),
    [
        ("Art. 41a Haftung", "art.41a"),
        ("Article 5", "art.5"),
        ("Art. 962b ", "art.962b"),
        ("Art.\u00a041 bis", "art.41bis"),
        ("§ 4.2 Payment", "4.2"),
        ("Section 203(a)(1) Scope", "203(a)(1)"),
        ("Sec. 2", "2"),
        ("1.2.3 Title", "1.2.3"),
        ("1. Title", "1"),
        ("3 Time Zone", "3"),
        ("Part II", "part.ii"),
        ("1a. Kapitel: Daten", "kapitel.1a"),
        ("IV. Costs", "IV"),
        ("A. Scope", "A"),
    ],
)
def test_numbers_have_one_normal_form(title: str, section_id: str) -> None:
    number = heading_number(title)
    assert number is not None
    assert number.section_id == section_id


@pytest.mark.parametrize(
    "title", ["2024 Report", "7 habits", "Artful", "Partly", "Sectional 5", "A Title", "1.5x faster", ""]
)
def test_what_is_no_number(title: str) -> None:
    assert heading_number(title) is None


def test_a_bold_article_is_a_section_with_its_spellings() -> None:
    sections = outline("### 1. Abschnitt\n\n**Art. 5** Art. 5 Zweck\n\nText.\n\n**Art. 6** " + "Lang. " * 50)
    assert [(s.title, s.section_id) for s in sections[1:]] == [("Art. 5 Zweck", "art.5"), ("Art. 6", "art.6")]
    assert sections[1].chain == ("1. Abschnitt", "Art. 5 Zweck")
    assert sections[1].spellings == ("Art. 5",)


def test_plain_text_has_numbered_headings_only() -> None:
    text = "Preface\n\n1.2 Scope of Work\n\nThe work.\n\nArt. 5 Zweck\n\nText.\n\n§ 12\nText.\n\nSection 4\n\nEnd.\n"
    assert [title for _, title in titles(text, "txt")] == ["1.2 Scope of Work", "Art. 5 Zweck", "§ 12", "Section 4"]


@pytest.mark.parametrize(
    "text",
    [
        "1. First item\n\n2. Second item\n\n3 more\n",
        "5 apples were eaten.\n\nThen none.",
        "Art. 5 applies to all contracts\nwhich are written.",
        "Text\nArt. 5 Zweck\n\nText",
        "1.5 million people live there.\n\nYes.",
        "# not a heading in text\n",
    ],
)
def test_plain_prose_is_no_heading(text: str) -> None:
    assert [title for title in titles(text, "txt") if not title[1].startswith("2. ")] == []


def test_plain_text_has_no_sections_however_it_is_numbered() -> None:
    text = "1 OVERVIEW\n\nText.\n\n2 MORE\n\nText.\n"
    assert len(outline(text, "txt")) > 1
    (section,) = outline(text, "plain")
    assert section.heading is None and section.body.end == len(text)
