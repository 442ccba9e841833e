"""A reranker takes part only if the golden queries speak for it; until then an answer says which command decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pincite
from desk import Desk
from pincite.errors import InvalidArgument, PermissionDenied, Unavailable
from pincite.models.overlap import OverlapReranker
from pincite.search.query import LegReport
from pincite.search.reranking import RerankPin
from pincite.upkeep.reranker_gate import case_of
from terminal import Run

QUERY = "carryover of unused days"
TEXTS = {
    "rare": "# Carryover\n\nCarryover. A carryover is a carryover.\n",
    "both": "# Rules\n\nThe carryover rule of unused days: " + "other words stand between these lines. " * 9 + "\n",
    "days": "# Days\n\nUnused days and days and working days.\n",
    "more": "# More\n\nDays of work.\n",
}
"""By words alone: days, rare, both, more; with the reranker: both, days, rare, more."""


def configured(desk: Desk, relevant: str, **reranker: Any) -> Path:
    """A configuration whose golden query wants the named file first."""
    write_golden(desk, relevant)
    settings = {
        "library": "library",
        "gate": {"golden": "golden.yaml"},
        "reranker": {"model": "overlap", **reranker},
    }
    config = desk.root / "pincite.yaml"
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return config


def write_golden(desk: Desk, relevant: str) -> None:
    golden = {"queries": [{"id": "carry", "query": QUERY, "relevant": [relevant]}]}
    (desk.root / "golden.yaml").write_text(yaml.safe_dump(golden), encoding="utf-8")


def asked(config: Path) -> tuple[str, LegReport]:
    """The first hit, and what the reranker's report says."""
    with pincite.open(config) as library:
        answer = library.search(QUERY)
    return answer.hits[0].passage.element_id, next(item for item in answer.legs if item.name == "rerank")


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.put(**TEXTS)
    return desk


def test_until_it_has_passed_it_stays_off_and_the_report_names_the_command(filled: Desk) -> None:
    first, report = asked(configured(filled, "both.md"))
    assert first == "days.md" and report.status == "off"
    assert "have not passed it with weight 0.3 and depth 30" in report.reason
    assert report.reason.endswith("ask them with: pincite models gate-reranker")


def test_a_reranker_that_helps_passes_and_takes_part_from_then_on(filled: Desk) -> None:
    config = configured(filled, "both.md")
    with pincite.open(config) as library:
        verdict = library.gate_reranker()
        assert verdict.passed
        assert library.search(QUERY).hits[0].passage.element_id == "both.md", "at once, in this process too"
    first, report = asked(config)
    assert (first, report.status, report.reason) == ("both.md", "ok", "")
    kept = filled.library.catalog.server.verdicts.get(verdict.case.to_json())
    assert kept is not None and kept == json.loads(json.dumps(verdict.to_json()))
    assert kept["passed"] and (kept["fingerprint"], kept["weight"], kept["depth"]) == ("overlap/1", 0.3, 30)
    (helps, *_) = kept["figures"]["main"]["checks"]
    assert helps["name"] == "helps" and helps["reached"] == pytest.approx(1 - 0.5)
    assert [moved["id"] for moved in kept["figures"]["main"]["moved"]] == ["carry"]


def test_a_reranker_that_harms_is_refused_and_stays_off(filled: Desk) -> None:
    config = configured(filled, "days.md")
    with pincite.open(config) as library:
        verdict = library.gate_reranker()
    assert not verdict.passed
    failed = {item["name"] for item in verdict.figures["main"]["checks"] if not item["passed"]}
    assert {"helps", "max-drop ndcg@10"} <= failed
    first, report = asked(config)
    assert first == "days.md" and report.status == "off"
    assert "refused it" in report.reason and report.reason.endswith("pincite models gate-reranker")


def test_a_reranker_that_changes_nothing_is_not_worth_its_time(filled: Desk) -> None:
    with pincite.open(configured(filled, "days.md", depth=1)) as library:
        verdict = library.gate_reranker()
    failed = [item["name"] for item in verdict.figures["main"]["checks"] if not item["passed"]]
    assert not verdict.passed and failed == ["helps"]


@pytest.mark.parametrize("change", ["weight", "depth", "golden", "organization", "damaged"])
def test_a_verdict_holds_only_for_what_was_measured(filled: Desk, change: str) -> None:
    config = configured(filled, "both.md")
    with pincite.open(config) as library:
        assert library.gate_reranker().passed
    settings: dict[str, Any] = {}
    if change == "golden":
        write_golden(filled, "rare.md")
    elif change == "damaged":
        filled.library.catalog.close()
        for path in filled.library.path.glob("server.db*"):
            path.write_bytes(b"{" * 5_000)
    elif change == "organization":
        settings = {"organization": "another"}
    else:
        settings = {"reranker": {"model": "overlap", change: {"weight": 0.5, "depth": 9}[change]}}
    with pincite.open(config, **settings) as library:
        assert library.reranking.pin is None
        assert ("is damaged" if change == "damaged" else "have not passed it") in library.reranking.off


