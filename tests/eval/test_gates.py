"""Gates: what got worse is refused, with the queries that moved; what was there stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pincite
from beir_folder import write_beir
from desk import Desk
from pincite.errors import InvalidArgument, PermissionDenied, Refused, UnknownArgument
from pincite.eval.gates import Gates, check, parse_tag
from pincite.index.segments import index as segments
from terminal import Run

SPOILT = {"PINCITE_KEYWORD__BOOSTS__CONTENT": "0", "PINCITE_KEYWORD__BOOSTS__HEADINGS": "100"}
"""Weights under which what a text says counts for nothing."""


def test_a_spoilt_weight_fails_the_gate_and_names_the_queries_that_moved(run: Run, tmp_path: Path) -> None:
    folder, report = str(write_beir(tmp_path / "pets")), str(tmp_path / "run.json")
    assert run("eval", "--beir", folder, "--out", report).returncode == 0
    same = run("eval", "--beir", folder, "--baseline", report, "--max-drop", "0.01")
    assert same.returncode == 0 and "passed" in same.stdout
    spoilt = run("eval", "--beir", folder, "--baseline", report, "--max-drop", "0.01", **SPOILT)
    assert spoilt.returncode == 1
    assert "FAILED  max-drop ndcg@10" in spoilt.stdout
    assert "q1: liable for a dog bite" in spoilt.stdout
    data: dict[str, Any] = json.loads(run("eval", "--beir", folder, "--baseline", report, "--json", **SPOILT).stdout)
    assert not data["gates"]["passed"]
    moved = {item["id"]: item["difference"] for item in data["comparison"]["moved"]}
    assert moved["q1"] < 0
    assert data["comparison"]["metrics"]["final"]["ndcg@10"]["difference"] < -0.01


@pytest.mark.parametrize(
    ("bound", "passes"),
    [
        (("--min-ndcg", "0.85"), True),
        (("--min-mrr", "1"), True),
        (("--min-recall", "0.5"), True),
        (("--require-tag", "type:question:0.85"), True),
        (("--require-tag", "type:question:1", "--min-mrr", "0.5"), False),
        (("--min-ndcg", "1"), False),
    ],
)
def test_bounds_decide_the_exit_code(run: Run, tmp_path: Path, bound: tuple[str, ...], passes: bool) -> None:
    queries = [
        {"_id": "q1", "text": "liable for a dog bite", "metadata": {"type": "question"}},
        {"_id": "q2", "text": "working days", "metadata": {"type": "question"}},
    ]
    judged = [("q1", "dog", 2), ("q1", "rent", 1), ("q2", "leave", 1)]  # the rent is never found for q1
    done = run("eval", "--beir", str(write_beir(tmp_path / "pets", queries=queries, qrels={"test": judged})), *bound)
    assert done.returncode == (0 if passes else 1), done.stdout
    assert ("FAILED" in done.stdout) != passes


def test_a_tag_may_hold_colons() -> None:
    assert parse_tag("type:citation:0.9") == ("type:citation", 0.9)


def test_without_bounds_nothing_is_checked() -> None:
    assert not Gates()
    assert check({"metrics": {"final": {}}, "by": {}}, Gates()) == {"passed": True, "checks": []}


# --- a release depends on golden queries ----------------------------------------------------------------------


def guarded(desk: Desk, **gate: Any) -> pincite.Library:
    """The desk's library with a gate: the word "carryover" must lead to leave.md."""
    golden = desk.root / "golden.yaml"
    judged = {"queries": [{"id": "carry", "query": "carryover of unused days", "relevant": ["leave.md"]}]}
    golden.write_text(yaml.safe_dump(judged), encoding="utf-8")
    config = desk.root / "pincite.yaml"
    config.write_text(yaml.safe_dump({"library": "library", "gate": {"golden": "golden.yaml", **gate}}), "utf-8")
    return pincite.open(config)


GOOD = {"leave": "# Leave\n\nThe carryover of unused days ends in March.\n", "pay": "# Pay\n\nPaid on unused days.\n"}


def test_a_baseline_that_regresses_is_not_published_and_the_old_one_stays(desk: Desk) -> None:
    desk.put(**GOOD)
    with guarded(desk) as library:
        library.baselines.create("good")
        assert library.baselines.publish("good").published
        desk.put(leave="# Leave\n\nUnder revision.\n")
        library.baselines.create("bad")
        with pytest.raises(Refused, match=r"publishing 'bad' was refused.*(?s:.*)carry: 1\.000 → 0\.000") as refused:
            library.baselines.publish("bad")
        assert refused.value.code == "conflict"
        assert [item.name for item in library.baselines.list() if item.published] == ["good"]
        assert library.search("carryover", read_context="published").hits[0].passage.element_id == "leave.md"


