"""Headings of printed pages as books and contracts set them: running heads, wrapped and stacked titles, full stops."""

from __future__ import annotations

from pathlib import Path

from pincite.kinds.documents import read_document
from sample_files import Line, pdf


def prose(topic: str, lines: int = 6) -> list[str]:
    return [f"The {topic} is described in words that fill line {n} of this page, all of it," for n in range(lines)] + [
        "and end."
    ]


def headings(tmp_path: Path, *pages: list[str | Line], title: str = "") -> list[str]:
    (tmp_path / "a.pdf").write_bytes(pdf(*pages, title=title))
    text = read_document(tmp_path / "a.pdf", "a.pdf").content.text
    return [line for line in text.split("\n") if line.startswith("#")]


def test_a_title_stays_where_it_stands_though_running_heads_repeat_it(tmp_path: Path) -> None:
    pages: list[list[str | Line]] = [
        ["Harbour Rules", Line("Harbour Rules", 20, True), *prose("harbour")],
        ["Harbour Rules", *prose("quay")],
        ["Harbour Rules", *prose("crane")],
    ]
    assert headings(tmp_path, *pages) == ["# Harbour Rules"]


def test_many_short_sections_do_not_make_the_structure_doubtful(tmp_path: Path) -> None:
    page: list[str | Line] = [Line("Harbour Rules", 20, True)]
    for name in ("Berths", "Cranes", "Fees", "Fines", "Lights", "Ropes", "Storms", "Tides", "Wardens"):
        page += [Line(name, 14, True), f"What is said of {name.lower()} is short."]
    found = headings(tmp_path, page)
    assert found[0] == "# Harbour Rules" and len(found) == 10
    assert all(line.startswith("## ") for line in found[1:])


def test_a_title_over_small_letters_is_no_broken_sentence(tmp_path: Path) -> None:
    page: list[str | Line] = [
        Line("art. 1 Oggetto", 11, True),
        "cpv. 1 Il Fornitore consegna le sonde che il Committente ordina ogni anno.",
        Line("art. 2 Prezzi", 11, True),
        "cpv. 1 I prezzi restano fermi per due anni dalla firma del contratto.",
    ]
    assert headings(tmp_path, page) == ["# art. 1 Oggetto", "# art. 2 Prezzi"]


def test_two_headings_in_one_block_are_two(tmp_path: Path) -> None:
    page: list[str | Line] = [
        *prose("contract"),
        Line("Parte seconda: consegna", 11, True),
        Line("art. 4 Termini", 11, True),
        *prose("term"),
    ]
    assert [line.lstrip("# ") for line in headings(tmp_path, page)] == ["Parte seconda: consegna", "art. 4 Termini"]


def test_set_in_type_a_title_may_hold_a_semicolon_or_end_in_a_full_stop(tmp_path: Path) -> None:
    page: list[str | Line] = [
        Line("1. Term; Termination", 15, True),
        *prose("term"),
        Line("2. Updates.", 15, True),
        *prose("update"),
        Line("Your request must include:", 15, True),
        *prose("request"),
    ]
    found = [line.lstrip("# ") for line in headings(tmp_path, page)]
    assert found == ["1. Term; Termination", "2. Updates.", "Your request must include:"]


def test_a_wrapped_line_that_begins_with_a_reference_is_no_heading(tmp_path: Path) -> None:
    page: list[str | Line] = [
        Line("§ 201. Lengths", 15, True),
        "A length stated in this code is the length over all, measured as provided in",
        "section 204(c).",
        Line("§ 202. Harbormaster", 15, True),
        *prose("harbormaster"),
    ]
    assert headings(tmp_path, page) == ["# § 201. Lengths", "# § 202. Harbormaster"]


def test_numbered_paragraphs_are_no_headings_where_headings_are_set_in_type(tmp_path: Path) -> None:
    page: list[str | Line] = [
        Line("1 Geltungsbereich", 15, True),
        "1.1 Die Ordnung gilt für den Uferstreifen zwischen der Mündung und dem alten",
        "Zollhaus und für die Badewiese.",
        Line("2 Zeiten", 15, True),
        "2.1 Die Badewiese ist vom ersten Mai bis zum letzten Tag im September des",
        "Jahres offen.",
    ]
    assert headings(tmp_path, page) == ["# 1 Geltungsbereich", "# 2 Zeiten"]


def test_articles_lie_below_parts_whatever_their_size(tmp_path: Path) -> None:
    page: list[str | Line] = [
        Line("Titre I Bail", 13, True),
        Line("Article 1 Objet", 13, True),
        *prose("bail"),
        Line("Titre II Loyer", 13, True),
        Line("Article 2 Montant", 13, True),
        *prose("loyer"),
    ]
    assert headings(tmp_path, page) == [
        "# Titre I Bail",
        "## Article 1 Objet",
        "# Titre II Loyer",
        "## Article 2 Montant",
    ]
