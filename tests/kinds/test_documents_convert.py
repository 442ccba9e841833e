"""Files that are no text: what is kept of them, and what is said of those that cannot be read."""

from __future__ import annotations

import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

import pincite
from desk import Desk
from pincite import extras
from pincite.apart import process as apart_process
from pincite.kinds.documents import CutOptions, cut, read_document
from pincite.kinds.documents.convert import ConversionFailed, checks, convert, process, sheets
from pincite.kinds.documents.convert.headings import find_headings, reads_like_title
from pincite.kinds.documents.convert.pages import Page, PageBlock, to_markdown
from pincite.kinds.documents.outline import outline
from pincite.kinds.documents.read import Document, EmptyFile, UnreadableFile
from sample_files import Line, docx, encrypted_pdf, pdf, pptx, xlsx


def prose(topic: str, lines: int = 8) -> list[str]:
    """Lines of a paragraph, no two alike."""
    return [f"The {topic} is described in words that fill line {n} of this page," for n in range(lines)] + ["and end."]


AGREEMENT = pdf(
    [
        "Supply 2026",
        Line("Master Supply Agreement", 20, True),
        Line("1. Delivery", 14, True),
        *prose("delivery"),
        Line("2. Payment", 14, True),
        *prose("payment"),
        "The price is due “net”, within 30 days.",
        "Page 1 of 3",
    ],
    ["Supply 2026", Line("3. Liability", 14, True), *prose("liability"), "Page 2 of 3"],
    ["Supply 2026", *prose("annex"), "Page 3 of 3"],
    title="Master Supply Agreement",
)


def read(folder: Path, name: str, data: bytes) -> Document:
    path = folder / name
    path.write_bytes(data)
    return read_document(path, name)


def titles(document: Document) -> list[tuple[int, str]]:
    content = document.content
    found = outline(content.text, str(content.metadata["file_type"]))
    return [(section.level, section.title) for section in found if section.heading]


# --- PDF ------------------------------------------------------------------------------------------------------


