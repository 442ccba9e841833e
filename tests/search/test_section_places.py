"""An exact reference finds exactly its place, in every spelling, in the work that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import Desk

LEGISLATION = Path(__file__).parents[2] / "samples" / "legislation"


@pytest.fixture(scope="module")
def acts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pincite.Library]:
    with pincite.open(tmp_path_factory.mktemp("acts") / "library") as library:
        library.ingest(LEGISLATION)
        yield library


@pytest.mark.parametrize(
    ("query", "element", "section", "words"),
    [
        ("Art. 4 Abs. 2 lit. b RNB", "bootshausreglement.md", "art.4(2)(b)", "- b. den Platz"),
        ("art. 6 al. 1 let. b RNB", "bootshausreglement.md", "art.6(1)(b)", "- b. 900 Franken"),
        ("art. 3 cpv. 2 lett. a RNB", "bootshausreglement.md", "art.3(2)(a)", "- a. die Kündigung"),
        ("Section 203(a)(1)", "harbor-code.md", "203(a)(1)", "(1) Application."),
        ("s 8(2)(a)", "reed-islands-act.md", "8(2)(a)", "(a) a warden"),
        ("para. 4.2(a)", "service-agreement.md", "4.2(a)", "(a) the inspections"),
    ],
)
def test_a_place_is_first_and_can_be_read_alone(
    acts: pincite.Library, query: str, element: str, section: str, words: str
) -> None:
    hit = acts.search(query).hits[0]
    assert (hit.passage.element_id, hit.score) == (element, 1.0) and words in hit.passage.text
    place = acts.get(element, section=query.removesuffix(" RNB")).passage
    assert place.section_id == section and words.lstrip("- ") in place.text and place.text in hit.passage.text
    cited = acts.get(place.citation).passage
    assert (cited.text, cited.section_id) == (place.text, section)


def test_the_work_that_is_named_decides_between_equal_numbers(acts: pincite.Library) -> None:
    for name, element in (
        ("RIPA", "reed-islands-act.md"),
        ("Lighthouse Maintenance Agreement", "service-agreement.md"),
    ):
        for query in (f"section 6 {name}", f"{name} § 6", f"Section 6 of the {name}"):
            answer = acts.search(query)
            assert answer.hits[0].passage.element_id == element, query
            exact = [hit.passage.element_id for hit in answer.hits if "exact" in hit.legs]
            assert exact == [element], "the other works are not what is asked for"
    assert acts.search("RNB 7").hits[0].passage.section_id == "art.7"


def test_an_unknown_place_falls_back_to_what_would_hold_it_and_says_so(acts: pincite.Library) -> None:
    answer = acts.search("Art. 6 Abs. 1 lit. f RNB")
    assert answer.hits[0].passage.section_id == "art.6"
    assert "nothing is numbered art.6(1)(f); art.6(1), which would hold it, is shown" in answer.notes
    assert not [note for note in acts.search("Art. 6 Abs. 1 lit. b RNB").notes if "numbered" in note]


def test_an_unknown_work_falls_back_to_others_and_says_so(acts: pincite.Library) -> None:
    answer = acts.search("Art. 7 XYZG")
    assert answer.hits[0].passage.section_id == "art.7"
    assert "no document here is called 'XYZG'; art.7 of others is shown" in answer.notes


def test_of_a_long_section_the_passage_that_holds_the_place_is_first(desk: Desk) -> None:
    filler = " ".join(["Die Gemeinde führt ein Verzeichnis der Boote und Plätze."] * 60)
    paragraphs = "\n\n".join(f"<sup>{number}</sup> Absatz Nummer {number}. {filler}" for number in range(1, 5))
    desk.put(act=f"---\nabbr: BG\n---\n# Bootsgesetz\n\n## Art. 9 Boote\n\n{paragraphs}\n")
    hits = {number: desk.first(f"Art. 9 Abs. {number} BG").passage for number in range(1, 5)}
    for number, passage in hits.items():
        assert f"Absatz Nummer {number}." in passage.text
    assert hits[3].section_id == "art.9(3)" and hits[3].citation != hits[1].citation
    whole = desk.library.get("act.md", section="Art. 9").passage
    assert "Nummer 1." in whole.text and "Nummer 4." in whole.text, "the section is all of its parts"


def test_sections_counted_under_letters_are_found_together_with_them(desk: Desk) -> None:
    body = "\n\n".join(
        f"## {letter}. Part\n\n### 1. One\n\nText {letter}1.\n\n### 2. Two\n\nText {letter}2." for letter in "ABCD"
    )
    desk.put(terms=f"# Terms\n\n{body}\n")
    assert "Text D2." in desk.first("Section D.2 of the Terms").passage.text