def test_the_first_publication_is_held_to_the_bounds_alone(desk: Desk) -> None:
    desk.put(leave="# Leave\n\nNothing to find.\n")
    with guarded(desk) as library:
        library.baselines.create("first")
        library.baselines.publish("first")
    with guarded(desk, min_mrr=0.5) as library:
        library.baselines.create("second")
        with pytest.raises(Refused, match=r"MRR@10 0\.0000 is below 0\.5"):
            library.baselines.publish("second")
        assert library.baselines.rollback  # going back is never gated
    (desk.root / "more").mkdir()
    (desk.root / "more" / "a.md").write_text("# A\n\nB.\n", encoding="utf-8")
    desk.ingest(desk.root / "more", repository="other")
    with guarded(desk, min_mrr=0.5, repositories=["other"]) as library:
        assert library.baselines.publish("second").published
    with guarded(desk, min_mrr=0.5, repositories=["mian"]) as library, pytest.raises(UnknownArgument, match="'main'"):
        library.baselines.publish("second")


def test_a_gate_sees_what_only_a_role_may_read_and_a_role_cannot_pass_it(desk: Desk) -> None:
    head = "---\nroles: [hr]\n---\n"
    desk.put(**{name: head + text for name, text in GOOD.items()})
    with guarded(desk) as library:
        library.baselines.create("good")
        library.baselines.publish("good")
        desk.put(leave=f"{head}# Leave\n\nGone.\n")
        library.baselines.create("bad")
        with pytest.raises(Refused):
            library.baselines.publish("bad")
    with pincite.open(desk.root / "pincite.yaml", roles=["guest"]) as guest, pytest.raises(PermissionDenied):
        guest.baselines.publish("good")


def test_queries_that_name_their_own_state_guard_nothing_and_are_not_taken_for_a_gate(desk: Desk) -> None:
    desk.put(**GOOD)
    with guarded(desk) as library:
        library.baselines.create("good")
        pinned = {"query": "carryover", "relevant": ["leave.md"], "read_context": "baseline:good"}
        (desk.root / "golden.yaml").write_text(yaml.safe_dump({"queries": [pinned]}), encoding="utf-8")
        with pytest.raises(InvalidArgument, match="has its own read_context"):
            library.baselines.publish("good")


def test_a_report_catches_a_weight_that_both_states_share(desk: Desk, run: Run) -> None:
    """Weights act when a question is asked: what is published falls with what is to be, and the drop would not show."""
    desk.put(**GOOD, other="# Carryover of unused days\n\nSee elsewhere.\n")
    guarded(desk, baseline="good.json").close()
    config = ("--config", str(desk.root / "pincite.yaml"))
    golden = ("eval", str(desk.root / "golden.yaml"), "--out", str(desk.root / "good.json"))
    assert run("--library", str(desk.library.path), *golden).returncode == 0
    run(*config, "baseline", "create", "one")
    assert run(*config, "baseline", "publish", "one").returncode == 0
    spoilt = run(*config, "baseline", "publish", "one", **SPOILT)
    assert spoilt.returncode == 1 and "was refused by the golden queries" in spoilt.stderr
    assert run(*config, "rebuild", **SPOILT).returncode == 1


def test_a_gate_does_not_stand_in_the_way_of_a_repair(desk: Desk) -> None:
    desk.put(leave="# Leave\n\nNothing to find.\n")
    with guarded(desk, min_ndcg=0.9) as library:
        assert library.rebuild(), "what it holds is the same, so bounds on the figures do not concern an index"
        for columns in (desk.library.path / "index").rglob("columns.bin"):
            columns.write_bytes(b"\0" * columns.stat().st_size)
    with pincite.open(desk.root / "pincite.yaml") as library:
        library.rebuild()
        assert library.search("nothing").hits


