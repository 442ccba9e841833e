"""The graph leg: references move candidates a little, traced; without weight or references nothing moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import pincite
from desk import Desk
from pincite import wire
from pincite.search.query import Answer

PAGES = {
    "berths": "# Berths\n\nA berth is assigned by the harbormaster. See [the fees](fees.md).\n",
    "moorings": "# Moorings\n\nA berth at a mooring is assigned by the harbormaster, see [fees](fees.md).\n",
    "fees": "# Fees\n\nThe berth fee is due in April, whoever asks for it or for a receipt in writing.\n",
    "zoo": "# Zoo\n\nThe berth of the seals.\n",
}
QUERY = "berth assigned by the harbormaster"


@pytest.fixture
def joined(desk: Desk) -> Iterator[pincite.Library]:
    desk.put(**PAGES)
    with desk.reopened(retrieval={"graph": 0.3}) as library:
        yield library


def test_by_default_references_move_nothing_and_the_answer_says_so(desk: Desk) -> None:
    desk.put(**PAGES)
    answer = desk.search(QUERY)
    (leg,) = [leg for leg in answer.legs if leg.name == "graph"]
    assert (leg.status, leg.reason) == ("off", "its weight is 0 (retrieval.graph)")
    assert answer.hits and all("graph" not in hit.legs for hit in answer.hits)


def test_what_good_hits_refer_to_gains_a_bounded_and_traced_share(desk: Desk, joined: pincite.Library) -> None:
    plain = {hit.passage.element_id: hit for hit in joined_with(desk, 0.0).hits}
    answer = joined.search(QUERY)
    moved = {hit.passage.element_id: hit for hit in answer.hits}
    fees = moved["fees.md"]
    assert fees.score > plain["fees.md"].score
    assert fees.score - plain["fees.md"].score == pytest.approx(fees.signals["graph"])
    assert fees.signals["graph"] <= 0.3
    assert 0 < fees.legs["graph"].score <= 1
    assert moved["zoo.md"].score == plain["zoo.md"].score and "graph" not in moved["zoo.md"].legs
    body = wire.answer(answer, desk.library.describe)
    scores = {result["element_id"]: result["scores"]["graph"] for result in body["results"]}
    assert scores["zoo.md"] is None and scores["fees.md"] == fees.legs["graph"].score


def joined_with(desk: Desk, weight: float) -> Answer:
    with desk.reopened(retrieval={"graph": weight}) as library:
        return library.search(QUERY)


def test_without_references_the_order_is_as_it_was(desk: Desk) -> None:
    desk.put(**{name: text.replace("](fees.md)", "]") for name, text in PAGES.items()})
    before, after = joined_with(desk, 0.0), joined_with(desk, 1.0)
    assert [(hit.passage.element_id, hit.score, hit.legs) for hit in after.hits] == [
        (hit.passage.element_id, hit.score, hit.legs) for hit in before.hits
    ]


def test_an_exact_name_stays_on_top(joined: pincite.Library) -> None:
    first = joined.search("Zoo").hits[0]
    assert first.passage.element_id == "zoo.md" and "exact" in first.legs


def test_a_replay_reads_the_references_of_its_own_state(desk: Desk, joined: pincite.Library) -> None:
    answer = joined.search(QUERY)
    desk.put(berths="# Berths\n\nA berth is assigned by the harbormaster.\n", moorings="# Moorings\n\nNothing.\n")
    again = joined.replay(str(answer.replay["token"]))
    assert [(hit.passage.citation, hit.score) for hit in again.hits] == [
        (hit.passage.citation, hit.score) for hit in answer.hits
    ]
    assert "graph" not in {leg for hit in joined.search(QUERY).hits for leg in hit.legs}
    plain = desk.library.replay(str(answer.replay["token"]))
    assert [hit.score for hit in plain.hits] == [hit.score for hit in answer.hits], "the token pins the weight"
