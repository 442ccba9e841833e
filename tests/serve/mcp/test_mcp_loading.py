"""A question does not wait for a model that is being loaded: words answer, and the answer says so."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import pincite
from mcp_client import answer, call, text_of, with_client
from pincite.models.hashing import HashingEmbedder
from pincite.serve.desk import Desk
from pincite.serve.mcp.opening import Opening
from pincite.serve.mcp.server import build_server

TEXT = "# Leave\n\n## § 1 Days\n\nStaff have twenty days of leave.\n\n## § 2 Trains\n\nTravel by train.\n"


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    """A library whose vectors were made by an earlier process; this one has loaded nothing."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "leave.md").write_text(TEXT)
    settings = {
        "library": str(tmp_path / "library"),
        "dense": "auto",
        "embedding": {"model": "hashing:512"},
        "retrieval": {"deadline_seconds": 60},
    }
    with pincite.open(settings) as library:
        library.ingest(tmp_path / "source", embedding=False)
        library.embed()
    return settings


def leg(body: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [leg for leg in body["legs"] if leg["name"] == name]
    return found


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_words_answer_while_the_model_is_loaded(
    settings: dict[str, Any], loads_slowly: threading.Event, mode: str
) -> None:
    with pincite.open(settings) as library:
        loading = library.warm_up()
        assert loading is not None
        early = answer(library, "semanticSearch", query="days of leave", **{"mode": mode})
        assert early["results"][0]["element_id"] == "leave.md"
        assert leg(early, "keyword")["status"] == "ok"
        assert leg(early, "dense")["status"] == "unavailable"
        assert "hashing:512 is being loaded; ask again" in leg(early, "dense")["reason"]
        assert early["replay"]["replayable"] is False
        loads_slowly.set()
        loading.join()
        late = answer(library, "semanticSearch", query="days of leave", **{"mode": mode})
        assert leg(late, "dense")["status"] == "ok"
        assert late["replay"]["replayable"] is True


def test_the_text_says_it_too(settings: dict[str, Any], loads_slowly: threading.Event) -> None:
    with pincite.open(settings) as library:
        library.warm_up()
        said = text_of(call(library, "semanticSearch", query="days of leave"))
        assert "Note: dense did not take part: the model hashing:512 is being loaded" in said
        loads_slowly.set()


def test_the_first_question_of_a_process_does_not_wait(settings: dict[str, Any], loads_slowly: threading.Event) -> None:
    """The library is opened by the call itself, and the model is marked as loading before anyone asks."""
    with pincite.open(settings) as library:
        opening = Opening(lambda: Desk(library))
        body = with_client(build_server(opening), lambda client: client.call_tool("semanticSearch", {"query": "leave"}))
        assert body.structured_content is not None
        assert "is being loaded" in leg(body.structured_content, "dense")["reason"]
        loads_slowly.set()


def test_what_requires_meaning_waits_for_it(settings: dict[str, Any], loads_slowly: threading.Event) -> None:
    with pincite.open({**settings, "dense": "required"}) as library:
        library.warm_up()
        threading.Timer(0.2, loads_slowly.set).start()
        assert {leg.name: leg.status for leg in library.search("days of leave").legs}["dense"] == "ok"


def test_a_model_that_cannot_be_loaded_is_reported_by_the_question(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the file is damaged")

    monkeypatch.setattr(HashingEmbedder, "embed", broken)
    monkeypatch.setattr(HashingEmbedder, "embed_query", broken)
    with pincite.open(settings) as library:
        loading = library.warm_up()
        assert loading is not None
        loading.join()
        assert library.warm_up() is not None  # nobody is at it: it may be tried again
        found = answer(library, "semanticSearch", query="days of leave")
        assert found["results"]
        assert leg(found, "dense")["status"] == "unavailable"


def test_progress_tells_what_words_have_found_before_meaning_answers(settings: dict[str, Any]) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    with pincite.open(settings) as library:
        desk = Desk(library)
        body = with_client(
            build_server(lambda: desk),
            lambda client: client.call_tool("semanticSearch", {"query": "days of leave"}, progress_callback=note),
            "legacy",  # in memory, the newer era hands no token over by which a server could know
        )
        plain = answer(library, "semanticSearch", query="days of leave")
    assert [message for _, _, message in told] == ["searching", "found by words: 1; asking for meaning", "done"]
    assert [(progress, total) for progress, total, _ in told] == [(1, None), (2, None), (3, 3)]
    assert body.structured_content is not None
    assert body.structured_content["results"] == plain["results"]