def test_bounds_without_golden_queries_are_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("gate: {min_ndcg: 0.9}\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="bounds need golden queries"):
        pincite.open(tmp_path / "p.yaml")


def test_the_bounds_of_the_gate_hold_for_an_evaluation_of_its_queries(desk: Desk, run: Run) -> None:
    desk.put(leave="# Leave\n\nNothing to find.\n")
    guarded(desk, min_ndcg=0.9).close()
    done = run("--config", str(desk.root / "pincite.yaml"), "eval")
    assert done.returncode == 1 and "FAILED  min-ndcg" in done.stdout


# --- comparing ------------------------------------------------------------------------------------------------


def golden_file(desk: Desk, *queries: tuple[str, str]) -> str:
    path = desk.root / "g.yaml"
    path.write_text(yaml.safe_dump({"queries": [{"query": q, "relevant": [r]} for q, r in queries]}), "utf-8")
    return str(path)


def test_a_question_added_at_the_top_leaves_the_others_comparable(desk: Desk, run: Run) -> None:
    desk.put(**GOOD)
    place = ("--library", str(desk.library.path), "eval")
    golden = golden_file(desk, ("carryover", "leave.md"), ("paid", "pay.md"))
    assert run(*place, golden, "--out", "old.json").returncode == 0
    golden_file(desk, ("unused days", "leave.md"), ("carryover", "leave.md"), ("paid", "pay.md"))
    done = run(*place, golden, "--baseline", "old.json", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["comparison"]["queries"] == 2


def test_dropping_or_judging_a_failing_question_anew_does_not_pass_the_gate(desk: Desk, run: Run) -> None:
    desk.put(**GOOD)
    place = ("--library", str(desk.library.path), "eval")
    golden = golden_file(desk, ("carryover", "leave.md"), ("paid", "pay.md"))
    run(*place, golden, "--out", "old.json")
    for changed in ([("carryover", "leave.md")], [("carryover", "leave.md"), ("paid", "leave.md")]):
        golden_file(desk, *changed)
        done = run(*place, golden, "--baseline", "old.json")
        assert done.returncode == 1 and "1 earlier queries are gone or were judged differently" in done.stdout
    golden_file(desk, ("something else", "leave.md"))
    assert run(*place, golden, "--baseline", "old.json").returncode == 2


def test_a_comparison_names_the_settings_that_differ(run: Run, tmp_path: Path) -> None:
    folder, report = str(write_beir(tmp_path / "pets")), str(tmp_path / "run.json")
    run("eval", "--beir", folder, "--out", report)
    done = run("eval", "--beir", folder, "--baseline", report, **SPOILT)
    assert "keyword.boosts.content: 1.0 → 0.0" in done.stdout


@pytest.mark.parametrize("damage", ["{}", "[]", "nonsense", '{"metrics": {}, "per_query": {"q": {}}, "queries": 1}'])
def test_a_file_that_is_no_report_is_refused(run: Run, tmp_path: Path, damage: str) -> None:
    (tmp_path / "run.json").write_text(damage, encoding="utf-8")
    done = run("eval", "--beir", str(write_beir(tmp_path / "pets")), "--baseline", "run.json")
    assert done.returncode == 2 and "is not a report of an evaluation" in done.stderr


def test_the_command_line_says_why_and_exits_1(desk: Desk, run: Run) -> None:
    desk.put(**GOOD)
    guarded(desk, min_recall=1).close()
    config = str(desk.root / "pincite.yaml")
    assert run("--config", config, "baseline", "create", "good").returncode == 0
    assert run("--config", config, "baseline", "publish", "good").returncode == 0
    desk.put(leave="# Leave\n\nGone.\n")
    run("--config", config, "baseline", "create", "bad")
    done = run("--config", config, "baseline", "publish", "bad", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["field"] == "gate"
    assert "carry: 1.000 → 0.000" in done.stderr
    listed = json.loads(run("--config", config, "baseline", "list", "--json").stdout)["baselines"]
    assert [item["baseline_id"] for item in listed if item["published"]] == ["good"]
    # `pincite eval` without a file asks the golden queries that the gate names.
    assert json.loads(run("--config", config, "eval", "--json").stdout)["dataset"] == "golden"


def test_a_generation_of_the_index_that_regresses_is_dropped_and_the_old_one_answers(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(**GOOD)
    with guarded(desk) as library:
        before = library.status()[0][1].generation
        library.rebuild()
        taken = library.status()[0][1].generation
        assert taken != before
        folder = next((desk.library.path / "index").iterdir())

        def forgetful(generation: Path, manifest: Any, catalog: Any, info: Any) -> Any:
            """A new version of the indexer that loses what it should keep."""
            rolled = original(generation, manifest, catalog, info)
            stripped = segments.Manifest(rolled.library_id, rolled.generation, rolled.revision, rolled.purges)
            segments.store_manifest(generation, stripped)
            return stripped

        original = segments.roll_forward
        monkeypatch.setattr(segments, "roll_forward", forgetful)
        with pytest.raises(Refused, match="the new generation of the index of 'main' was refused"):
            library.rebuild()
        assert library.status()[0][1].generation == taken
        assert [path.name for path in folder.glob("g-*")] == [taken]
        assert library.search("carryover").hits[0].passage.element_id == "leave.md"