def test_a_pdf_keeps_its_headings_levels_and_pages(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", AGREEMENT)
    assert document.content.name == "Master Supply Agreement"
    assert titles(document) == [
        (1, "Master Supply Agreement"),
        (2, "1. Delivery"),
        (2, "2. Payment"),
        (2, "3. Liability"),
    ]
    pages = {chunk.section_id: chunk.page for chunk in cut(document.content).chunks}
    assert pages == {"master-supply-agreement": 1, "1": 1, "2": 1, "3": 2}


def test_a_passage_on_a_later_page_of_its_section_says_so(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", AGREEMENT)
    chunks = cut(document.content, CutOptions(100, 0)).chunks
    annex = [c for c in chunks if c.span and "annex" in document.content.text[c.span.start : c.span.start + 20]]
    assert [c.page for c in annex] == [3]


def test_the_text_of_a_pdf_is_what_its_pages_say(tmp_path: Path) -> None:
    text = read(tmp_path, "a.pdf", AGREEMENT).content.text
    assert "The price is due “net”, within 30 days." in text
    assert [line for line in text.split("\n") if "fill line 3" in line] == [
        f"The {topic} is described in words that fill line 3 of this page,"
        for topic in ("delivery", "payment", "liability", "annex")
    ]


def test_running_headers_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    text = read(tmp_path, "a.pdf", AGREEMENT).content.text
    assert "Supply 2026" not in text
    assert "of 3" not in text
    assert text.count("\f") == 2


def test_a_stated_title_that_the_first_page_does_not_carry_is_not_believed(tmp_path: Path) -> None:
    document = read(tmp_path, "memo.pdf", pdf([*prose("memo")], title="Annual report 1999"))
    assert document.content.name == "memo"


def test_a_line_of_a_pdf_that_looks_like_markup_stays_text(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", pdf([*prose("code"), "# not a heading", "```", *prose("rest")]))
    assert titles(document) == []
    assert "\\# not a heading" in document.content.text


def test_the_converter_is_part_of_metadata_and_recipe(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", AGREEMENT)
    converter = str(document.content.metadata["converter"])
    assert converter.startswith("kreuzberg ")
    assert cut(document.content).recipe.endswith(f";converter={converter}")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("scan.pdf", pdf([], [], []), "no text layer: 3 pages of images; run OCR first"),
        ("locked.pdf", encrypted_pdf(), "password-protected; save it without a password"),
        ("cut.pdf", AGREEMENT[: len(AGREEMENT) // 3], "truncated or damaged"),
        ("none.pdf", pdf(), "it has no pages"),
        ("word.pdf", docx(("", "text")), "not a PDF, despite its suffix .it looks like a ZIP archive"),
        ("pdf.docx", AGREEMENT, "not a .docx file, despite its suffix .it looks like a PDF"),
        ("sheet.docx", xlsx(A=[["a"]]), "an archive, but not a .docx file"),
        ("cut.docx", docx(("", "text"))[:200], "truncated or damaged"),
        (
            "old.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
            "password-protected, or in a format from before",
        ),
        ("latin.csv", b"a,b\ncaf\xe9,1\n", "byte 7 is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason) as caught:
        read(tmp_path, name, data)
    assert "Traceback" not in caught.value.message


@pytest.mark.parametrize("name", ["a.pdf", "a.csv", "a.xlsx", "a.html"])
def test_an_empty_file_is_no_failure_but_has_no_text(tmp_path: Path, name: str) -> None:
    with pytest.raises(EmptyFile):
        read(tmp_path, name, b"")


def test_pages_without_text_among_others_are_noted(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", pdf(prose("one"), [], prose("three")))
    assert document.notes == ("no text on page 2; if they are scans, run OCR first",)
    (last,) = [c for c in cut(document.content, CutOptions(100, 0)).chunks[-1:] if c.span]
    assert last.page == 3


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(AGREEMENT)
    with pytest.raises(UnreadableFile, match="larger than 100 bytes; split the file"):
        read_document(path, "a.pdf", max_bytes=100)


def archive(folder: Path, text: bytes) -> Path:
    """A Word file whose text is this."""
    path = folder / "hostile.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("word/document.xml", text)
    return path


def test_an_archive_that_unpacks_to_hundreds_of_times_its_size_is_refused_unopened(tmp_path: Path) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("word/document.xml", "w") as part:
        for _ in range(700):
            part.write(bytes(1_000_000))
    assert path.stat().st_size < 1_700_000
    tracemalloc.start()
    with pytest.raises(checks.Unreadable, match="unpacks to 700,000,000 bytes, more than 200 times its size"):
        checks.check(path, ".docx")
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_text_that_no_parser_could_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MAX_TEXT_BYTES", 1_000_000)
    with pytest.raises(checks.Unreadable, match="its text unpacks to 2,000,000 bytes"):
        checks.check(archive(tmp_path, b"a" * 2_000_000), ".docx")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"<a>" * 40_000, "nested deeper than 200 levels"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type"),
        (b"<a>", "is not XML"),
    ],
)
def test_xml_that_a_converter_should_not_see_is_refused(tmp_path: Path, text: bytes, reason: str) -> None:
    with pytest.raises(checks.Unreadable, match=reason):
        checks.check(archive(tmp_path, text), ".docx")


def test_a_web_page_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<div>" * 40_000 + "words", encoding="utf-8")
    with pytest.raises(ConversionFailed, match="nested deeper than 200 levels"):
        convert(path, ".html")


def test_an_archive_that_explodes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MAX_UNPACKED_BYTES", 1_000_000)
    bomb = BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"a" * 2_000_000)
    path = tmp_path / "bomb.docx"
    path.write_bytes(bomb.getvalue())
    with pytest.raises(checks.Unreadable, match="unpacks to 2,000,000 bytes"):
        checks.check(path, ".docx")


# --- headings of printed pages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1. Scope", True),
        ("Art. 6", True),
        ("a) „Betroffene Person“ (Abs. 1, 2)", True),
        ("Is that enough?", True),
        ("Art. 6 Abs. 4 of the act", False),
        ("which was agreed before", False),
        ("It was agreed before.", False),
        ("Table 2: Fees", False),
        ("Figure 7-26. Nuts", False),
        ("• Scope", False),
        ("12", False),
        ("4) See no. 2; also the annex", False),
    ],
)
def test_what_reads_like_a_title(line: str, expected: bool) -> None:
    assert reads_like_title(line) is expected


def test_a_heading_that_was_run_together_with_its_paragraph_is_its_first_line() -> None:
    lines = (
        "Stop nut",
        "The stop nut is a standard nut with a height that was",
        "increased to hold a collar. It is used",
    )
    blocks = [PageBlock(1, " ".join(lines), level=1), PageBlock(1, "x")]
    assert find_headings([lines], blocks) == [{0: (1, 1)}]


def test_numbered_series_nest_in_the_order_in_which_they_begin() -> None:
    lines: list[str] = []
    blocks: list[PageBlock] = []
    for title in ("I. First", "1. One", "a) Small", "b) Other", "2. Two", "II. Second", "1. Again"):
        lines += [title, "Some words follow here and they end the sentence."]
        blocks += [PageBlock(1, title, bold=True), PageBlock(1, lines[-1])]
    (found,) = find_headings([tuple(lines)], blocks)
    assert [level for _, (level, _) in sorted(found.items())] == [1, 2, 3, 3, 2, 1, 2]


def test_where_every_other_block_is_called_a_heading_only_numbers_count() -> None:
    lines = (*(f"Line {sign} of prose" for sign in "abcdefghijklmno"), "2 Results", "Text follows.")
    blocks = [PageBlock(1, line, level=5) for line in lines[:16]]
    assert find_headings([lines], blocks) == [{15: (1, 1)}]


def test_a_table_is_taken_only_where_the_lines_read_like_its_rows() -> None:
    rows = (("Fee", "CHF"), ("Entry", "10"))
    page = Page(("Before.", "Fee CHF", "Entry 10", "After."), (rows,))
    assert "| Fee | CHF |\n| --- | --- |\n| Entry | 10 |" in to_markdown([page], [])
    columns = Page(("Before the Fee was", "CHF Entry of 10", "After."), (rows,))
    assert "|" not in to_markdown([columns], [])


# --- Office, HTML, tables -------------------------------------------------------------------------------------


def test_word_headings_stand_below_the_title(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "act.docx",
        docx(("Title", "Data Act"), ("heading 1", "Scope"), ("", "Text."), ("heading 2", "Persons"), ("", "More.")),
    )
    assert document.content.name == "Data Act"
    assert titles(document) == [(1, "Data Act"), (2, "Scope"), (3, "Persons")]


def test_word_headings_without_a_title_begin_at_the_top(tmp_path: Path) -> None:
    document = read(tmp_path, "act.docx", docx(("heading 1", "Scope"), ("heading 2", "Persons"), ("", "More.")))
    assert titles(document) == [(1, "Scope"), (2, "Persons")]


def test_the_first_row_of_a_word_table_is_its_header(tmp_path: Path) -> None:
    text = read(tmp_path, "a.docx", docx(("", "Fees."), [["Fee", "CHF"], ["Entry", "10"]])).content.text
    assert "| Fee | CHF |\n| --- | --- |\n| Entry | 10 |" in text


def test_a_slide_is_a_page_with_its_title_as_heading(tmp_path: Path) -> None:
    document = read(tmp_path, "talk.pptx", pptx(("Goals", "grow"), ("Means", "work")))
    assert titles(document) == [(1, "Goals"), (1, "Means")]
    assert [(chunk.section_id, chunk.page) for chunk in cut(document.content).chunks] == [("goals", 1), ("means", 2)]


def test_a_sheet_is_a_section_and_cells_say_what_the_file_says(tmp_path: Path) -> None:
    book = xlsx(Rates=[["Name", "Rate", "Valid"], ["a|b", 3.0, True], [None, 1.5, None]], Notes=[["Only"], ["one"]])
    document = read(tmp_path, "rates.xlsx", book)
    assert document.content.name == "rates"
    assert titles(document) == [(2, "Rates"), (2, "Notes")]
    assert "| Name | Rate | Valid |\n| --- | --- | --- |\n| a\\|b | 3 | TRUE |\n|  | 1.5 |  |" in document.content.text
    assert "NaN" not in document.content.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'Fee,CHF\n"Entry, first",10\n'),
        ("b.csv", "Fee;CHF\nEntry, first;10\n"),
        ("c.tsv", "Fee\tCHF\nEntry, first\t10\n"),
    ],
)
def test_separated_values_become_a_table(tmp_path: Path, name: str, text: str) -> None:
    document = read(tmp_path, name, text.encode())
    assert document.content.text == "| Fee | CHF |\n| --- | --- |\n| Entry, first | 10 |\n"
    assert document.content.metadata["file_type"] == "csv"


