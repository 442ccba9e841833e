"""The reranker: what it may change in an answer, what it must leave alone, and what is said when it is silent."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import pincite
from desk import Desk
from pincite.errors import Conflict, Unavailable, UnknownArgument
from pincite.models.overlap import OverlapReranker
from pincite.queries import Found
from pincite.search.candidates import Candidate
from pincite.search.query import Answer, LegReport, LegScore
from pincite.search.second_look import GRID, blend
from pincite.types import Scope
from terminal import Run

QUERY = "carryover of unused days"
TEXTS = {
    "rare": "# Carryover\n\nCarryover. A carryover is a carryover.\n",
    "both": "# Rules\n\nThe carryover rule of unused days: " + "other words stand between these lines. " * 9 + "\n",
    "days": "# Days\n\nUnused days and days and working days.\n",
    "more": "# More\n\nDays of work.\n",
}
"""By words alone: days, rare, both, more. By the share of the question's words: both, days, more, rare."""


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.put(**TEXTS)
    return desk


@pytest.fixture
def reranked(filled: Desk) -> Iterator[Desk]:
    with filled.reopened(reranker={"model": "overlap"}) as library:
        yield Desk(filled.root, library)


def leg(answer: Answer) -> LegReport | None:
    return next((report for report in answer.legs if report.name == "rerank"), None)


def order(answer: Answer) -> list[str]:
    return [hit.passage.element_id for hit in answer.hits]


def bits(answer: Answer) -> list[tuple[str, float, dict[str, float]]]:
    return [(hit.passage.citation, hit.score, dict(hit.signals)) for hit in answer.hits]


# --- the arithmetic -------------------------------------------------------------------------------------------


def candidate(name: str, score: float) -> Candidate:
    found = Found(Scope("t", "o", "r"), name, "v", "", 1, 0, score, score)
    return Candidate(found, score, {"keyword": LegScore(1, score, score, 0)}, {"keyword": score})


def test_a_score_is_the_weighted_mean_of_what_it_was_and_the_judgement() -> None:
    after = blend([candidate("a", 0.8), candidate("b", 0.4)], [0.25, 1.0], 0.4)
    assert [(c.found.element_id, c.score) for c in after] == [
        ("b", pytest.approx(0.6 * 0.4 + 0.4 * 1.0)),
        ("a", pytest.approx(0.6 * 0.8 + 0.4 * 0.25)),
    ]
    assert after[0].signals == {"keyword": pytest.approx(0.24), "rerank": pytest.approx(0.4)}
    assert (after[0].legs["rerank"].rank, after[1].legs["rerank"].rank) == (1, 2)
    assert after[0].legs["rerank"].score == 1.0 and "keyword" in after[0].legs


@pytest.mark.parametrize("weight", [0.05, 0.3, 0.7, 1.0])
def test_nothing_beyond_the_depth_passes_what_was_read_and_scores_never_rise(weight: float) -> None:
    given = [candidate(f"c{n:02}", score) for n, score in enumerate([0.9, 0.5, 0.5, 0.5, 0.5, 0.2, 0.2, 0.0001])]
    after = blend(given, [0.0, 0.0, 1.0, 0.0], weight)
    assert {c.found.element_id for c in after[:4]} == {"c00", "c01", "c02", "c03"}
    assert [c.found.element_id for c in after[4:]] == ["c04", "c05", "c06", "c07"], "their order stays"
    scores = [c.score for c in after]
    assert scores == sorted(scores, reverse=True)
    assert all("rerank" in c.legs for c in after[:4]) and not any("rerank" in c.legs for c in after[4:])


def test_equal_judgements_keep_the_order() -> None:
    given = [candidate("a", 0.6), candidate("b", 0.6), candidate("c", 0.5)]
    assert [c.found.element_id for c in blend(given, [0.5, 0.5, 0.5], 0.3)] == ["a", "b", "c"]


# --- in answers -----------------------------------------------------------------------------------------------


