"""What a text refers to: by number, in lists and ranges, relatively, by link, and in which work."""

from __future__ import annotations

import pytest

from pincite.kinds.documents import CutOptions, cut
from pincite.kinds.documents.references.relative import find_relative
from pincite.types import REFERS_TO, Content
from runaway import stopped_if_it_runs_away

CODE = """# Harbor Code

## § 1. Berths

(a) Berths are assigned.

(1) First come, first served.

(2) Residents come first.

(b) See subsection (a)(2). See section 2. Now {0}

## § 2. Fees

(a) Fees are due.

## § 3. Fines

Nothing.
"""


def said(text: str, name: str = "Doc", language: str = "en", **metadata: str) -> list[tuple[str, str, str]]:
    """(words, target, section) of each reference; the document itself is "."."""
    content = Content("document", "document", name, text, language, {"file_type": "md", **metadata})
    relations = cut(content, element_id="docs/doc.md").relations
    for relation in relations:
        start, end = relation.metadata["span"]  # type: ignore[misc,str-unpack]
        assert " ".join(text[int(str(start)) : int(str(end))].split()) == relation.metadata["text"]
        assert (relation.relation_type, relation.source) == (REFERS_TO, "docs/doc.md")
    return [
        (str(r.metadata["text"]), "." if r.target == "docs/doc.md" else r.target, r.target_section) for r in relations
    ]


def code(words: str) -> list[tuple[str, str, str]]:
    return said(CODE.format(words))[2:]


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        ("section 3.", [".#3"]),
        ("sections 2 and 3.", [".#2", ".#3"]),
        ("sections 1 to 3.", [".#1", ".#2", ".#3"]),
        ("section 1(a)(1) of this code.", [".#1(a)(1)"]),
        ("section 1(a)(7).", [".#1(a)"]),
        ("this section.", [".#1"]),
        ("the following section.", [".#2"]),
        ("paragraph (2) above.", [".#1(a)(2)"]),
        ("section 9.", [".#9"]),
        ("Article 5 GDPR.", ["gdpr#art.5"]),
        ("section 3 of the Copyright Act.", ["copyrightact#3"]),
        ("17 U.S.C. § 512(c).", ["17u.s.c.#512(c)"]),
        ("[the fees](#-2-fees).", [".#2"]),
        ("[berths](../policy/berths.md#scope).", ["policy/berths.md#scope"]),
        ("section 2 of our [Terms](terms.md).", ["docs/terms.md#2"]),
        ("[a page](https://example.org/x#y).", []),
        ("![a picture](berth.png) and `section 2`.", []),
        ("30 sections, section by section, part of it.", []),
        ("article 5 days before.", []),
        ("section 2 and Article 5 GDPR.", [".#2", "gdpr#art.5"]),
    ],
)
def test_references_in_english(words: str, targets: list[str]) -> None:
    assert [f"{target}#{section}" for _, target, section in code(words)] == targets


ACT = """# Reglement (RNB)

## Art. 1 Zweck

<sup>1</sup> Nach {0}.

<sup>2</sup> Es gilt:

- a. dies;

- b. das.

## Art. 2 Gebühr

<sup>1</sup> Eins.

## Art. 2a Erlass

Zwei.

## Art. 3 Ende

Drei.
"""


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        ("Artikel 2 Absatz 1", [".#art.2(1)"]),
        ("Art. 2 und 3", [".#art.2", ".#art.3"]),
        ("den Artikeln 2–3", [".#art.2", ".#art.2a", ".#art.3"]),
        ("Art. 2*a*", [".#art.2a"]),
        ("Artikel 2 Absatz 1 und 3", [".#art.2(1)", ".#art.2"]),
        ("Absatz 2 Buchstabe b", [".#art.1(2)(b)"]),
        ("Abs. 2 hiernach", [".#art.1(2)"]),
        ("diesem Artikel", [".#art.1"]),
        ("diesem Absatz", [".#art.1(1)"]),
        ("Artikel 2 Absatz 1 oder 4 Absatz 2", [".#art.2(1)", ".#art.4(2)"]),
        ("dem nachfolgenden Artikel", [".#art.2"]),
        ("Artikel 2 dieses Reglements", [".#art.2"]),
        ("Art. 3 RNB", [".#art.3"]),
        ("Art. 41 ff. OR", ["or#art.41"]),
        ("Art. 166 Abs. 2 Ziff. 1 ZGB", ["zgb#art.166(2)(1)"]),
        ("Artikel 60 Absatz 2 des Strafgesetzbuchs", ["strafgesetzbuch#art.60(2)"]),
        ("Artikel 9 des Heilmittelgesetzes vom 15. Dezember 2000 (HMG)", ["hmg#art.9"]),
        ("Ablauf von 30 Tagen ab dem 1. April 2020", []),
    ],
)
def test_references_in_german(words: str, targets: list[str]) -> None:
    found = said(ACT.format(words), "Reglement (RNB)", "de")
    assert [f"{target}#{section}" for _, target, section in found] == targets


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        ("l'article 2, alinéa 1", [".#art.2(1)"]),
        ("l'alinéa 2", [".#art.1(2)"]),
        ("l'art. 120 CO", ["co#art.120"]),
        ("l'article suivant", [".#art.2"]),
        ("l'art. 2 de la présente loi", [".#art.2"]),
    ],
)
def test_references_in_french(words: str, targets: list[str]) -> None:
    first = f"## Art. 1 But\n\n<sup>1</sup> Selon {words}.\n\n<sup>2</sup> Deux."
    text = f"# Loi\n\n{first}\n\n## Art. 2 Suite\n\n<sup>1</sup> Un.\n"
    assert [f"{target}#{section}" for _, target, section in said(text, "Loi", "fr")] == targets