def test_commas_of_amounts_do_not_separate_columns(tmp_path: Path) -> None:
    document = read(tmp_path, "a.csv", b"Konto;Betrag;Saldo\n1000;12,50;100,00\n2000;7,20;99,10\n")
    assert document.content.text.splitlines()[2] == "| 1000 | 12,50 | 100,00 |"


def test_a_workbook_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_CELLS", 5)
    path = tmp_path / "a.xlsx"
    path.write_bytes(xlsx(A=[[1, 2, 3], [4, 5, 6]]))
    with pytest.raises(checks.Unreadable, match="more than 5 cells"):
        sheets.workbook(path)


def test_a_web_page_is_its_main_content(tmp_path: Path) -> None:
    page = (
        "<html><head><title>Fees 2026</title><script>evil()</script></head><body><nav>Home</nav><main><h1>Fees</h1>"
        "<p>Entry costs <b>10</b>.</p><h2>Refunds</h2><p>None.</p><footer>Imprint</footer></main><aside>Ads</aside>"
    )
    document = read(tmp_path, "fees.html", page.encode())
    assert document.content.name == "Fees 2026"
    assert document.content.text == "# Fees\n\nEntry costs **10**.\n\n## Refunds\n\nNone.\n"


# --- the converter process ------------------------------------------------------------------------------------


