"""Tuning: a gain that holds for unseen questions is taken, noise is refused, and what is written can be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pincite
from beir_folder import write_beir
from terminal import Run

MODEL = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": "hashing:512"}
WORDS = """harbour lantern orchard thimble quarry saddle meadow copper pillar violin anchor basket candle dragon engine
falcon garden hammer island jacket kettle ladder magnet needle ocean pepper rabbit silver tunnel umbrella valley
window""".split()  # noqa: SIM905  (a list of literals would fill the page)


def corpus(tmp_path: Path, *, misspelt: bool) -> Path:
    """Questions whose right document shares one rare word; misspelt, only meaning (parts of words) leads to it."""
    documents = [
        {"_id": w, "title": "", "text": f"The {w} stood beside the {WORDS[(n + 7) % 32]}ish thing."}
        for n, w in enumerate(WORDS)
    ]
    queries: list[dict[str, Any]] = []
    for number, word in enumerate(WORDS):
        asked = f"{word[:-1]}x{word[-1]} {word}{word[-1]}q" if misspelt else word
        text = f"{asked} thing beside stood quite near over there"
        queries.append({"_id": f"q{number}", "text": text})
    return write_beir(tmp_path / "b", documents, queries, {"test": [(f"q{n}", w, 1) for n, w in enumerate(WORDS)]})


def test_a_gain_that_holds_for_unseen_questions_is_taken_and_written(run: Run, tmp_path: Path) -> None:
    folder = str(corpus(tmp_path, misspelt=True))
    spoilt = {
        **MODEL,
        "PINCITE_RETRIEVAL__WEIGHTS__QUESTION__DENSE": "0",
        "PINCITE_RETRIEVAL__WEIGHTS__QUESTION__RELATED": "0",
        "PINCITE_RETRIEVAL__WEIGHTS__QUESTION__KEYWORD": "1",
    }
    done = run("tune", "--beir", folder, "--out", "weights.yaml", "--json", **spoilt)
    found = json.loads(done.stdout)
    (learned,) = [item for item in found["classes"] if item["queries"] >= 20]
    assert done.returncode == 0, done.stdout
    assert learned["taken"] and learned["after"]["dense"] > learned["before"]["dense"]
    assert found["difference"]["interval"][0] > 0
    settings = yaml.safe_load((tmp_path / "weights.yaml").read_text("utf-8"))
    assert settings == found["settings"]
    with pincite.open({"library": str(tmp_path / "any"), **settings}) as library:
        assert library.config.retrieval.options().weights_for(learned["class"]).dense == learned["after"]["dense"]
    again = run("tune", "--beir", folder, "--out", "weights.yaml", **spoilt)
    assert again.returncode == 1 and "exists" in again.stderr


def test_what_is_not_significant_is_refused(run: Run, tmp_path: Path) -> None:
    done = run("tune", "--beir", str(corpus(tmp_path, misspelt=False)), "--out", "weights.yaml", **MODEL)
    assert done.returncode == 1 and "nothing is significantly better" in done.stderr
    assert "not significant, kept" in done.stdout or "too few" in done.stdout
    assert not (tmp_path / "weights.yaml").exists()


def test_the_same_questions_teach_the_same(run: Run, tmp_path: Path) -> None:
    folder = str(corpus(tmp_path, misspelt=True))
    assert (
        run("tune", "--beir", folder, "--json", **MODEL).stdout
        == run("tune", "--beir", folder, "--json", **MODEL).stdout
    )


def test_without_vectors_there_is_nothing_to_weigh(run: Run, tmp_path: Path) -> None:
    done = run("tune", "--beir", str(corpus(tmp_path, misspelt=True)))
    assert done.returncode == 2 and "nothing to tune" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("golden.yaml",)])
def test_questions_are_needed(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("tune", *arguments).returncode in (2, 3)
