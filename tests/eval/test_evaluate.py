"""Golden queries asked of a library: sections, dockets, states, filters, and what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pincite
from desk import Desk
from pincite.errors import Damaged, InvalidArgument, NotFound, Unavailable
from pincite.eval.cases import Case, CaseSet, Judgement
from pincite.eval.evaluate import EvaluateOptions, evaluate
from pincite.eval.report import report
from pincite.eval.results import QuestionResult
from pincite.eval.worst import worst
from pincite.types import Alias, Chunk, Commit, Content, Derivation, PutElement, Span, State
from terminal import Run

POLICY = """# Leave policy

Rules on leave.

## 4.1 Annual leave

Everyone has 26 days.

## 4.2 Carry-over

Unused days expire in March.

### 4.2.1 Exceptions

Sickness extends the deadline of unused days.
"""


def ask(library: pincite.Library, *cases: Case, **options: Any) -> list[QuestionResult]:
    return list(evaluate(library, CaseSet("set", cases), EvaluateOptions("set", **options)).outcomes)


def case(query: str, *relevant: Judgement, **more: Any) -> Case:
    return Case("q", query, relevant, **more)


def test_a_judged_section_counts_only_where_the_passage_lies_in_it(desk: Desk) -> None:
    desk.put(leave=POLICY, other="# Other\n\nUnused days elsewhere.\n")
    for section in ("4.2", "§ 4.2", "Carry-over"):
        (right,) = ask(desk.library, case("when do unused days expire", Judgement("leave.md", 3, section)))
        assert right.values["final"]["mrr@10"] == 1, section
    (below,) = ask(desk.library, case("sickness extends deadline", Judgement("leave.md", 3, "4.2")))
    assert below.values["final"]["hit@1"] == 1, "a subsection lies in its section"
    (wrong,) = ask(desk.library, case("when do unused days expire", Judgement("leave.md", 3, "4.1")))
    assert wrong.values["final"]["hit@1"] == 0
    (whole,) = ask(desk.library, case("when do unused days expire", Judgement("leave.md", 3)))
    assert whole.values["final"]["hit@1"] == 1


def test_two_sections_of_one_document_are_two_answers(desk: Desk) -> None:
    desk.put(leave=POLICY)
    judged = (Judgement("leave.md", 2, "4.1"), Judgement("leave.md", 3, "4.2.1"))
    (outcome,) = ask(desk.library, case("days", *judged))
    assert outcome.values["final"]["recall@10"] == 1
    assert {"leave.md#4.1", "leave.md#4.2.1"} <= set(outcome.ranked["final"])


def test_what_is_judged_but_not_there_counts_as_not_found_and_is_said(desk: Desk) -> None:
    desk.put(leave=POLICY)
    golden = CaseSet(
        "set", (case("unused days", Judgement("leave.md"), Judgement("gone.md"), Judgement("leave.md", 1, "9")),)
    )
    run = evaluate(desk.library, golden, EvaluateOptions("set"))
    (outcome,) = run.outcomes
    assert outcome.missing == ("gone.md", "leave.md#9")
    assert outcome.values["final"]["recall@100"] == pytest.approx(1 / 3)
    assert any("2 judged places of 1 query not in the library" in note for note in run.notes)


def test_a_docket_finds_its_decision_however_it_is_written(desk: Desk) -> None:
    text = "The keeper is liable."
    content = Content("decision", "decision", "Judgment of 3 May", text)
    derivation = Derivation("t", (Chunk(0, Span(0, len(text))),), aliases=(Alias("4A_123/2020"),))
    desk.library.catalog.commits.commit(
        desk.library.scope(), Commit((PutElement("bger_1", (State(content, derivation),)),))
    )
    for docket in ("4A_123/2020", "4A 123-2020"):
        (outcome,) = ask(desk.library, case("liable keeper", Judgement(docket, 3, by="docket")))
        assert outcome.values["final"]["hit@1"] == 1
    for key in ("docket", "docket_number"):
        desk.put(**{key: f"---\n{key}: 5A_9/2019\n---\n# {key}\n\nA tenant.\n"})
        (outcome,) = ask(desk.library, case("tenant", Judgement("5A.9/2019", 3, by="docket")))
        assert outcome.values["final"]["hit@1"] == 1, key
    with pytest.raises(NotFound, match="none of the 1 judged places"):
        ask(desk.library, case("liable keeper", Judgement("6B_1/2019", 3, by="docket")))


def test_a_section_counts_in_its_own_repository_only(desk: Desk) -> None:
    one, two = desk.root / "one", desk.root / "two"
    for folder, text in (
        (one, "# D\n\n## 2 Here\n\nGreen lizards.\n"),
        (two, "# D\n\n## 9 There\n\nPurple elephants.\n"),
    ):
        folder.mkdir()
        (folder / "doc.md").write_text(text, encoding="utf-8")
        desk.library.ingest(folder, repository=folder.name)
    (outcome,) = ask(desk.library, case("purple elephants", Judgement("doc.md", 1, "2")))
    assert outcome.values["final"]["hit@1"] == 0


def test_figures_of_a_library_that_cannot_search_in_full_are_not_given(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(leave=POLICY)

    def damaged(*_: object) -> None:
        raise Damaged("a file fails its checks")

    monkeypatch.setattr(desk.library.index, "keyword", damaged)
    with pytest.raises(Unavailable, match="the keyword leg cannot answer, so nothing was measured"):
        ask(desk.library, case("unused days", Judgement("leave.md")))


def test_a_case_is_asked_of_the_state_and_with_the_filters_that_it_names(desk: Desk) -> None:
    desk.put(leave="# Leave\n\nThe period is four weeks.\n")
    desk.library.baselines.create("old")
    desk.put(leave="# Leave\n\nThe term is six weeks.\n")
    now = case("period", Judgement("leave.md"))
    then = case("period", Judgement("leave.md"), read_context="baseline:old")
    narrow = case("term", Judgement("leave.md"), filters={"file_type": "txt"})
    values = [outcome.values["final"]["hit@1"] for outcome in ask(desk.library, now, then, narrow)]
    assert values == [0, 1, 0]
    (outcome,) = ask(desk.library, now, read_context="baseline:old")
    assert outcome.values["final"]["hit@1"] == 1


def test_each_leg_the_fusion_and_the_final_order_are_measured_apart(desk: Desk) -> None:
    desk.put(one="# Alpha beta\n\nNothing else.\n", two="# Two\n\nAlpha beta alpha beta alpha beta in a text.\n")
    (outcome,) = ask(desk.library, case("Alpha beta", Judgement("one.md")))
    assert set(outcome.values) == {"keyword", "exact", "rrf", "final"}
    assert outcome.ranked["exact"] == ("one.md",)
    assert set(outcome.ranked["keyword"]) == {"one.md", "two.md"}
    assert outcome.ranked["rrf"][0] == "one.md"
    assert outcome.milliseconds > 0


def test_cases_without_an_answer_are_not_asked_and_a_set_without_any_is_refused(desk: Desk) -> None:
    desk.put(leave=POLICY)
    cases = (case("days", Judgement("leave.md")), Case("none", "x", ()), Case("zero", "x", (Judgement("leave.md", 0),)))
    run = evaluate(desk.library, CaseSet("set", cases), EvaluateOptions("set"))
    assert len(run.outcomes) == 1 and any("2 of 3 queries" in note for note in run.notes)
    with pytest.raises(InvalidArgument, match="judge some first"):
        evaluate(desk.library, CaseSet("set", cases[1:]), EvaluateOptions("set"))


def test_an_overlong_query_is_cut_as_a_search_would_demand_and_said(desk: Desk) -> None:
    desk.put(leave=POLICY)
    run = evaluate(
        desk.library, CaseSet("set", (case("unused " * 1_000, Judgement("leave.md")),)), EvaluateOptions("set")
    )
    assert any("cut to 4,000 characters" in note for note in run.notes)


def test_the_worst_queries_come_with_hits_grades_and_reasons(desk: Desk) -> None:
    desk.put(leave=POLICY, other="# Unused\n\nUnused unused days.\n")
    golden = CaseSet(
        "set",
        (
            Case("bad", "unused days", (Judgement("leave.md", 3, "4.1"),)),
            Case("good", "sickness", (Judgement("leave.md"),)),
        ),
    )
    options = EvaluateOptions("set")
    run = evaluate(desk.library, golden, options)
    first, second = worst(desk.library, run, options)
    assert (first["id"], second["id"]) == ("bad", "good")
    assert first["relevant"] == [{"name": "leave.md#4.1", "grade": 3, "rank": first["relevant"][0]["rank"]}]
    assert first["hits"][0]["grade"] is None and "keyword: rank 1" in first["hits"][0]["why"][0]
    assert second["hits"][0]["grade"] == 1 and second["hits"][0]["citation"].startswith("pincite:")
    assert json.dumps(report(run))


def test_golden_queries_are_asked_from_the_command_line(desk: Desk, run: Run, tmp_path: Path) -> None:
    desk.put(leave=POLICY)
    golden = {
        "queries": [
            {"query": "unused days", "tags": ["leave"], "relevant": [{"element_id": "leave.md", "section": "4.2"}]}
        ]
    }
    (tmp_path / "golden.yaml").write_text(yaml.safe_dump(golden), encoding="utf-8")
    done = run("--library", str(desk.library.path), "eval", "golden.yaml", "--html", "page.html", "--out", "run.json")
    assert done.returncode == 0, done.stderr
    assert "final" in done.stdout and "leave" in done.stdout
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["by"]["leave"]["final"]["hit@1"] == 1
    other = run("eval", "golden.yaml", "--corpus", str(desk.folder), "--json")
    assert json.loads(other.stdout)["metrics"] == json.loads((tmp_path / "run.json").read_text("utf-8"))["metrics"]
    assert run("--library", str(desk.library.path), "eval", "golden.yaml", "--out", "no/such/run.json").returncode == 3


def test_suggested_queries_are_a_golden_file_that_can_be_asked_at_once(run: Run, desk: Desk, tmp_path: Path) -> None:
    desk.put(leave=POLICY)
    place = ("--library", str(desk.library.path))
    done = run(*place, "eval", "--suggest", "--out", "golden.yaml")
    assert done.returncode == 0 and "queries suggested" in done.stderr
    asked = run(*place, "eval", "golden.yaml", "--min-recall", "0.9")
    assert asked.returncode == 0, asked.stdout
    assert json.loads(run(*place, "eval", "--suggest", "--limit", "2", "--json").stdout)["version"] == 1
    again = run(*place, "eval", "--suggest", "--out", "golden.yaml")
    assert again.returncode == 1 and "may contain your own questions" in again.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "a.txt").write_text("x\n", encoding="utf-8")
    nothing = run("eval", "--suggest", "--corpus", str(empty), "--out", "none.yaml")
    assert nothing.returncode == 1 and not (tmp_path / "none.yaml").exists()
