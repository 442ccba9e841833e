"""Replay without the model: what it said of the question is in the token, so that it is not asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import pincite
from desk import SAMPLES, Desk, by_name
from old_tokens import token_of_before
from pincite import wire
from pincite.fixed import unit
from pincite.meaning import Floats
from pincite.models.hashing import HashingEmbedder
from pincite.models.overlap import OverlapReranker
from pincite.search.query import Answer, Query
from pincite.search.understood import Understood, said_in
from same_bits import HOW_IT_WAS_ASKED, SEALED, said

MODEL = "hashing:512"
NEAR = "Employeees receive how many workingdayss"
"""No word of it is in the samples: meaning and related words must find something."""
SETTINGS: dict[str, Any] = {
    "dense": "auto",
    "embedding": {"model": MODEL},
    "retrieval": {"trust": {"none_below": -20, "full_above": 20}},
}


class Failing(HashingEmbedder):
    """Answers as long as it may."""

    asked = 0
    may_answer = True

    def embed_query(self, text: str) -> Floats:
        if not self.may_answer:
            raise AssertionError(f"the model is asked again: {text!r}")
        type(self).asked += 1
        return super().embed_query(text)


class Moody(HashingEmbedder):
    """The same text has another vector every time, as with a service that batches what it is asked."""

    deterministic = False
    _noise = np.random.default_rng(1)

    def embed_query(self, text: str) -> Floats:
        plain = super().embed_query(text)
        return unit((plain + self._noise.normal(scale=0.04, size=len(plain)))[None, :])[0]


@pytest.fixture
def embedded(desk: Desk) -> Iterator[pincite.Library]:
    desk.ingest(SAMPLES)
    with desk.reopened(**SETTINGS) as library:
        library.embed()
        yield library


def with_model(library: pincite.Library, model: HashingEmbedder) -> pincite.Library:
    return library.with_embedder(model)


def bits(answer: Answer) -> str:
    return said(wire.answer(answer, by_name), HOW_IT_WAS_ASKED, SEALED)


@pytest.mark.parametrize("asked", [{}, {"explain": True}, {"group": "chunk", "limit": 30}, {"mode": "semantic"}])
def test_a_replay_never_asks_the_model(embedded: pincite.Library, asked: dict[str, Any]) -> None:
    model = Failing(512)
    library = with_model(embedded, model)
    answer = library.search(NEAR, **asked)
    legs = {leg.name: leg.status for leg in answer.legs}
    assert legs["dense"] == "ok" and answer.hits and answer.replay["replayable"] is True
    if not asked:
        assert legs["related"] == "ok", "words are looked up by the model too"
    model.may_answer = False
    assert bits(library.replay(str(answer.replay["token"]))) == bits(answer)
    with pytest.raises(AssertionError, match="asked again"):
        library.embedder.embed_query("x")


def test_a_model_that_is_never_the_same_gives_answers_that_are(embedded: pincite.Library) -> None:
    library = with_model(embedded, Moody(512))
    first, second = (library.search(NEAR) for _ in range(2))
    assert bits(first) != bits(second), "or this test shows nothing"
    for answer in (first, second):
        assert answer.replay["replayable"] is True
        assert bits(library.replay(str(answer.replay["token"]))) == bits(answer)


def test_pages_of_a_model_that_is_never_the_same_are_those_of_one_answer(embedded: pincite.Library) -> None:
    library = with_model(embedded, Moody(512))
    page = library.search(NEAR, group="chunk", limit=5)
    whole = library.replay(str(page.replay["token"]))
    assert names(whole) == names(page)
    seen = names(page)
    while page.next_cursor:
        page = library.search(NEAR, group="chunk", limit=5, cursor=page.next_cursor)
        seen += names(page)
    assert len(seen) == len(set(seen)) > 10, "no passage is on two pages"


def test_a_cursor_of_a_deterministic_model_stays_short(embedded: pincite.Library) -> None:
    plain = embedded.search(NEAR, group="chunk", limit=5).next_cursor
    moody = with_model(embedded, Moody(512)).search(NEAR, group="chunk", limit=5).next_cursor
    assert 0 < len(plain) < 400 < len(moody)


def test_tokens_of_before_are_still_opened(embedded: pincite.Library) -> None:
    answer = embedded.search(NEAR)
    token = token_of_before(embedded, str(answer.replay["token"]))
    assert bits(embedded.replay(token)) == bits(answer)


def test_a_token_is_about_as_long_as_the_vector_that_it_carries(embedded: pincite.Library) -> None:
    token = str(embedded.search("annual leave").replay["token"])
    assert len(token) < 1_000 + 1.5 * 2 * 512
    assert len(token_of_before(embedded, token)) < 1_000


def test_what_the_model_said_survives_being_written_down(embedded: pincite.Library) -> None:
    found = said_in(embedded.trace(Query(NEAR)).rankings)
    assert found is not None and found.stand_ins and len(found.vector) == 512
    assert Understood.from_json(found.to_json()) == found
    assert said_in(embedded.trace(Query(NEAR, mode="keyword")).rankings) is None


def test_an_answer_is_given_again_where_vectors_are_switched_off(embedded: pincite.Library, desk: Desk) -> None:
    answer = embedded.search(NEAR)
    with desk.reopened(dense="off") as library:
        assert [hit.score for hit in library.replay(str(answer.replay["token"])).hits] == [h.score for h in answer.hits]


@pytest.mark.usefixtures("embedded")
def test_a_reranker_that_may_change_its_mind_makes_no_replayable_answer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with desk.reopened(**SETTINGS, reranker={"model": "overlap"}) as library:
        assert library.search(NEAR).replay["replayable"] is True
        monkeypatch.setattr(OverlapReranker, "deterministic", False)
        note = library.search(NEAR).replay
        assert (note["replayable"], note["reason"]) == (False, "overlap may judge differently when it is asked again")
        assert library.search(NEAR, mode="keyword").replay["replayable"] is True
        assert library.replay(str(note["token"])).hits


def names(answer: Answer) -> list[str]:
    hits: Sequence[Any] = answer.hits
    return [hit.passage.citation for hit in hits]