def test_verdicts_are_kept_together_and_a_new_one_replaces_its_own(filled: Desk) -> None:
    given = []
    for weight in (0.3, 0.5, 0.3):
        with pincite.open(configured(filled, "both.md", weight=weight)) as library:
            given.append(library.gate_reranker())
    kept = [filled.library.catalog.server.verdicts.get(verdict.case.to_json()) for verdict in given]
    assert [item and item["measured"] for item in kept] == [given[2].measured, given[1].measured, given[2].measured]


def test_a_verdict_of_an_earlier_version_still_holds(filled: Desk) -> None:
    """It was in a file of its own."""
    config = configured(filled, "both.md")
    with pincite.open(config) as library:
        case = case_of(library.config, RerankPin("overlap/1", 0.3, 30))
    old = {"passed": True, "model": "overlap", "measured": "2026-01-01", **case.to_json(), "figures": {}}
    (filled.library.path / "reranker.json").write_text(json.dumps({"verdicts": [old]}), encoding="utf-8")
    assert asked(config)[0] == "both.md"
    assert not (filled.library.path / "reranker.json").exists()
    assert asked(config)[0] == "both.md"


def test_golden_queries_that_cannot_be_read_pass_nothing(filled: Desk) -> None:
    config = configured(filled, "both.md")
    with pincite.open(config) as library:
        library.gate_reranker()
    (filled.root / "golden.yaml").unlink()
    first, report = asked(config)
    assert first == "days.md" and report.status == "off" and "cannot be read" in report.reason


def test_a_replay_does_not_ask_the_gate_again(filled: Desk) -> None:
    config = configured(filled, "both.md")
    with pincite.open(config) as library:
        library.gate_reranker()
        answer = library.search(QUERY)
    write_golden(filled, "rare.md")
    with pincite.open(config) as library:
        assert library.search(QUERY).hits[0].passage.element_id == "days.md"
        again = library.replay(str(answer.replay["token"]))
    assert [(h.passage.citation, h.score) for h in again.hits] == [(h.passage.citation, h.score) for h in answer.hits]


def test_a_reranker_that_does_not_answer_every_query_is_not_judged(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = OverlapReranker.score

    def tired(self: OverlapReranker, query: str, texts: Any) -> Any:
        if query == QUERY:
            raise Unavailable("too tired")
        return quick(self, query, texts)

    monkeypatch.setattr(OverlapReranker, "score", tired)
    with (
        pincite.open(configured(filled, "both.md")) as library,
        pytest.raises(Unavailable, match="there is no verdict"),
    ):
        library.gate_reranker()
    assert asked(configured(filled, "both.md"))[1].status == "off"


def test_what_cannot_be_gated_says_what_is_missing(filled: Desk) -> None:
    with filled.reopened(reranker={"model": "overlap"}) as library, pytest.raises(InvalidArgument, match="no golden"):
        library.gate_reranker()
    with filled.reopened() as library, pytest.raises(InvalidArgument, match="no reranker is configured"):
        library.gate_reranker()
    config = configured(filled, "both.md")
    with pincite.open(config, roles=["staff"]) as library, pytest.raises(PermissionDenied):
        library.gate_reranker()
    pytest.importorskip("onnxruntime")
    settings = {"reranker": {"model": "onnx:nowhere"}}
    with pincite.open(config, **settings) as library, pytest.raises(Unavailable, match="there is no folder"):
        library.gate_reranker()


def test_the_command_decides_and_its_exit_code_says_how(filled: Desk, run: Run) -> None:
    config = str(configured(filled, "both.md"))
    done = run("--config", config, "models", "gate-reranker")
    assert done.returncode == 0, done.stderr
    assert "passed  helps: nDCG@10 0.5000 → 1.0000" in done.stdout and "it is used for answers" in done.stdout
    body = json.loads(run("--config", config, "models", "gate-reranker", "--json").stdout)
    assert body["passed"] and body["model"] == "overlap" and body["scopes"] == ["default/default/main"]
    write_golden(filled, "days.md")
    done = run("--config", config, "models", "gate-reranker")
    assert done.returncode == 1
    assert "FAILED  helps" in done.stdout and "1.000 → 0.631  carry" in done.stdout and "stays off" in done.stderr


def test_an_evaluation_shows_the_order_with_and_without(filled: Desk, run: Run) -> None:
    config = str(configured(filled, "both.md"))
    before = json.loads(run("--config", config, "eval", "--json").stdout)
    assert "unreranked" not in before["metrics"] and "reranker" not in before["index"]
    assert any("gate-reranker" in note for note in before["notes"]), "one that is not used deserves a note"
    run("--config", config, "models", "gate-reranker")
    after = json.loads(run("--config", config, "eval", "--json").stdout)
    assert after["metrics"]["unreranked"]["ndcg@10"] == before["metrics"]["final"]["ndcg@10"] == 0.5
    assert after["metrics"]["final"]["ndcg@10"] == 1.0 and not after["notes"]
    assert after["index"]["reranker"] == {"fingerprint": "overlap/1", "weight": 0.3, "depth": 30}
    assert after["latency_ms"]["stages"]["rerank"]["p50"] > 0
    assert "unreranked" in run("--config", config, "eval").stdout
