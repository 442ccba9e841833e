"""Tables in pages: what stands between the markers is replaced, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.page import aligned, markdown, put

PAGE = "before\n\n<!-- make x -->\n\nold\n\n<!-- end of make x -->\n\nafter\n<!-- make y -->\n<!-- end of make y -->\n"


def test_only_what_stands_between_its_markers_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    put(path, "make x", ["| a |", "| b |"])
    assert path.read_text(encoding="utf-8") == PAGE.replace("old", "| a |\n\n| b |")


def test_writing_twice_gives_the_same_page(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    put(path, "make x", ["| a |"])
    once = path.read_bytes()
    put(path, "make x", ["| a |"])
    assert path.read_bytes() == once


@pytest.mark.parametrize("page", ["nothing", "<!-- make x --> open", "<!-- end of make x --> <!-- make x -->"])
def test_a_page_without_a_place_is_left_alone_and_says_what_to_put(tmp_path: Path, page: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(page, encoding="utf-8")
    with pytest.raises(SystemExit, match="put <!-- make x --> and <!-- end of make x -->"):
        put(path, "make x", ["| a |"])
    assert path.read_text(encoding="utf-8") == page


def test_a_table_for_a_page_and_for_the_terminal() -> None:
    rows = [["med", "0.7"], ["scifact", "0.695"]]
    assert markdown(["set", "it"], rows) == "| set | it |\n| --- | --- |\n| med | 0.7 |\n| scifact | 0.695 |"
    assert aligned(["set", "it"], rows) == "set         it\nmed        0.7\nscifact  0.695"