def test_a_file_that_takes_too_long_costs_only_itself(tmp_path: Path) -> None:
    path, long = tmp_path / "a.pdf", tmp_path / "long.html"
    path.write_bytes(AGREEMENT)
    long.write_text("<p>a <b>word</b></p>" * 60_000, encoding="utf-8")
    convert(path, ".pdf")
    with pytest.raises(ConversionFailed, match=r"took longer than 0.05 s to read; split the file"):
        convert(long, ".html", seconds=0.05)
    assert "Delivery" in convert(path, ".pdf").text


def test_a_bad_file_among_good_ones_is_reported_and_the_rest_goes_on(desk: Desk) -> None:
    desk.write("good.pdf", AGREEMENT)
    desk.write("scan.pdf", pdf([]))
    desk.write("note.md", "# Note\n\nliability words")
    report = desk.ingest()
    assert [(item.path, item.reason.split(";")[0]) for item in report.failed] == [
        ("scan.pdf", "no text layer: 1 page of images")
    ]
    assert sorted(desk.ids("liability")) == ["good.pdf", "note.md"]


def test_an_unchanged_pdf_is_not_converted_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("good.pdf", AGREEMENT)
    assert desk.ingest().added == 1
    monkeypatch.setattr(process, "convert", lambda *_: pytest.fail("converted again"))
    assert desk.ingest().unchanged == 1


def test_another_version_of_a_converter_reads_its_files_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("good.pdf", AGREEMENT)
    desk.write("note.md", "# Note")
    desk.ingest()
    monkeypatch.setattr(apart_process, "inside", True)  # where this process reads, it sees the other version
    for module in ("pincite.kinds.documents.kind", "pincite.kinds.documents.read"):
        monkeypatch.setattr(f"{module}.fingerprint", lambda suffix: "kreuzberg 99/1" if suffix == ".pdf" else "")
    report = desk.ingest()
    assert (report.changed, report.unchanged) == (1, 1)


def test_without_the_extra_a_file_is_passed_over_with_the_line_that_installs_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart_process, "inside", True)  # where this process reads, it misses the package
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "kreuzberg" else object())
    desk.write("good.pdf", AGREEMENT)
    desk.write("note.md", "# Note\n\nwords")
    report = desk.ingest()
    assert [(item.path, item.reason) for item in report.skipped] == [
        ("good.pdf", 'reading .pdf files needs the extra "documents": pip install "pincite[documents]"')
    ]
    assert desk.ids("words") == ["note.md"]


def test_older_formats_say_what_to_save_instead(desk: Desk) -> None:
    desk.write("letter.doc", b"\xd0\xcf\x11\xe0")
    (skipped,) = desk.ingest().skipped
    assert skipped.reason == ".doc is not a known type; save it as .docx"


def test_a_citation_of_a_pdf_is_verified(desk: Desk) -> None:
    desk.write("good.pdf", AGREEMENT)
    desk.ingest()
    hit = desk.first("liability")
    assert hit.passage.page == 2
    verdict = desk.library.verify("The liability is described in words", hit.passage.citation)
    assert verdict.status == "verified"
    assert isinstance(desk.library, pincite.Library)


@pytest.mark.parametrize("before", ["", "<caption>Table 9: Sizes</caption>", "<colgroup><col><col></colgroup>"])
def test_a_table_of_a_web_page_has_its_header_row(tmp_path: Path, before: str) -> None:
    rows = "<tr><th>key</th><th>value</th></tr><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>"
    document = read(tmp_path, "a.html", f"<h1>G</h1><table>{before}{rows}</table>".encode())
    assert "| key | value |\n| --- | --- |\n| a | 1 |\n| b | 2 |" in document.content.text
    assert ("Table 9: Sizes" in document.content.text) == ("caption" in before)
