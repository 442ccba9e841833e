"""Pages in two columns: read column by column, their headings kept, and tables left as they are."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from pincite.kinds.documents import read_document
from pincite.kinds.documents.convert.blocks import blocks
from pincite.kinds.documents.convert.columns import gutters, in_reading_order
from pincite.kinds.documents.convert.printed import PrintedLine, Sheet, sheets

LEFT, RIGHT, GUTTER = 60.0, 310.0, 300.0
HEIGHT = 842.0


def line(
    text: str, left: float, top: float, *, size: float = 9.0, bold: bool = False, width: float = 0.0
) -> PrintedLine:
    width = width or len(text) * size / 2
    return PrintedLine(text, left, top - size, left + width, top, size, bold, italic=False)


def column(name: str, left: float, lines: int = 12, top: float = 700.0) -> list[PrintedLine]:
    return [
        line(f"{name} {number} goes on and on until it is full", left, top - 12 * number) for number in range(lines)
    ]


def written(lines: list[PrintedLine]) -> Sheet:
    """A page whose file writes the lines in this order."""
    return Sheet(
        HEIGHT,
        tuple(
            PrintedLine(one.text, one.left, one.bottom, one.right, one.top, one.size, one.bold, one.italic, row)
            for row, one in enumerate(lines)
        ),
    )


def order(sheet: Sheet) -> list[str]:
    [place] = gutters([sheet])
    return [" ".join(one.text.split()[:2]) for one in in_reading_order(sheet, place).lines]


def expected(*names: str, lines: int = 12) -> list[str]:
    return [f"{name} {number}" for name in names for number in range(lines)]


def test_the_left_column_is_read_before_the_right_whatever_the_file_writes_first() -> None:
    left, right = column("left", LEFT), column("right", RIGHT)
    assert order(written(left + right)) == expected("left", "right")
    assert order(written(right + left)) == expected("left", "right")


def test_columns_written_row_by_row_are_read_down() -> None:
    left, right = column("left", LEFT), column("right", RIGHT)
    rows = [one for pair in zip_longest(left, right) for one in pair if one]
    assert order(written(rows)) == expected("left", "right")


def test_a_title_across_the_page_comes_first_and_a_footnote_across_it_last() -> None:
    title = line("A title that is as wide as both columns together are", LEFT, 760, size=16)
    foot = line("* This note runs across the whole page below both of its columns", LEFT, 500, width=450)
    found = order(written([*column("left", LEFT), *column("right", RIGHT), foot, title]))
    assert found == ["A title", *expected("left", "right"), "* This"]


def test_a_table_across_the_middle_parts_the_page_in_two() -> None:
    upper, lower = (
        column("a", LEFT) + column("b", RIGHT),
        column("c", LEFT, top=500.0) + column("d", RIGHT, top=500.0),
    )
    across = line("one row of a table that is as wide as the whole page", LEFT, 530, width=450)
    assert order(written([*upper, *lower, across])) == [*expected("a", "b"), "one row", *expected("c", "d")]


def test_a_long_address_that_juts_out_of_its_column_parts_nothing() -> None:
    left, right = column("left", LEFT), column("right", RIGHT)
    left[5] = line("left 5 https://example.org/a/very/long/address", LEFT, 640, width=420)
    assert order(written(left + right)) == expected("left", "right")


def test_a_narrow_column_beside_the_text_is_a_margin() -> None:
    notes = [line(f"note {number}", 500, 700 - 12 * number) for number in range(12)]
    text = [line("text that fills the page to its margin", LEFT, 700 - 12 * number, width=400) for number in range(12)]
    assert gutters([written(text + notes)]) == [None]


def test_a_plan_with_thousands_of_labels_is_not_searched_for_columns() -> None:
    words = "a label on a plan of the harbour"
    names = [line(words, left, 700 - number / 4) for number in range(2000) for left in (LEFT, RIGHT)]
    assert gutters([written(names)]) == [None]


def test_a_file_that_pdfium_cannot_read_has_no_printed_lines(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    assert sheets(tmp_path / "a.pdf") == []


def test_cells_of_a_table_are_no_columns() -> None:
    cells = [
        line(f"cell {number}", left, 700 - 12 * number) for number in range(12) for left in (LEFT, 200.0, RIGHT, 450.0)
    ]
    assert gutters([written(cells)]) == [None]


def test_long_cells_that_the_file_writes_in_turn_stay_together() -> None:
    left, right = column("old", LEFT, 24), column("new", RIGHT, 24)
    cells = [one for start in range(0, 24, 4) for side in (left, right) for one in side[start : start + 4]]
    found = order(written(cells))
    assert found[:8] == ["old 0", "old 1", "old 2", "old 3", "new 0", "new 1", "new 2", "new 3"]


def test_a_last_page_with_a_short_column_follows_the_other_pages() -> None:
    full = written(column("left", LEFT) + column("right", RIGHT))
    last = written(column("right", RIGHT, 2) + column("left", LEFT))
    places = gutters([full, last])
    assert places[1] == places[0]
    assert in_reading_order(last, places[1]).lines[0].text.startswith("left 0")


def test_larger_type_is_a_heading_by_its_size_and_small_bold_type_is_none() -> None:
    page = written(
        [
            line("Harbour Rules", LEFT, 760, size=16),
            line("Berths", LEFT, 730, size=12),
            *column("left", LEFT),
            line("Tightened nut", LEFT, 500, size=7, bold=True),
        ]
    )
    found = {block.text.split("\n")[0]: block for block in blocks([page])}
    assert (found["Harbour Rules"].level, found["Berths"].level) == (1, 2)
    assert not found["Tightened nut"].bold


def test_a_page_number_belongs_to_no_block() -> None:
    page = written([*column("left", LEFT), line("3", 290, 40)])
    assert [block.text for block in blocks([page]) if block.text == "3"] == []


@pytest.mark.parametrize("name", ["two columns", "two columns below a title", "two columns written row by row"])
def test_a_printed_statute_in_two_columns_keeps_its_headings_and_their_order(tmp_path: Path, name: str) -> None:
    typeset = pytest.importorskip("benchmarks.documents.typeset")
    design = next(item for item in typeset.DESIGNS if item.name == name)
    statute = Path(__file__).parents[2] / "samples" / "legislation" / "bootshausreglement.md"
    text = statute.read_text(encoding="utf-8")
    (tmp_path / "a.pdf").write_bytes(typeset.printed(text, design))
    read = read_document(tmp_path / "a.pdf", "a.pdf").content.text
    found = [one.lstrip("# ") for one in read.split("\n") if one.startswith("#")]
    assert found == [title for _, title in typeset.headings(text)]
