"""Numbers that Word counts itself: headings carry them, as the printed page does."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from desk import Desk
from pincite.kinds.documents import read_document
from sample_files import docx

LEVEL = '<w:lvl w:ilvl="{}"><w:start w:val="{}"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def counted(
    *paragraphs: tuple[str, str],
    levels: tuple[tuple[int, str, str], ...],
    more: str = "",
    based_on_heading: str = "None",
) -> bytes:
    """A Word document whose styles "heading 1", "heading 2" … count in one list of these levels."""
    source = zipfile.ZipFile(io.BytesIO(docx(*paragraphs)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in source.namelist():
            text = source.read(name).decode()
            if name == "word/styles.xml":
                for level in range(len(levels)):
                    mark = f'<w:name w:val="heading {level + 1}"/>'
                    text = text.replace(
                        mark, f'{mark}<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="7"/></w:numPr></w:pPr>'
                    )
                name_of_it = f'<w:name w:val="{based_on_heading}'
                text = text.replace(name_of_it, f'<w:basedOn w:val="heading1"/>{name_of_it}')
                text = text.replace("</w:styles>", f"{more}</w:styles>")
            archive.writestr(name, text)
        lines = "".join(LEVEL.format(at, *level) for at, level in enumerate(levels))
        archive.writestr(
            "word/numbering.xml",
            f'<w:numbering {W}><w:abstractNum w:abstractNumId="3">{lines}</w:abstractNum>'
            '<w:num w:numId="7"><w:abstractNumId w:val="3"/></w:num></w:numbering>',
        )
    return out.getvalue()


def headings(tmp_path: Path, data: bytes) -> list[str]:
    (tmp_path / "a.docx").write_bytes(data)
    text = read_document(tmp_path / "a.docx", "a.docx").content.text
    return [line for line in text.split("\n") if line.startswith("#")]


AGREEMENT = counted(
    ("heading 1", "Scope"),
    ("", "Text."),
    ("heading 1", "Delivery"),
    ("heading 2", "Place"),
    ("", "At the quay."),
    ("heading 2", "Time"),
    ("", "At noon."),
    ("heading 1", "Payment"),
    ("heading 2", "Due date"),
    levels=((1, "decimal", "%1"), (1, "decimal", "%1.%2")),
)


def test_headings_have_the_numbers_that_word_shows(tmp_path: Path) -> None:
    assert headings(tmp_path, AGREEMENT) == [
        "# 1 Scope",
        "# 2 Delivery",
        "## 2.1 Place",
        "## 2.2 Time",
        "# 3 Payment",
        "## 3.1 Due date",
    ]


def test_a_section_is_found_by_a_number_that_word_counts(desk: Desk) -> None:
    desk.write("agreement.docx", AGREEMENT)
    desk.ingest()
    hit = desk.first("Section 2.2")
    assert (hit.passage.section_id, "At noon." in hit.passage.text) == ("2.2", True)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ((1, "upperRoman", "%1."), ["# I. A", "# II. B"]),
        ((4, "decimal", "Art. %1"), ["# Art. 4 A", "# Art. 5 B"]),
        ((26, "lowerLetter", "%1)"), ["# z) A", "# aa) B"]),
        ((1, "bullet", "•"), ["# A", "# B"]),
    ],
)
def test_forms_of_numbers(tmp_path: Path, level: tuple[int, str, str], expected: list[str]) -> None:
    assert headings(tmp_path, counted(("heading 1", "A"), ("heading 1", "B"), levels=(level,))) == expected


def test_a_number_that_is_typed_is_not_said_twice(tmp_path: Path) -> None:
    data = counted(("heading 1", "1. Scope"), ("heading 1", "Delivery"), levels=((1, "decimal", "%1."),))
    assert headings(tmp_path, data) == ["# 1. Scope", "# 2. Delivery"]


def test_a_style_based_on_a_heading_is_one(tmp_path: Path) -> None:
    data = counted(("heading 1", "Scope"), ("Clause's title", "Delivery"), levels=((1, "decimal", "%1."),))
    assert headings(tmp_path, data) == ["# 1. Scope"]
    data = counted(
        ("heading 1", "Scope"),
        ("Clause's title", "Delivery"),
        levels=((1, "decimal", "%1."),),
        based_on_heading="Clause's",
    )
    assert headings(tmp_path, data) == ["# 1. Scope", "# 2. Delivery"]


def test_styles_that_are_based_on_each_other_end(tmp_path: Path) -> None:
    circle = "".join(
        f'<w:style w:type="paragraph" w:styleId="{one}"><w:name w:val="{one}"/><w:basedOn w:val="{other}"/></w:style>'
        for one, other in (("x", "y"), ("y", "x"))
    )
    data = counted(("heading 1", "Scope"), levels=((1, "decimal", "%1."),), more=circle)
    assert headings(tmp_path, data) == ["# 1. Scope"]
