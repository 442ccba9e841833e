"""The benchmark of documents: what it prints can be read back, and what it counts is what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.__main__ import run
from benchmarks.documents.structure import Kept, compare
from benchmarks.documents.typeset import DESIGNS, headings, printed

from pincite.kinds.documents import read_document

RULES = "# Rules\n\n## Berths\n\nA berth is a place.\n\n## Fees\n\nFees are due.\n"


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_every_design_prints_all_lines(design: object) -> None:
    data = printed(RULES, design)  # type: ignore[arg-type]
    assert data.startswith(b"%PDF-") and data.count(b"/Type/Page/") == 1
    assert all(f"({text}) Tj".encode() in data for text in ("Rules", "Berths", "A berth is a place.", "Fees"))


def test_running_heads_and_page_numbers_go_in_a_document_of_two_pages(tmp_path: Path) -> None:
    text = RULES + "\n\nWords that fill the page and the next one, too, until they end.\n" * 60
    (tmp_path / "a.pdf").write_bytes(printed(text, DESIGNS[0]))
    document = read_document(tmp_path / "a.pdf", "a.pdf").content
    assert document.text.count("\f") == 1
    assert document.name == "Rules" and document.text.startswith("# Rules\n")
    assert document.text.count("Rules") == 1
    assert "/ 2" not in document.text


def test_a_long_text_takes_several_pages() -> None:
    assert printed(RULES + "\n\nMore words.\n" * 200, DESIGNS[0]).count(b"/Type/Page/") > 2


def test_found_level_and_surplus_are_counted_apart() -> None:
    reference = headings(RULES)
    assert reference == [(1, "Rules"), (2, "Berths"), (2, "Fees")]
    assert compare(reference, reference) == Kept(3, 3, 3, 0)
    assert compare(reference, [(1, "Rules"), (1, "Berths"), (2, "Ropes")]) == Kept(3, 2, 1, 1)


def test_what_follows_the_name_of_a_benchmark_is_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr("benchmarks.__main__.found", lambda: {"one": lambda: seen.append(sys.argv[1:]), "two": print})
    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    assert run(["one", "DATA", "--write"]) == 0
    assert seen == [["DATA", "--write"]]
    assert run(["one", "two", "DATA"]) == 2
    assert run(["three"]) == 2
