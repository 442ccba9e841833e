"""What counts as a definition, where it ends, how far it reaches — and what only looks like one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.extraction.definitions import LABELS, labelled, measure

from pincite.kinds.documents import CutOptions, cut
from pincite.types import Content, Definition
from runaway import stopped_if_it_runs_away

DATA = Path(os.environ.get("PINCITE_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))


def found(text: str, language: str = "en", **metadata: str) -> tuple[Definition, ...]:
    given = {"file_type": "md", **metadata}
    return cut(Content("document", "document", metadata.get("name", "Doc"), text, language, given)).definitions


def terms(text: str, language: str = "en") -> list[str]:
    return [definition.term for definition in found(text, language)]


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("“Goods” means flour and bran.", "Goods"),
        ('"Goods" shall mean flour and bran.', "Goods"),
        ("**Goods** means flour and bran.", "Goods"),
        ("The term “Goods” refers to flour and bran.", "Goods"),
        ("“Goods” has the meaning given in clause 4.", "Goods"),
        ("An upgrade is defined as a change to a dearer class.", "upgrade"),
        ("Confidential Information means what is marked as such.", "Confidential Information"),
        ("Scraping refers to extracting data by a program.", "Scraping"),
        ("By “User” we mean whoever has an account.", "User"),
        ("Harrow Mill Limited (the “Supplier”) sells flour.", "Supplier"),
        ("A “Lot” is any quantity from one intake.", "Lot"),
    ],
)
def test_english_forms(sentence: str, term: str) -> None:
    assert terms(sentence) == [term]


@pytest.mark.parametrize(
    ("sentence", "language", "term"),
    [
        ("„Garten“ bedeutet eine bepflanzte Fläche.", "de", "Garten"),
        ("«Garten» bezeichnet eine bepflanzte Fläche.", "de", "Garten"),
        ("Als Härtefall gilt eine Bewerbung wegen Krankheit.", "de", "Härtefall"),
        ("Als Boden im Sinne dieses Gesetzes gilt die oberste Erdschicht.", "de", "Boden"),
        ("Unter Pflege ist das Jäten und Giessen zu verstehen.", "de", "Pflege"),
        ("Im Sinne dieses Gesetzes ist Wohnsitz der Ort der Anmeldung.", "de", "Wohnsitz"),
        ("« Autorité » désigne le service cantonal.", "fr", "Autorité"),
        ("On entend par essaim une colonie qui a quitté sa ruche.", "fr", "essaim"),
        ("Par miel local, on entend le miel du canton.", "fr", "miel local"),
        ("Est réputé voisin quiconque habite à moins de cinquante mètres.", "fr", "voisin"),
        ("Le terme « maladie » s’entend de la loque et de la varroase.", "fr", "maladie"),
        ("«Commissione» indica l’organo che assegna i posteggi.", "it", "Commissione"),
        ("Per merce locale si intende ciò che è prodotto qui.", "it", "merce locale"),
        ("Si intendono per giorni festivi le domeniche.", "it", "giorni festivi"),
        ("È considerato stagionale il mercato che dura quattro mesi.", "it", "stagionale"),
    ],
)
def test_forms_of_other_languages(sentence: str, language: str, term: str) -> None:
    assert terms(sentence, language) == [term]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("## Payment Terms\n\nDue date: thirty days\n\nLate payment: four per cent", "en"),
        ("Note: orders after noon wait.", "en"),
        ("## Definitions\n\nNote: see the annex.", "en"),
        ("## Definitions\n\n**Short version:** We use these terms throughout.", "en"),
        ("This means that the Buyer should ask.", "en"),
        ("Silence means neither acceptance nor refusal.", "en"),
        ("Being early means saving money.", "en"),
        ("What does “flexible” mean?", "en"),
        ("Please refer to the guide.", "en"),
        ("“Business class” is allowed on long flights.", "en"),
        ("It is subject to Section 5 (“Trademark Release”).", "en"),
        ("The words “urgent recall” must appear in the subject.", "en"),
        ("**Security:** We take security seriously.", "en"),
        ('```\n"Goods" means nothing in code.\n```', "en"),
        ("Das bedeutet, dass sie warten müssen.", "de"),
        ("Die Bewerbung gilt als zurückgezogen, wenn keine Antwort kommt.", "de"),
        ("Nicht als Kleingärten gelten Hausgärten.", "de"),
        ("In diesem Fall ist ein Rückzug der Einsprache unbeachtlich.", "de"),
        ("### Art. 3 Anmeldung\n\n2 Der Anmeldung sind die Nummer und der Nachweis beizulegen.", "de"),
        ("**Note:** means of transport are listed in the annex.", "en"),
        ("L’annonce est réputée retirée si personne ne répond.", "fr"),
        ("Cela signifie que chaque rucher a un responsable.", "fr"),
        ("La domanda è considerata ritirata se nessuno paga.", "it"),
        ("Ciò significa che una persona ha un solo domicilio.", "it"),
    ],
)
def test_what_only_looks_like_a_definition(text: str, language: str) -> None:
    assert terms(text, language) == []


def test_colon_and_dash_define_in_a_glossary_only() -> None:
    items = "- **Trip**: a journey.\n- Receipt – a document with a date.\n"
    assert terms(f"## Glossary\n\n{items}") == ["Trip", "Receipt"]
    assert terms(f"## Services\n\n{items}") == []


def test_an_announced_list_defines_wherever_it_stands() -> None:
    text = "### Art. 2 Zweck\n\nIn diesem Gesetz bedeuten:\n\n- a. *Garten:* eine Fläche;\n- b. Laube: ein Bau."
    assert terms(text, "de") == ["Garten", "Laube"]


def test_several_terms_share_one_definition() -> None:
    assert terms("“GitHub,” “We,” and “Us” refer to GitHub, Inc.") == ["GitHub", "We", "Us"]


def test_a_definition_list_and_a_heading_under_a_glossary_define() -> None:
    text = "## Glossary\n\nBacklash\n: play in the screw.\n\n### Kerf\n\nThe width of the cut."
    assert terms(text) == ["Backlash", "Kerf"]


def test_a_page_in_a_glossary_folder_defines_its_title() -> None:
    text = "---\ntitle: Node\n---\nA worker machine.\n\nIt runs pods.\n"
    (definition,) = found(text, source_path="docs/glossary/node.md", name="Node")
    assert (definition.term, definition.text) == ("Node", "A worker machine.")


def test_the_span_is_the_sentence_with_its_exceptions() -> None:
    text = "Intro.\n\n“Pond” means standing water. It does not include a pool. Fish live there.\n"
    (definition,) = found(text)
    assert definition.span is not None
    assert text[definition.span.start : definition.span.end] == definition.text
    assert definition.text == "“Pond” means standing water. It does not include a pool."


def test_a_definition_that_ends_in_a_colon_goes_on_with_its_list() -> None:
    text = "Als Unternehmen gelten:\n\n- a. juristische Personen;\n- b. Gesellschaften.\n\nSie haften."
    (definition,) = found(text, "de")
    assert definition.text.endswith("b. Gesellschaften.")


@pytest.mark.parametrize(
    ("sentence", "language", "scope"),
    [
        ("In this Act, “lot” means a thing.", "en", "document"),
        ("In this Part, “lot” means a thing.", "en", "part"),
        ("For the purposes of this section, “lot” means a thing.", "en", "section"),
        ("Im Sinne dieses Kapitels ist Los die Sache.", "de", "part"),
        ("Als Los im Sinne dieses Artikels gilt die Sache.", "de", "section"),
        ("Au sens du présent chapitre, « lot » désigne une chose.", "fr", "part"),
        ("Ai fini del presente articolo, «lotto» indica una cosa.", "it", "section"),
    ],
)
def test_scope(sentence: str, language: str, scope: str) -> None:
    (definition,) = found(f"# Part I\n\n## Section 2\n\n{sentence}", language)
    assert definition.scope == scope


def test_a_part_that_lies_higher_is_the_one_that_calls_itself_so() -> None:
    text = "# Act\n\n## Part 2 Boats\n\n### Division 1 Hulls\n\n#### 12 Terms\n\nIn this {}, “lot” means a thing."
    scopes = {word: found(text.format(word))[0].scope for word in ("Part", "Division", "Chapter")}
    assert scopes == {"Part": "part/2", "Division": "part", "Chapter": "part"}
    german = "# Gesetz\n\n## 2. Kapitel: Boote\n\n### Art. 3 Begriffe\n\n{}"
    assert found(german.format("Im Sinne dieses Kapitels ist Los die Sache."), "de")[0].scope == "part"


def test_a_part_that_is_the_section_itself_is_a_section() -> None:
    (definition,) = found("# Act\n\n## Part 2 Boats\n\nIn this Part, “lot” means a thing.")
    assert definition.scope == "section"


def test_a_chunk_of_definitions_is_called_so_and_the_option_switches_it_off() -> None:
    text = "## Definitions\n\n“A lot” means much.\n\n“A bit” means little.\n\n## Rest\n\nProse about something else.\n"
    content = Content("document", "document", "Doc", text, "en", {"file_type": "md"})
    assert [chunk.chunk_type for chunk in cut(content).chunks] == ["definition", "content"]
    off = cut(content, CutOptions(extract_definitions=False))
    assert ([chunk.chunk_type for chunk in off.chunks], off.definitions) == (["content", "content"], ())
    assert off.recipe != cut(content).recipe


@pytest.mark.parametrize(
    "text",
    ['"a" ' * 50_000, "(ile" * 50_000 + ")", "**a" * 50_000, '"X"' + " " * 500_000 + "means", "Als " * 50_000],
    ids=lambda text: repr(text[:6]),
)
def test_a_text_made_to_be_slow_does_not_keep_what_follows_it_from_being_found(text: str) -> None:
    with stopped_if_it_runs_away():
        assert terms(f"{text}\n\n“Goods” means flour and bran.", "") == ["Goods"]


def test_precision_and_recall_on_our_own_labelled_text() -> None:
    measured = measure(labelled("own"), LABELS)
    assert measured
    for (_, part), counts in measured.items():
        assert counts.precision >= 0.97, (part, counts.wrong)
        assert counts.recall >= 0.95, (part, counts.missed)


@pytest.mark.data
def test_precision_and_recall_on_real_texts() -> None:
    if not (DATA / "site-policy").is_dir():
        pytest.skip("the corpora are not here")
    measured = measure(labelled("corpora"), DATA)
    assert measured
    for (corpus, part), counts in measured.items():
        assert counts.precision >= 0.95, (corpus, part, counts.wrong)
        assert counts.recall >= 0.90, (corpus, part, counts.missed)