def test_a_place_is_named_by_where_the_words_stand() -> None:
    content = Content("document", "document", "Doc", CODE.format("section 3."), "en", {"file_type": "md"})
    sources = [relation.source_section for relation in cut(content, element_id="d").relations]
    assert sources == ["1(b)", "1(b)", "1(b)"]


def test_an_article_that_is_a_document_refers_to_others_of_its_work() -> None:
    text = "# Art. 41 OR\n\n1 Vorbehalten bleiben Artikel 97 und Absatz 2.\n2 Siehe Art. 1 ZGB."
    found = said(text, "Art. 41 OR", "de", abbr="OR")
    assert found == [
        ("Artikel 97", "or.art.97", ""),
        ("Absatz 2", ".", "art.41(2)"),
        ("Art. 1 ZGB", "zgb", "art.1"),
    ]


def test_front_matter_code_comments_and_footnotes_refer_to_nothing() -> None:
    head = "---\nnote: see section 1\n---\n# A\n\n## 1. One\n\nText[^1].\n\n"
    assert said(head + "```\nsection 1\n```\n\n<!-- section 1 -->\n\n[^1]: section 1\n") == []
    assert len(said(head + "See section 1.\n")) == 1


def test_references_can_be_left_out() -> None:
    content = Content("document", "document", "Doc", CODE.format("section 3."), "en", {"file_type": "md"})
    assert cut(content, CutOptions(extract_cross_references=False), "d").relations == ()
    assert cut(content).relations == (), "without an id there is nothing to refer from"


def test_the_number_of_a_paragraph_refers_to_nothing() -> None:
    text = "## art. 1 Oggetto\n\ncpv. 1 Il Fornitore consegna secondo il cpv. 2.\n\ncpv. 2 Le quantità sono indicate."
    assert [text[item.start : item.end] for item in find_relative(text)] == ["cpv. 2"]


@pytest.mark.parametrize(
    "piece", ["Abs. 1 ", "paragraph (b) of ", "(a)", "Art. 1 und ", ", 2", "lit. a von ", "[", "`"]
)
def test_a_text_that_repeats_itself_does_not_hide_what_follows(piece: str) -> None:
    """It took minutes where levels could repeat without bound."""
    with stopped_if_it_runs_away():
        found = said(f"# Contract agreement\n\n## 1. One\n\nSection 1{piece * 5_000}\n\n## 2. Two\n\nSee section 1.\n")
    assert found[-1] == ("section 1", ".", "1")


ORDER = """# {0}

## 4 Fees

Fees are due.

## 5 Fines

It applies as {1}
"""


@pytest.mark.parametrize(
    ("title", "words", "target"),
    [
        ("Quay Rules", "section 4 of the Harbour Order says.", "harbourorder"),
        ("Quay Rules", "section 4 of the Harbour Order 2019 says.", "harbourorder2019"),
        ("Quay Rules", "section 4 of the Harbour Order and the Fee Order.", "harbourorder"),
        ("Quay Rules", "section 4 of the Harbour Order and Part 2 of it.", "harbourorder"),
        ("Quay Rules", "section 4 of the Charter of the United Lakes says.", "charteroftheunitedlakes"),
        ("Quay Rules", "section 4 of the Order says.", "order"),
        ("Amendment of the Harbour Order", "section 4 of the Harbour Order says.", "harbourorder"),
        ("Harbour Act Regulations 2019", "section 4 of the Act says.", "act"),
        ("Harbour Order", "section 4 of the Harbour Order says.", "."),
        ("Harbour Order 2019", "section 4 of the Harbour Order says.", "."),
        ("Harbour Order", "section 4 of the Order says.", "."),
        ("Harbour Act 2019", "section 4 of the Act says.", "."),
        ("Harbour Act 2019", "section 4 of this Act says.", "."),
        ("Lakeport Harbor Code (LHC)", "section 4 of the Code says.", "."),
        ("Lighthouse Agreement", "section 4 of the Agreement says.", "."),
        ("Employee Handbook, Part 4: Leave", "section 4 of the Employee Handbook says.", "."),
        ("Employee Handbook, Part 4: Leave", "section 9 of the Employee Handbook says.", "employeehandbook"),
        ("Quay Rules", "section 4 of the First Schedule says.", "."),
    ],
)
def test_a_section_of_another_title_is_not_our_own_and_one_of_ours_is(title: str, words: str, target: str) -> None:
    found = said(ORDER.format(title, words), name=title)
    assert found[0][1] == target, found


def test_the_title_of_a_document_refers_to_nothing() -> None:
    assert said("# Employee Handbook, Part 5: Expenses\n\nWords.\n", name="Employee Handbook, Part 5: Expenses") == []
    assert said("# Annex\n\nWords.\n\n## More on section 7\n\nWords.\n", name="Annex") == [("section 7", ".", "7")]


LAKE = """# Lake Act

## Part 1 Water

### Section 1 Level

The level is kept. {0}

### Section 2 Use

It is used.

## Part 2 Shore

### Section 3 Path

The path is open.

## Chapter 4 Boats

Boats have lights.
"""


def test_a_part_is_not_the_section_of_its_number() -> None:
    found = said(LAKE.format("See Part 2, Section 2, Chapter 4 and Chapter 3."))
    assert found == [
        ("Part 2", ".", "part.2"),
        ("Section 2", ".", "2"),
        ("Chapter 4", ".", "chapter.4"),
        ("Chapter 3", ".", "3"),
    ], "where nothing else is called so, a chapter may be a section"
