"""The labelled sample of passage types: weights undo the draw, and the labels still belong to passages of ours."""

from __future__ import annotations

import pytest
from benchmarks.extraction import types
from benchmarks.extraction.types import Judged, shares


def test_a_passage_counts_for_as_many_as_it_stands_for() -> None:
    judged = [
        Judged("a", 1.0, "requirement", "requirement"),
        Judged("a", 1.0, "content", "requirement"),
        Judged("a", 9.0, "requirement", "content"),
    ]
    assert shares("requirement", judged) == (0.5, 0.1)
    assert shares("reference", judged) == (None, None)


def test_the_labels_of_our_own_samples_name_passages_that_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert types.main(None) == 0
    said = capsys.readouterr().out
    assert "| requirement | samples | 4 |" in said
    assert "cut differently" not in said


def test_every_label_is_a_type_that_passages_have() -> None:
    rows = list(types._rows())
    assert len(rows) == 150
    assert {label for *_, label in rows} == {"content", *types.TYPES}
    assert all(float(weight) >= 1 for _, _, _, weight, _ in rows)
