"""How much meaning counts, by what words found and how many were asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.document_tools.config import check_tool
from pincite.document_tools.settings import library_settings
from pincite.search.weights import Need, RankingOptions, load_ranking
from pincite.settings import Config

NEED = Need()


def test_a_short_query_says_little_by_being_found_whole() -> None:
    assert NEED.of(1.0, words=2) == NEED.of(1.0, words=4) == 1.0
    assert NEED.of(1.0, words=8) == pytest.approx(0.5)
    assert NEED.of(1.0, words=30) == NEED.least


def test_the_less_is_found_the_more_meaning_counts() -> None:
    found = [NEED.of(share / 10, words=30) for share in range(11)]
    assert found == sorted(found, reverse=True)
    assert (found[0], found[2], found[10]) == (NEED.most, pytest.approx(1.0), NEED.least)


def test_answers_of_before_are_ranked_as_they_were() -> None:
    before = {
        "fusion": "signals",
        "weights": {},
        "trust": {"none_below": -0.5, "full_above": 1.0, "prior": 50},
        "need": {"plain": 0.2, "none_above": 0.9, "most": 4.0},
    }
    loaded = load_ranking(before)
    assert loaded.mentioned == 0
    assert loaded.need.of(1.0, words=2) == 0


def test_libraries_and_document_tools_have_their_own_k1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path
    tool = check_tool({"name": "t", "source": "docs"})
    assert Config().keyword.k1 == 1.2
    assert library_settings(tool, folder, folder / "library").keyword.k1 == 1.5
    monkeypatch.setenv("PINCITE_KEYWORD__K1", "0.9")
    assert library_settings(tool, folder, folder / "library").keyword.k1 == 0.9


def test_a_mention_moves_up_by_default() -> None:
    assert Config().retrieval.options().mentioned == 0.5
    assert RankingOptions().mentioned == 0