def test_the_passage_is_read_under_its_headings_and_its_judgement_blended_in(filled: Desk, reranked: Desk) -> None:
    plain = {hit.passage.element_id: hit.score for hit in filled.search(QUERY).hits}
    answer = reranked.search(QUERY)
    assert order(filled.search(QUERY)) == ["days.md", "rare.md", "both.md", "more.md"]
    assert order(answer) == ["both.md", "days.md", "rare.md", "more.md"]
    for hit in answer.hits:
        read = f"{hit.passage.context}\n\n{hit.passage.text}"
        judged = round(float(OverlapReranker().score(QUERY, [read])[0]) * GRID) / GRID
        assert hit.legs["rerank"].score == judged
        assert hit.score == pytest.approx(0.7 * plain[hit.passage.element_id] + 0.3 * judged)
        assert hit.score == pytest.approx(sum(hit.signals.values()))
    assert reranked.first("rules between lines").legs["rerank"].score == 1.0, "the heading was read too"


def test_a_report_says_that_it_answered_and_that_nothing_gates_it(filled: Desk, reranked: Desk) -> None:
    report = leg(reranked.search(QUERY))
    assert report is not None
    assert (report.status, report.candidates) == ("ok", 4)
    assert report.reason == "not gated: no golden queries configured (gate.golden)"
    assert leg(filled.search(QUERY)) is None, "where none is configured nothing is said"


def test_what_lies_beyond_the_depth_keeps_its_order(filled: Desk) -> None:
    with filled.reopened(reranker={"model": "overlap", "depth": 2, "weight": 0.9}) as library:
        answer = library.search(QUERY)
    assert order(answer) == ["days.md", "rare.md", "both.md", "more.md"], "both.md was not read, though it holds most"
    assert [("rerank" in hit.legs) for hit in answer.hits] == [True, True, False, False]
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)


def test_exact_identifiers_stay_first_and_untouched(filled: Desk) -> None:
    filled.put(manual="# Manual\n\n## 4.2 Stop\n\nPress it.\n\n## 4.3 Start\n\nSection 4.2 of 4.2 says 4.2 again.\n")
    settings = {"reranker": {"model": "overlap", "weight": 1.0}}
    plain = filled.search("§ 4.2", group="chunk")
    with filled.reopened(**settings) as library:
        answer = library.search("§ 4.2", group="chunk")
    assert [hit for hit in bits(answer) if "exact" in hit[2]] == [hit for hit in bits(plain) if "exact" in hit[2]]
    assert answer.hits[0].passage.section_id == "4.2" and "rerank" not in answer.hits[0].legs
    assert any("rerank" in hit.legs for hit in answer.hits), "those below are read"


def test_pages_are_slices_of_one_order(reranked: Desk) -> None:
    whole = bits(reranked.search(QUERY))
    first = reranked.search(QUERY, limit=1)
    second = reranked.search(QUERY, limit=3, cursor=first.next_cursor)
    assert bits(first) + bits(second) == whole


def test_min_score_acts_on_the_blended_score(reranked: Desk) -> None:
    scores = [hit.score for hit in reranked.search(QUERY).hits]
    assert len(reranked.search(QUERY, min_score=(scores[1] + scores[2]) / 2).hits) == 2


def test_words_alone_are_ordered_by_words(filled: Desk, reranked: Desk) -> None:
    for mode in ("keyword", "exact"):
        answer = reranked.search(QUERY, mode=mode)
        assert bits(answer) == bits(filled.search(QUERY, mode=mode))
        report = leg(answer)
        assert report is not None and (report.status, report.reason) == ("off", f"not part of mode {mode}")


def test_an_empty_answer_is_still_an_answer(reranked: Desk) -> None:
    answer = reranked.search("zeppelin")
    report = leg(answer)
    assert not answer.hits and answer.absence == "no_match"
    assert report is not None and (report.status, report.candidates) == ("ok", 0)


# --- when it is silent ----------------------------------------------------------------------------------------


def too_slow(self: OverlapReranker, query: str, texts: Sequence[str]) -> Any:  # noqa: ARG001
    time.sleep(0.4)
    return np.ones(len(texts), dtype=np.float32)


def broken(self: OverlapReranker, query: str, texts: Sequence[str]) -> Any:  # noqa: ARG001
    raise Unavailable("the model is on strike")


def beyond_bounds(self: OverlapReranker, query: str, texts: Sequence[str]) -> Any:  # noqa: ARG001
    return np.full(len(texts), np.nan, dtype=np.float32)


