"""Public corpora: the figures that the documentation states, and how long they take."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from terminal import Run

DATA = Path(os.environ.get("PINCITE_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))

pytestmark = [pytest.mark.data, pytest.mark.slow]


def evaluated(run: Run, name: str, *arguments: str) -> dict[str, Any]:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    done = run("eval", "--beir", str(folder), *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("name", "bm25"), [("adi", 0.483), ("cranfield", 0.385), ("med", 0.699), ("contracts-aok-a", 0.552)]
)
def test_the_keyword_leg_is_not_below_bm25(run: Run, name: str, bm25: float) -> None:
    body = evaluated(run, name)
    assert body["metrics"]["keyword"]["ndcg@10"] >= bm25
    assert body["metrics"]["final"]["ndcg@10"] >= bm25


def test_types_and_languages_of_queries_are_reported_apart(run: Run) -> None:
    body = evaluated(run, "swiss-caselaw-a")
    assert {"type:citation", "type:holding", "lang:de", "lang:fr", "lang:it"} <= set(body["by"])
    assert body["queries"] == 692
    assert body["by_queries"]["type:holding"] == 134
