"""How much meaning counts, by what words found and how many were asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from desk import Desk
from pincite.document_tools.config import check_tool
from pincite.document_tools.settings import library_settings
from pincite.meaning import Calibration
from pincite.queries import Background, Found, Ranking
from pincite.search.query import Query
from pincite.search.rerank import leg_shares
from pincite.search.understand import understand
from pincite.search.weights import Need, RankingOptions, load_ranking
from pincite.settings import Config
from pincite.types import Scope

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


def test_related_words_are_believed_no_further_than_the_model_that_names_them() -> None:
    def share(cosine: float) -> float:
        found = (Found(Scope(), "a", "v", "r", 1, 0, 0.5, cosine),)
        noise = Background(mean=0.09, deviation=0.1, count=1_000, among=1_000)
        dense = Ranking("dense", found, background=noise, calibration=Calibration(0.18, 0.8))
        legs = (Ranking("keyword"), dense, Ranking("related", found))
        return leg_shares(legs, understand(Query("blorptang")), Config().retrieval.options())["related"]

    assert share(0.1) == 0
    assert share(0.9) > 0.3


def test_min_score_means_the_same_where_weights_are_stated(desk: Desk) -> None:
    desk.put(good="# Annual leave\n\nAnnual leave of staff.\n", poor="# Other\n\nStaff may park their cars here.\n")
    question = "annual leave of staff who travel abroad by train"
    plain = {hit.passage.element_id: hit.score for hit in desk.search(question).hits}
    with desk.reopened(retrieval={"fusion": "ranks"}) as library:
        ranked = library.search(question)
        assert [hit.passage.element_id for hit in ranked.hits] == ["good.md", "poor.md"]
        assert ranked.hits[0].score == 1.0
        between = (plain["good.md"] + plain["poor.md"]) / 2
        kept = library.search(question, min_score=between)
        assert [hit.passage.element_id for hit in kept.hits] == ["good.md"]
        assert any("below min_score" in note for note in kept.notes)
        assert library.search(question, min_score=plain["good.md"] + 0.01).hits == ()
        assert library.why_not("poor.md", question, min_score=between).verdict == "below_min_score"