def too_few(self: OverlapReranker, query: str, texts: Sequence[str]) -> Any:  # noqa: ARG001
    return np.zeros(len(texts) - 1, dtype=np.float32)


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (too_slow, "it took longer than 0.1 s"),
        (broken, "the model is on strike"),
        (beyond_bounds, "scores lie between 0 and 1"),
        (too_few, "for 4 passages"),
    ],
)
def test_a_failure_changes_nothing_and_is_reported(
    filled: Desk, monkeypatch: pytest.MonkeyPatch, score: Callable[..., Any], reason: str
) -> None:
    monkeypatch.setattr(OverlapReranker, "score", score)
    with filled.reopened(reranker={"model": "overlap", "deadline_seconds": 0.1}) as library:
        answer = library.search(QUERY)
    assert bits(answer) == bits(filled.search(QUERY))
    report = leg(answer)
    assert report is not None and report.status == "unavailable" and reason in report.reason
    assert not answer.replay["replayable"] and answer.replay["reason"] == "incomplete: rerank"


def test_who_gives_up_waiting_stops_the_work(filled: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(self: OverlapReranker, query: str, texts: Sequence[str]) -> Any:
        calls.append(len(texts))
        return too_slow(self, query, texts)

    for number in range(20):
        filled.write(f"n{number}.md", f"# N{number}\n\nUnused days, number {number}.\n")
    filled.ingest()
    monkeypatch.setattr(OverlapReranker, "score", counted)
    with filled.reopened(reranker={"model": "overlap", "deadline_seconds": 0.1}) as library:
        library.search(QUERY)
        time.sleep(1.0)
    assert len(calls) == 1


def test_a_model_that_is_not_there_is_reported_and_a_misspelt_one_refused(filled: Desk) -> None:
    pytest.importorskip("onnxruntime")
    with filled.reopened(reranker={"model": f"onnx:{filled.root / 'nowhere'}"}) as library:
        answer = library.search(QUERY)
    report = leg(answer)
    assert bits(answer) == bits(filled.search(QUERY))
    assert report is not None and report.status == "unavailable" and "there is no folder" in report.reason
    with filled.reopened(reranker={"model": "overlapp"}) as library, pytest.raises(UnknownArgument, match="overlap"):
        library.search(QUERY)


# --- replay ---------------------------------------------------------------------------------------------------


def test_a_replay_gives_the_same_bits_whatever_the_settings_say_now(filled: Desk, reranked: Desk) -> None:
    answer = reranked.search(QUERY)
    assert answer.replay["replayable"]
    token = str(answer.replay["token"])
    filled.put(extra="# Carryover of unused days\n\nThe carryover of unused days, again.\n")
    filled.library.rebuild()
    assert bits(reranked.library.replay(token)) == bits(answer)
    with filled.reopened(reranker={"model": "overlap", "weight": 0.9, "depth": 1}) as other:
        assert bits(other.replay(token)) == bits(answer)
        assert bits(other.search(QUERY)) != bits(answer)


def test_a_replay_without_the_model_says_which_is_missing(filled: Desk, reranked: Desk) -> None:
    token = str(reranked.search(QUERY).replay["token"])
    with pytest.raises(Conflict, match="was reranked by overlap/1, now there is no reranker; name that model"):
        filled.library.replay(token)
    by_words = str(reranked.search(QUERY, mode="keyword").replay["token"])
    assert order(filled.library.replay(by_words)) == order(filled.search(QUERY, mode="keyword"))


def test_an_answer_without_a_reranker_replays_without_one(filled: Desk, reranked: Desk) -> None:
    answer = filled.search(QUERY)
    again = reranked.library.replay(str(answer.replay["token"]))
    assert bits(again) == bits(answer) and leg(again) is None


def test_a_page_belongs_to_the_reranker_that_ordered_it(filled: Desk, reranked: Desk) -> None:
    cursor = filled.search(QUERY, limit=1).next_cursor
    with pytest.raises(pincite.PinciteError, match="another question"):
        reranked.search(QUERY, limit=1, cursor=cursor)


# --- the command line ------------------------------------------------------------------------------------------


def test_the_terminal_explains_what_the_reranker_said(filled: Desk, run: Run) -> None:
    place = ("--library", str(filled.library.path), "search", *QUERY.split(), "--explain")
    said = run(*place, PINCITE_RERANKER__MODEL="overlap")
    assert "   rerank: rank 1, score 1.000, raw 1.000" in said.stdout
    assert "rerank ok (not gated: no golden queries configured (gate.golden))" in said.stderr
    plain = run(*place)
    assert "rerank" not in plain.stdout + plain.stderr
    body = json.loads(run(*place, "--json").stdout)
    assert {hit["scores"]["rerank"] for hit in body["results"]} == {None}
