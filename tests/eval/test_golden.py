"""Golden files: what loads, what is refused, what is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.eval.cases import Judgement
from pincite.eval.golden import dump_golden, golden_text, load_golden

# The shape of the files of the case-law server behind the first seed: decision ids with spaces, dockets, notes, and in
# the generated ones a split, a statute, strata, and one id twice.
CASELAW = {
    "version": 3,
    "generated_at": "2026-07-02T19:16:46+00:00",
    "description": "Relevance judgements for case-law search.",
    "strata": {"de": 2, "fr": 1},
    "total": 4,
    "queries": [
        {
            "id": "q001",
            "query": "1A.122/2005",
            "tags": ["docket", "exact"],
            "relevant": [
                {"decision_id": "bger_1A.122_2005", "grade": 3},
                {"decision_id": "bge_147 II 319", "grade": 1},
            ],
        },
        {
            "query": "Hundebiss Haftung",
            "tags": ["semantic", "de"],
            "relevant": [{"docket": "4A_123/2020", "grade": 3}],
            "note": "concept, not word",
        },
        {"id": "s11", "query": "Art. 42 BGG", "split": "dev", "statute": "ART.42.BGG", "relevant": []},
        {"id": "s11", "query": "Art. 43 BGG", "split": "test", "statute": "ART.43.BGG", "relevant": []},
    ],
}


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_files_of_the_case_law_server_load_unchanged(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"golden{suffix}"
    path.write_text(json.dumps(CASELAW) if suffix == ".json" else yaml.safe_dump(CASELAW), encoding="utf-8")
    cases = load_golden(path)
    assert [case.id for case in cases.cases] == ["q001", "q002", "s11", "s11__2"]
    assert cases.cases[0].relevant[1] == Judgement("bge_147 II 319", 1)
    assert cases.cases[1].relevant == (Judgement("4A_123/2020", 3, by="docket"),)
    assert cases.cases[1].note == "concept, not word"
    assert any("split, statute" in note for note in cases.notes)
    assert any("suffix" in note for note in cases.notes)


def write(tmp_path: Path, *queries: object) -> Path:
    path = tmp_path / "golden.yaml"
    path.write_text(yaml.safe_dump({"queries": list(queries)}), encoding="utf-8")
    return path


def test_a_slip_of_the_pen_is_refused_with_the_right_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownArgument, match=r"query 1.*'relevent'.*'relevant'"):
        load_golden(write(tmp_path, {"query": "x", "relevent": []}))
    with pytest.raises(UnknownArgument, match="'element_id'"):
        load_golden(write(tmp_path, {"query": "x", "relevant": [{"elementid": "a"}]}))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"tags": ["x"]}, "query 1 has no `query`"),
        ({"query": "  "}, "has no `query`"),
        ({"query": "x", "tags": "de"}, "`tags` must be a list of words, not 'de'"),
        ({"query": "x", "relevant": [{"element_id": "a", "grade": 4}]}, "grade must be 0, 1, 2 or 3, not 4"),
        ({"query": "x", "relevant": [{"element_id": "a", "grade": True}]}, "grade must be 0, 1, 2 or 3, not True"),
        ({"query": "x", "relevant": [{"element_id": "a", "docket": "b"}]}, "element_id and docket"),
        ({"query": "x", "relevant": [{"grade": 1}]}, "has none"),
        ({"query": "x", "relevant": [7]}, "7 under `relevant` is not a place"),
        ("just text", "has no `query`"),
    ],
)
def test_what_cannot_be_used_is_said_with_query_and_field(tmp_path: Path, query: object, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        load_golden(write(tmp_path, query))


def test_a_file_that_is_no_golden_file_says_what_it_should_be(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no golden file"):
        load_golden(tmp_path / "absent.yaml")
    (tmp_path / "g.yaml").write_text("queries: []", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="is empty"):
        load_golden(tmp_path / "g.yaml")
    for text in ("{}", "{version: 1}", "queries: text"):
        (tmp_path / "g.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(InvalidArgument, match="list `queries`"):
            load_golden(tmp_path / "g.yaml")
    (tmp_path / "g.json").write_text("{not json", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="neither JSON nor YAML"):
        load_golden(tmp_path / "g.json")


def test_what_is_written_loads_again_as_it_was(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "query": "Frist: «drei Monate»?",
            "tags": ["lang:de"],
            "relevant": [{"element_id": "a.md", "grade": 2, "section": "§ 4.2"}, {"docket": "4A_1/2020"}, "b.md"],
            "filters": {"language": "de"},
            "read_context": "published",
            "note": "ä",
        },
    )
    first = load_golden(path)
    for as_json in (False, True):
        again = tmp_path / f"again{'.json' if as_json else '.yaml'}"
        again.write_text(golden_text(first, as_json=as_json), encoding="utf-8")
        assert load_golden(again).cases == first.cases
    assert dump_golden(first)["queries"][0]["relevant"][0] == {"element_id": "a.md", "section": "§ 4.2", "grade": 2}


def test_dates_of_yaml_become_text_and_a_context_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text("queries: [{query: x, relevant: [a], filters: {since: 2025-01-01}}]", encoding="utf-8")
    cases = load_golden(path)
    assert cases.cases[0].filters == {"since": "2025-01-01"} and cases.fingerprint
    for wrong in ("2026-01-01", "[1]", "7"):
        path.write_text(f"queries: [{{query: x, relevant: [a], read_context: {wrong}}}]", encoding="utf-8")
        with pytest.raises(InvalidArgument, match="read_context"):
            load_golden(path)


def test_the_fingerprint_is_of_questions_and_judgements_alone(tmp_path: Path) -> None:
    one = load_golden(write(tmp_path, {"query": "x", "relevant": ["a"]}))
    same = load_golden(write(tmp_path, {"id": "q001", "query": "x", "relevant": [{"element_id": "a"}]}))
    other = load_golden(write(tmp_path, {"query": "x", "relevant": [{"element_id": "a", "grade": 2}]}))
    assert one.fingerprint == same.fingerprint != other.fingerprint
