"""A golden set out of the library's own structure: each truth, its limits, and that the set can be loaded back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

import pincite
from desk import SAMPLES, Desk
from pincite.errors import InvalidArgument, NotFound
from pincite.eval.cases import Case, CaseSet
from pincite.eval.golden import dump_golden, load_golden
from pincite.eval.suggest import suggest
from pincite.types import Chunk, Commit, Content, Definition, Derivation, PutElement, Relation, State

BODY = "There is enough text below this heading to answer a question with."


def of_type(cases: CaseSet, type_: str) -> list[Case]:
    return [case for case in cases.cases if f"type:{type_}" in case.tags]


def found(cases: CaseSet, type_: str) -> dict[str, str]:
    """Queries of a type with the name of their one judged place."""
    return {case.query: case.relevant[0].name for case in of_type(cases, type_)}


def put(library: pincite.Library, element_id: str, name: str, derivation: Derivation, text: str) -> None:
    """Commit an element of some other kind, as its own kind would have derived it."""
    content = Content("note", "note", name, text, "en")
    change = PutElement(element_id, (State(content, derivation),))
    library.catalog.commits.commit(library.scope(), Commit((change,)))


# --- headings and names ---------------------------------------------------------------------------------------


def test_a_heading_without_its_number_leads_to_its_section(desk: Desk) -> None:
    desk.put(
        leave=f"# Leave policy\n\n## 4.2 Carry-over of leave.\n\n{BODY}\n\n## B. What counts as illness\n\n{BODY}\n"
    )
    cases = suggest(desk.library)
    assert found(cases, "heading") == {
        "Carry-over of leave": "leave.md#4.2",
        "What counts as illness": "leave.md#B",
    }
    case = of_type(cases, "heading")[0]
    assert case.id == "heading-001"
    assert case.tags == ("type:heading", "lang:en")
    assert case.relevant[0].grade == 3


def test_a_heading_that_two_sections_have_asks_for_neither(desk: Desk) -> None:
    desk.put(
        one=f"# First thing\n\n## Reporting an accident\n\n{BODY}\n",
        two=f"# Second thing\n\n## REPORTING an Accident\n\n{BODY}\n\n## Reporting a theft\n\n{BODY}\n",
    )
    assert found(suggest(desk.library), "heading") == {"Reporting a theft": "two.md#reporting-a-theft"}


def test_a_heading_that_is_the_name_of_another_document_asks_for_neither(desk: Desk) -> None:
    desk.put(
        one=f"# House rules\n\n## Waste disposal\n\n{BODY}\n",
        two=f"# Waste disposal\n\n{BODY}\n",
    )
    cases = suggest(desk.library)
    assert found(cases, "heading") == {}
    assert found(cases, "name") == {"House rules": "one.md"}


@pytest.mark.parametrize("heading", ["Introduction", "Zusammenfassung", "General provisions", "Scope", "4.2", "Fees"])
def test_a_heading_that_says_nothing_is_no_question(desk: Desk, heading: str) -> None:
    desk.put(one=f"# House rules\n\n## {heading}\n\n{BODY}\n")
    assert found(suggest(desk.library), "heading") == {}


def test_a_long_word_says_enough(desk: Desk) -> None:
    desk.put(one=f"# House rules\n\n## Fristerstreckung\n\n{BODY}\n")
    assert found(suggest(desk.library), "heading") == {"Fristerstreckung": "one.md#fristerstreckung"}


def test_a_heading_without_text_of_its_own_is_no_question(desk: Desk) -> None:
    hidden = "<!-- a comment of many words that nobody who reads the page will ever see -->"
    desk.put(one=f"# House rules\n\n## Cellar and attic\n\n### Bicycle storage\n\n{BODY}\n\n## Lost keys\n\n{hidden}\n")
    assert found(suggest(desk.library), "heading") == {"Bicycle storage": "one.md#bicycle-storage"}


def test_the_title_of_a_document_is_its_name_and_no_heading(desk: Desk) -> None:
    desk.put(one=f"# House rules of Halmwil\n\n{BODY}\n")
    cases = suggest(desk.library)
    assert [(case.query, case.relevant[0].name) for case in cases.cases] == [("House rules of Halmwil", "one.md")]


# --- definitions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "term", "query"),
    [
        (
            '"Working day" means any day on which you would normally go to the office. A holiday is none.',
            "Working day",
            "any day on which you would normally go to the office",
        ),
        (
            "- **Processor** refers to a [company](x.md) that handles records on our behalf;",
            "Processor",
            "a company that handles records on our behalf",
        ),
        (
            "(b) Für diese Ordnung, „Uferzone“ bezeichnet den offenen Streifen zwischen Wasserlinie und Wanderweg.",
            "Uferzone",
            "den offenen Streifen zwischen Wasserlinie und Wanderweg",
        ),
        (
            "al. 1 « Locataire » désigne toute personne qui a signé le bail ou son conjoint enregistré.",
            "Locataire",
            "toute personne qui a signé le bail ou son conjoint enregistré",
        ),
        (
            "Per «Difetto» si intende ogni scostamento dal disegno o dalle tolleranze stabilite.",
            "Difetto",
            "ogni scostamento dal disegno o dalle tolleranze stabilite",
        ),
    ],
)
def test_the_words_of_a_definition_ask_for_its_term(desk: Desk, sentence: str, term: str, query: str) -> None:
    desk.put(one=f"# Rules\n\n## 2. Terms\n\n{sentence}\n")
    (case,) = of_type(suggest(desk.library), "definition")
    assert (case.query, case.relevant[0].name, case.note) == (query, "one.md#2", term)


@pytest.mark.parametrize(
    "sentence",
    [
        "**Note:** means of transport are listed in the annex to the handbook of the company.",
        "**Payment Terms** Invoices are paid within thirty days of their receipt by the buyer.",
        '"Staff" means staff who are employed by the company under a permanent contract.',
        '"Green" means that the pump has run for a full day without an alarm or error.',
        '"Product" means any of the following goods that the supplier delivers to the buyer:',
        'Whoever shouted yesterday in the yard "fire drill" means well but frightens the neighbours badly.',
        '```\n"Working day" means any day on which you would normally go to the office.\n```',
    ],
)
def test_what_only_looks_like_a_definition_is_none(desk: Desk, sentence: str) -> None:
    desk.put(one=f"# Rules\n\n## 2. Terms\n\n{sentence}\n")
    assert of_type(suggest(desk.library), "definition") == []


def test_a_term_that_two_documents_define_is_not_asked_for(desk: Desk) -> None:
    desk.put(
        one='# One\n\n"Site day" means a day on which the whole team is present.\n',
        two='# Two\n\n"Site day" means the weekday agreed for meetings in person at headquarters.\n',
    )
    assert of_type(suggest(desk.library), "definition") == []


def test_a_long_definition_is_cut_to_the_length_of_a_question(desk: Desk) -> None:
    endless = "a vessel with sails, oars or an engine " + "that belongs to some member of some club " * 5
    desk.put(one=f'# Rules\n\n"Boat" means {endless}.\n')
    (case,) = of_type(suggest(desk.library), "definition")
    assert case.query.startswith("a vessel with sails")
    assert len(case.query.split()) <= 25


def test_definitions_that_a_kind_gives_are_taken_as_given(desk: Desk) -> None:
    text = "Ullage: the empty space that is left in a barrel above the liquid."
    chunk = Chunk(0, None, text, section_id="u", parent_chain=("Glossary", "U"), language="en")
    given = Definition("Ullage", "the empty space that is left in a barrel above the liquid", 0)
    put(desk.library, "glossary", "Glossary", Derivation("test/1", (chunk,), (given,)), "")
    cases = suggest(desk.library)
    assert found(cases, "definition") == {
        "the empty space that is left in a barrel above the liquid": "glossary#u",
    }


# --- citations ------------------------------------------------------------------------------------------------


def test_a_number_with_the_name_of_the_document_leads_to_the_section(desk: Desk) -> None:
    desk.put(
        leave=f"# Leave policy\n\n## 4.2 Carry-over\n\n{BODY}\n",
        haus="# Hausordnung\n\n## Art. 8 Lärm\n\nNach zehn Uhr am Abend herrscht im ganzen Haus Ruhe.\n",
        terms=f"# Terms of sale\n\n## Section 3 Warranty\n\n{BODY}\n",
        data=f"# Data policy\n\n## 1. Scope\n\n{BODY}\n\n## 2. Register\n\n{BODY}\n",
    )
    assert found(suggest(desk.library), "citation") == {
        "§ 4.2 Leave policy": "leave.md#4.2",
        "Art. 8 Hausordnung": "haus.md#art.8",
        "Section 3 Terms of sale": "terms.md#3",
        "§ 1 Data policy": "data.md#1",
        "§ 2 Data policy": "data.md#2",
    }


def test_a_number_that_is_not_the_only_one_is_no_citation(desk: Desk) -> None:
    desk.put(
        twice=f"# Statutes\n\n## Part A\n\n### § 1 Members\n\n{BODY}\n\n## Part B\n\n### § 1 Votes\n\n{BODY}\n",
        one=f"---\ntitle: Order\n---\n## § 5 Keys\n\n{BODY}\n",
        two=f"---\ntitle: Order\n---\n## § 5 Doors\n\n{BODY}\n",
    )
    assert found(suggest(desk.library), "citation") == {}


def test_numbered_steps_and_parts_of_lettered_sections_are_not_cited(desk: Desk) -> None:
    desk.put(
        steps=f"# How to start\n\n## What you need\n\n{BODY}\n\n## Doing it\n\n{BODY}\n\n### 1. Unpack\n\n{BODY}\n",
        terms=f"# Terms\n\n## A. Use\n\n{BODY}\n\n### 1. Access\n\n{BODY}\n",
    )
    assert found(suggest(desk.library), "citation") == {}


def test_the_words_of_a_link_lead_to_what_it_links(desk: Desk) -> None:
    desk.write("company/leave.md", f"# Leave\n\n## Carry-over\n\n{BODY}\n\n## Sick notes {{#ill}}\n\n{BODY}\n")
    desk.write("company/index.md", f"# Company\n\n{BODY}\n")
    desk.write(
        "guides/start.md",
        "# Start\n\nSee [how unused leave is kept](../company/leave.md#carry-over), [what sick notes must"
        " say](/company/leave#ill), [rules of the company](../company/) and [click here](../company/leave.md), or"
        " [our other leave](https://example.org/leave.md), [missing leave page](nowhere.md).\n",
    )
    desk.ingest()
    assert found(suggest(desk.library), "citation") == {
        "how unused leave is kept": "company/leave.md#carry-over",
        "what sick notes must say": "company/leave.md#ill",
        "rules of the company": "company/index.md",
    }


def test_words_that_lead_to_two_places_are_no_citation(desk: Desk) -> None:
    desk.put(
        leave=f"# Leave\n\n{BODY}\n",
        pay=f"# Leave pay\n\n{BODY}\n",
        one="# One\n\nSee the [leave rules](leave.md) and the [leave form](leave.md).\n",
        two="# Two\n\nSee the [Leave Rules](pay.md) and the [leave form](https://example.org/form).\n",
    )
    assert found(suggest(desk.library), "citation") == {}


def test_a_turn_of_phrase_counts_only_when_two_documents_use_it(desk: Desk) -> None:
    desk.put(
        leave=f"# Leave\n\n{BODY}\n",
        one="# One\n\nSome [vanish every summer](leave.md); time off is [recorded absence](leave.md).\n",
        two="# Two\n\nWe speak of [recorded absence](leave.md) then.\n",
    )
    assert found(suggest(desk.library), "citation") == {"recorded absence": "leave.md"}


def test_a_relation_that_carries_its_words_is_a_citation(desk: Desk) -> None:
    def element(name: str, *relations: Relation) -> None:
        text = f"{name} is described here in a few words."
        put(desk.library, name, name, Derivation("test/1", (Chunk(0, None, text),), relations=relations), "")

    element("billing", Relation("r1", "uses", "billing", "ledger", metadata={"text": "the ledger of open items"}))
    element("ledger")
    assert found(suggest(desk.library), "citation") == {"the ledger of open items": "ledger"}


# --- the set --------------------------------------------------------------------------------------------------


def test_every_suggestion_from_the_samples_is_a_place_in_the_library(handbook: pincite.Library) -> None:
    cases = suggest(handbook, limit=1000)
    assert Counter(case.tags[0] for case in cases.cases).keys() == {
        "type:heading", "type:name", "type:definition", "type:citation"
    }  # fmt: skip
    for case in cases.cases:
        (judged,) = case.relevant
        place = handbook.get(judged.target, section=judged.section).passage
        assert place.section_id == judged.section
        if case.note:
            assert case.note in place.text
            assert case.note.lower() not in case.query.lower()
    asked = found(cases, "definition")
    assert asked["the person who signs your time sheet"] == "company/leave.md#4.1"
    assert "Art. 8 Reglement über die Hundehaltung der Gemeinde Halmwil" in found(cases, "citation")


def test_the_limit_is_spread_over_types_and_elements(handbook: pincite.Library) -> None:
    cases = suggest(handbook, limit=40)
    assert Counter(case.tags[0] for case in cases.cases) == {
        "type:heading": 10, "type:name": 10, "type:definition": 10, "type:citation": 10
    }  # fmt: skip
    for type_ in ("heading", "name", "citation"):
        targets = [case.relevant[0].target for case in of_type(cases, type_)]
        assert len(set(targets)) == len(targets)
    assert [case.id for case in cases.cases][:2] == ["heading-001", "heading-002"]


def test_a_type_that_runs_dry_leaves_its_share_to_the_others(handbook: pincite.Library) -> None:
    counts = Counter(case.tags[0] for case in suggest(handbook, limit=100).cases)
    assert counts["type:name"] == 11
    assert counts.total() == 100


def test_the_order_of_ingest_does_not_matter(tmp_path: Path, handbook: pincite.Library) -> None:
    folders = sorted((path for path in SAMPLES.iterdir() if path.is_dir()), reverse=True)
    with pincite.open(tmp_path / "library") as library:
        for folder in folders:
            library.ingest(folder, prefix=f"{folder.name}/")
        assert library.elements() == handbook.elements()
        assert suggest(library, limit=30) == suggest(handbook, limit=30)


def test_what_is_suggested_can_be_loaded_back(tmp_path: Path, handbook: pincite.Library) -> None:
    cases = suggest(handbook)
    path = tmp_path / "golden.yaml"
    path.write_text(yaml.safe_dump(dump_golden(cases), allow_unicode=True, sort_keys=False), encoding="utf-8")
    loaded = load_golden(path)
    assert loaded.cases == cases.cases
    assert loaded.fingerprint == cases.fingerprint
    assert loaded.description == cases.description
    assert loaded.notes == ()


def test_suggestions_hold_for_the_state_they_were_taken_from(desk: Desk) -> None:
    desk.put(one=f"# House rules\n\n{BODY}\n")
    desk.put(one=f"# Rules of the house\n\n{BODY}\n")
    cases = suggest(desk.library, read_context="revision:1")
    assert [(case.query, case.read_context) for case in cases.cases] == [("House rules", "revision:1")]


def test_what_a_reader_may_not_see_is_not_suggested(desk: Desk) -> None:
    desk.put(open=f"# Open matters\n\n{BODY}\n", closed=f"---\nroles: [board]\n---\n# Secret matters\n\n{BODY}\n")
    with desk.reopened(roles=["staff"]) as library:
        assert [case.query for case in suggest(library).cases] == ["Open matters"]


def test_an_empty_library_gives_no_cases_and_says_why(desk: Desk) -> None:
    cases = suggest(desk.library)
    assert cases.cases == ()
    assert "pincite ingest" in cases.notes[0]


def test_a_library_without_structure_gives_no_cases_and_says_why(desk: Desk) -> None:
    desk.write("a.txt", BODY)
    desk.ingest()
    cases = suggest(desk.library)
    assert cases.cases == ()
    assert "its 1 elements have no distinctive names" in cases.notes[0]


def test_a_misspelt_repository_is_an_error(desk: Desk) -> None:
    desk.put(one=f"# House rules\n\n{BODY}\n")
    with pytest.raises(NotFound, match="mian"):
        suggest(desk.library, repository="mian")


def test_fewer_than_one_case_cannot_be_asked_for(desk: Desk) -> None:
    with pytest.raises(InvalidArgument, match="at least 1"):
        suggest(desk.library, limit=0)


def test_a_heading_that_names_another_document_is_not_asked_for_its_section(desk: Desk) -> None:
    rule = "Nobody may take what belongs to somebody else, however long it has been idle."
    desk.put(
        names=f"# User names\n\n{rule}\n\n## Trademark Policy\n\n{rule}\n\n## Squatting on names\n\n{rule}\n",
        marks=f"# GitHub Trademark Policy\n\n{rule}\n",
    )
    asked = {case.query for case in suggest(desk.library).cases}
    assert "Squatting on names" in asked and "Trademark Policy" not in asked
