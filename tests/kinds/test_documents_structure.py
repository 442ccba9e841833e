"""What a document is, which places are cited inside its sections, by which short names it goes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import ValidationError

from pincite.kinds.documents import CutOptions, cut, read_document
from pincite.kinds.documents.domains import detect_domain
from pincite.kinds.documents.outline import outline
from pincite.kinds.documents.subsections import subsections
from pincite.kinds.documents.works import long_names, short_names
from pincite.types import Alias, Content, Span

LEGISLATION = Path(__file__).parents[2] / "samples" / "legislation"
HANDBOOK = LEGISLATION.parent / "handbook"


def read(name: str) -> Content:
    path = LEGISLATION / name if (LEGISLATION / name).exists() else HANDBOOK / name
    return read_document(path, name).content


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("harbor-code.md", "us_legislative"),
        ("reed-islands-act.md", "au_legislative"),
        ("bootshausreglement.md", "swiss_legislative"),
        ("service-agreement.md", "legal_contract"),
        ("municipality/hundereglement.md", "swiss_legislative"),
        ("suppliers/contratto-di-fornitura.md", "legal_contract"),
        ("company/leave.md", "none"),
        ("company/expenses.md", "none"),
    ],
)
def test_a_domain_is_recognised_by_structure_or_not_at_all(name: str, domain: str) -> None:
    content = read(name)
    assert detect_domain(content, outline(content.text)) == domain


def ids(text: str, number: str, domain: str, depth: int = 5) -> list[str]:
    found = subsections(text, number, Span(0, len(text)), domain, depth)  # type: ignore[arg-type]
    return [place.identifier for place in found]


def test_letters_first_numbers_below_and_letters_again() -> None:
    text = "\n(a) In general\n\n(1) one\n\n(A) deep\n\n(i) deeper\n\n(ii) deeper\n\n(B) deep\n\n(2) two\n\n(b) other\n"
    assert ids(text, "203", "us_legislative") == [
        "203(a)", "203(a)(1)", "203(a)(1)(a)", "203(a)(1)(a)(i)", "203(a)(1)(a)(ii)", "203(a)(1)(b)", "203(a)(2)",
        "203(b)",
    ]  # fmt: skip
    assert ids(text, "203", "us_legislative", depth=2) == ["203(a)", "203(a)(1)", "203(a)(2)", "203(b)"]
    assert ids(text, "203", "us_legislative", depth=0) == ids(text, "203", "technical") == []


def test_the_letter_i_is_no_roman_one_among_letters() -> None:
    text = "\n".join(f"({letter}) text\n" for letter in "abcdefghij")
    assert ids(text, "7", "au_legislative")[-2:] == ["7(i)", "7(j)"]


def test_swiss_paragraphs_letters_and_numerals_in_both_spellings() -> None:
    marks = (
        "<sup>1</sup> Wer:",
        "- a.[^1] eins;",
        "- b. zwei:",
        "- 1. x",
        "- c. drei",
        "<sup>1bis</sup> Neu",
        "<sup>2</sup> Wer",
    )
    raised = "\n\n".join(marks)
    plain = "1 Wer:\n- a. eins;\n- b. zwei:\n- 1. x\n- c. drei\n1bis Neu\n2 Wer"
    wanted = ["art.4(1)", "art.4(1)(a)", "art.4(1)(b)", "art.4(1)(b)(1)", "art.4(1)(c)", "art.4(1bis)", "art.4(2)"]
    assert ids(raised, "art.4", "swiss_legislative") == ids(plain, "art.4", "swiss_legislative") == wanted


def test_a_number_in_the_text_is_no_paragraph() -> None:
    text = "1 Die Frist beträgt\n30 Tage.\n2 Sie beginnt am\n15. Mai."
    assert ids(text, "art.4", "swiss_legislative") == ["art.4(1)", "art.4(2)"]


def test_clauses_of_a_contract_and_what_they_enumerate() -> None:
    lines = (
        "4.1 Supplier shall:",
        "(a) deliver; and",
        "(b) install.",
        "4.2 Fees are due (a) monthly, or (b) yearly.",
        "9.1 foreign",
    )
    text = "\n\n".join(lines)
    assert ids(text, "4", "legal_contract") == ["4.1", "4.1(a)", "4.1(b)", "4.2", "4.2(a)", "4.2(b)"]


def test_brackets_that_point_elsewhere_enumerate_nothing() -> None:
    assert ids("\nSubject to paragraphs (a) and (b) the fee in clause (a) is due.\n", "4", "legal_contract") == []


def test_a_repealed_number_leaves_a_gap() -> None:
    assert ids("1 Eins\n4 Vier\n5 Fünf", "art.9", "swiss_legislative") == ["art.9(1)", "art.9(4)", "art.9(5)"]


def test_places_end_where_the_next_of_their_level_begins() -> None:
    text = "\n(a) one\n\n(1) deep\n\n(b) two\n"
    found = subsections(text, "5", Span(0, len(text)), "us_legislative")
    assert [text[place.span.start : place.span.end] for place in found] == [
        "(a) one\n\n(1) deep",
        "(1) deep",
        "(b) two",
    ]


def test_places_are_aliases_with_a_span_and_long_sections_are_named_after_the_place_they_hold() -> None:
    long = " ".join(["Ein Wort nach dem andern, damit der Absatz lang wird."] * 40)
    paragraphs = f"<sup>1</sup> Kurz.\n\n<sup>2</sup> {long}\n\n<sup>3</sup> {long}"
    text = f"# Gesetz\n\n## Art. 4 Frist\n\n{paragraphs}\n\n## Art. 5 Ende\n\nSchluss."
    content = Content("document", "document", "Gesetz", text, "de", {"file_type": "md"})
    made = cut(content, CutOptions(max_chunk_tokens=400))
    places = {alias.identifier: alias for alias in made.aliases if alias.span}
    assert places.keys() == {"art.4(1)", "art.4(2)", "art.4(3)"}
    assert {alias.section_id for alias in places.values()} == {"art.4"}
    assert text[places["art.4(1)"].span.start :].startswith("<sup>1</sup> Kurz.")  # type: ignore[union-attr]
    sections = [chunk.section_id for chunk in made.chunks]
    assert sections[-1] == "art.5" and "art.4(3)" in sections and sections[1] == "art.4"


def test_short_names_come_from_front_matter_and_from_the_title() -> None:
    act = Content(
        "document", "document", "Data Act (DA)", "x", "en", {"short_title": "Data Act", "abbr_fr": ["LD", "LDon"]}
    )
    assert short_names(act) == ("Data Act", "LD", "LDon", "DA")
    assert short_names(Content("document", "document", "Notes (draft)", "x")) == ()
    code = Content("document", "document", "Schweizerisches Strafgesetzbuch vom 21. Dezember 1937", "x", "de")
    assert "Strafgesetzbuch" in long_names(code)
    law = Content("document", "document", "Bundesgesetz vom 17. Dezember 1976 über die politischen Rechte", "x", "de")
    assert "Bundesgesetz vom 17. Dezember 1976" in long_names(law)


def test_an_article_that_is_a_document_of_its_own_is_known_as_part_of_its_work() -> None:
    content = Content(
        "document", "document", "Art. 41 OR", "# Art. 41 OR\n\n1 Wer.\n2 Ebenso.", "de", {"abbr": "OR", "abbr_fr": "CO"}
    )
    aliases = cut(content).aliases
    assert {Alias("or.art.41", "art.41"), Alias("co.art.41", "art.41")} <= set(aliases)
    assert Alias("OR") not in aliases, "the article is not the act"
    assert "art.41(2)" in {alias.identifier for alias in aliases}


def test_tokens_alone_cut_along_nothing_but_sentences() -> None:
    text = "# A\n\n" + "Ein Satz steht hier. " * 60 + "\n\n# B\n\n" + "Noch ein Satz folgt. " * 60
    content = Content("document", "document", "A", text, "de", {"file_type": "md"})
    made = cut(content, CutOptions(max_chunk_tokens=200, chunk_overlap=20, chunking_strategy="token"))
    spans = [chunk.span for chunk in made.chunks if chunk.span]
    assert any(later.start < earlier.end for earlier, later in pairwise(spans)), "they overlap"
    assert {chunk.section_id for chunk in made.chunks} == {"a", "b"}
    assert made.recipe != cut(content, CutOptions(max_chunk_tokens=200, chunk_overlap=20)).recipe


def test_options_that_make_no_sense_are_refused_with_what_would() -> None:
    with pytest.raises(ValidationError, match="swiss_legislative"):
        CutOptions(document_domain="swiss_legislativ")  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="'structure' or 'token'"):
        CutOptions(chunking_strategy="tokens")  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="less than or equal to 10"):
        CutOptions(max_subsection_depth=11)
