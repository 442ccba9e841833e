"""The comparison of whole searches: what it reports, and that it notices answers that differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed.run import ROOT
from benchmarks.speed.whole_search import Asked, Compared, main

STAGES = ("understand", "resolve", "legs", "fuse", "rerank", "cite", "outside")


def asked(milliseconds: float, *answers: str) -> Asked:
    """Every stage of every question takes so long."""
    stages = {stage: [milliseconds] * len(answers) for stage in STAGES}
    return Asked({**stages, "total": [milliseconds * len(STAGES)] * len(answers)}, list(answers))


def test_parts_are_sums_of_stages_and_compared_by_their_median() -> None:
    compared = Compared("element", (asked(2.0, "a", "b"),) * 3, (asked(1.0, "a", "b"),) * 3)
    assert compared.differing == 0
    assert list(compared.rows()) == [
        ("elements: search()", "14.00 / 14.00", "7.00 / 7.00", "0.50"),
        ("elements: legs", "2.00 / 2.00", "1.00 / 1.00", "0.50"),
        ("elements: fuse and rank", "4.00 / 4.00", "2.00 / 2.00", "0.50"),
        ("elements: cite", "2.00 / 2.00", "1.00 / 1.00", "0.50"),
        ("elements: everything else", "6.00 / 6.00", "3.00 / 3.00", "0.50"),
    ]


@pytest.mark.parametrize("odd", [("before", 0), ("before", 1), ("after", 0), ("after", 1)])
def test_one_answer_that_differs_in_one_round_is_noticed(odd: tuple[str, int]) -> None:
    rounds = {name: [asked(1.0, "a", "b", "c") for _ in range(2)] for name in ("before", "after")}
    rounds[odd[0]][odd[1]] = asked(1.0, "a", "x", "c")
    assert Compared("chunk", tuple(rounds["before"]), tuple(rounds["after"])).differing == 1


def test_code_compared_with_itself_gives_the_same_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--before", str(ROOT), "--size", "1000", "--queries", "5", "--rounds", "1", "--folder", str(tmp_path)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "elements: search()" in printed and "chunks: cite" in printed
    assert "all answers, scores and citations are the same" in printed
