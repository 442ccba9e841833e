"""The desk: scope, rate, arguments, the caller's library, the audit line; in this order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import SAMPLES
from pincite import wire
from pincite.errors import DeadlineExceeded, InsufficientScope, RateLimited, Unavailable
from pincite.ingest.embed import enqueue
from pincite.serve.audit import Served
from pincite.serve.callers import SCOPES, Caller
from pincite.serve.desk import Desk
from pincite.serve.operations import OPERATIONS
from pincite.settings.serve import ServeSettings

READER = Caller("k1", "default", "default", scopes=frozenset({"search:read"}))
WRITER = Caller("k2", "default", "default", scopes=frozenset(SCOPES))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pincite.Library]:
    with pincite.open(tmp_path_factory.mktemp("desk") / "library") as opened:
        opened.ingest(SAMPLES)
        yield opened


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_answer_is_what_the_library_and_the_wire_give(library: pincite.Library) -> None:
    body = Desk(library).run("semanticSearch", {"query": "annual leave", "top_k": 3}, READER, door="test")
    direct = wire.answer(library.search("annual leave", limit=3), library.describe)
    assert [hit["citation"] for hit in body["results"]] == [hit["citation"] for hit in direct["results"]]
    assert body.keys() == direct.keys()
    again = Desk(library).run("replay", {"token": body["replay"]["token"]}, READER, door="test")
    assert [(hit["citation"], hit["score"]) for hit in again["results"]] == [
        (hit["citation"], hit["score"]) for hit in body["results"]
    ]


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_without_its_scope_no_operation_runs(library: pincite.Library, name: str) -> None:
    needed = OPERATIONS[name].scope
    others = Caller("k", "default", "default", scopes=frozenset(SCOPES) - {needed})
    with pytest.raises(InsufficientScope) as refused:
        Desk(library).run(name, {"nonsense": 1}, others, door="test")
    assert refused.value.scope == needed
    assert refused.value.code == "permission_denied"


def test_a_burst_is_refused_and_whoever_sits_here_is_not(library: pincite.Library) -> None:
    desk = Desk(library, ServeSettings.model_validate({"rate_limit": {"requests_per_minute": 1, "burst": 2}}))
    for _ in range(2):
        desk.run("listBaselines", {}, READER, door="test")
    with pytest.raises(RateLimited) as refused:
        desk.run("listBaselines", {}, READER, door="test")
    assert 0 < refused.value.retry_after <= 60
    assert desk.allowance(READER).remaining == 0  # type: ignore[union-attr]
    desk.run("listBaselines", {}, WRITER, door="test")
    for _ in range(5):
        desk.run("listBaselines", {}, desk.local(), door="test")
    called_local = replace(READER, subject="local")
    assert desk.allowance(called_local) is not None, "a token's subject says nothing about where its bearer sits"


def test_a_deadline_that_has_passed_is_an_error_of_its_own(library: pincite.Library) -> None:
    with pytest.raises(DeadlineExceeded):
        Desk(library).run("semanticSearch", {"query": "leave"}, READER, door="test", deadline_seconds=0)
    limited = Desk(library).library_for(READER, deadline_seconds=0.5)
    assert limited.config.retrieval.deadline_seconds == 0.5
    assert library.config.retrieval.deadline_seconds > 0.5


def test_the_audit_says_who_what_when_and_in_which_state(library: pincite.Library, tmp_path: Path) -> None:
    path = tmp_path / "logs" / "audit.jsonl"
    desk = Desk(library, ServeSettings.model_validate({"audit": {"file": str(path)}}))
    desk.run("semanticSearch", {"query": "annual leave"}, READER, door="http")
    with pytest.raises(pincite.PinciteError):
        desk.run("getElement", {"element": "nothing.md", "repository_id": "main"}, READER, door="mcp")
    with pytest.raises(InsufficientScope):
        desk.run("reindex", {}, READER, door="grpc")
    desk.close()
    first, second, third = lines(path)
    assert first["subject"] == "k1"
    assert (first["door"], first["operation"], first["outcome"]) == ("http", "semanticSearch", "ok")
    assert first["read_context"]["main"]["revision"] == 1
    assert first["repositories"] == ["main"]
    assert first["time"].endswith("Z")
    assert first["ms"] > 0
    assert (second["outcome"], second["repositories"]) == ("not_found", ["main"])
    assert third["outcome"] == "permission_denied"
    assert "annual" not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o077 == 0


def test_the_words_of_a_query_are_logged_only_when_asked_for(library: pincite.Library, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    desk = Desk(library, ServeSettings.model_validate({"audit": {"file": str(path), "query_text": True}}))
    desk.run("semanticSearch", {"query": "annual\nleave"}, READER, door="http")
    assert [line["query"] for line in lines(path)] == ["annual\nleave"]
    desk.close()


def test_what_cannot_be_logged_is_not_served(library: pincite.Library, tmp_path: Path) -> None:
    desk = Desk(library, ServeSettings.model_validate({"audit": {"file": str(tmp_path)}}))
    with pytest.raises(Unavailable) as refused:
        desk.run("semanticSearch", {"query": "leave"}, READER, door="http")
    assert str(tmp_path) not in refused.value.message


def test_an_observer_is_told_of_each_request(library: pincite.Library) -> None:
    told: list[Served] = []
    desk = Desk(library, observers=[told.append])
    desk.run("semanticSearch", {"query": "leave"}, READER, door="http")
    with pytest.raises(pincite.PinciteError):
        desk.run("semanticSearch", {"qery": "leave"}, READER, door="mcp")
    assert [(item.door, item.outcome) for item in told] == [("http", "ok"), ("mcp", "unknown_argument")]
    assert told[0].answer is not None
    assert told[0].answer["legs"]


def test_concise_is_much_shorter_and_cites_the_same(library: pincite.Library) -> None:
    desk, asked = Desk(library), {"query": "annual leave"}
    long = desk.run("semanticSearch", asked, READER, door="test")
    short = desk.run("semanticSearch", asked | {"response_format": "concise"}, READER, door="test")
    assert [hit["citation"] for hit in short["results"]] == [hit["citation"] for hit in long["results"]]
    assert [hit["content"] for hit in short["results"]] == [hit["content"] for hit in long["results"]]
    assert len(json.dumps(short)) < 0.5 * len(json.dumps(long))


def test_the_deep_research_pair_has_exactly_its_shapes(library: pincite.Library) -> None:
    desk = Desk(library, ServeSettings(public_url="https://search.example.org"))
    found = desk.run("search", {"query": "annual leave"}, READER, door="mcp")
    assert found.keys() == {"results"}
    first = found["results"][0]
    assert first.keys() == {"id", "title", "url"}
    assert first["url"].startswith("https://search.example.org/elements/")
    fetched = desk.run("fetch", {"id": first["id"]}, READER, door="mcp")
    assert fetched.keys() == {"id", "title", "text", "url", "metadata"}
    assert (fetched["id"], fetched["title"]) == (first["id"], first["title"])
    assert "26 working days" in fetched["text"]
    assert all(isinstance(value, str) for value in fetched["metadata"].values())
    plain = Desk(library).run("search", {"query": "annual leave"}, READER, door="mcp")
    assert plain["results"] and all(item["url"] == item["id"] for item in plain["results"])


def test_a_draft_gets_a_verdict_per_quote(library: pincite.Library) -> None:
    hit = library.search("annual leave").hits[0].passage.citation
    draft = (
        f'Staff receive "26 working days of paid annual leave" ({hit}), not "62 working days of paid annual leave"'
        f' ({hit}). Whoever says "nothing of the kind stands anywhere here" ({hit}) is wrong, and'
        ' "the same share of the 26 days" (pincite:broken) is hard to check.'
    )
    body = Desk(library).run("verifyCitations", {"text": draft}, READER, door="mcp")
    assert [item["status"] for item in body["verdicts"]] == ["verified", "altered", "not_found", "not_found"]
    assert body["counts"] == {"verified": 1, "altered": 1, "not_found": 2}
    assert not body["all_verified"]
    assert "is not a citation" in body["verdicts"][3]["message"]
    for item in body["verdicts"]:
        start, end = item["draft_span"]
        assert item["quote"] in draft[start:end]
    given = [{"quote": "26 working days", "citation": hit}, {"quote": "26 working days of paid annual leave"}]
    listed = Desk(library).run("verifyCitations", {"quotes": given}, READER, door="mcp")
    assert listed["all_verified"]
    assert listed["total"] == 2
    nothing = Desk(library).run("verifyCitations", {"text": "No quote at all."}, READER, door="mcp")
    assert nothing["total"] == 0
    assert nothing["notes"]
    assert not nothing["all_verified"]


def test_a_door_may_read_what_is_published_by_default(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.md").write_text("# A\n\nThe rent is 100.\n", encoding="utf-8")
    with pincite.open(tmp_path / "library") as library:
        library.ingest(source)
        desk = Desk(library)

        def seen(**more: Any) -> Any:
            return desk.run(
                "semanticSearch", {"query": "rent", **more}, READER, door="mcp", default_read_context="published"
            )

        assert seen()["read_context"]["note"] == "nothing is published yet"
        library.baselines.create("v1")
        library.baselines.publish("v1")
        (source / "a.md").write_text("# A\n\nThe rent is 200 now.\n", encoding="utf-8")
        library.ingest(source)
        assert seen()["read_context"]["baseline_id"] == "v1"
        assert "100" in seen()["results"][0]["content"]
        assert "200" in seen(include_non_published=True)["results"][0]["content"]
        assert "200" in seen(read_context="head")["results"][0]["content"]
        at_head = desk.run("semanticSearch", {"query": "rent"}, READER, door="http")
        assert "200" in at_head["results"][0]["content"]


def test_what_a_caller_writes_is_signed_by_them(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nrent\n", encoding="utf-8")
    with pincite.open(tmp_path / "library") as library:
        desk = Desk(library, ServeSettings(ingest_roots=(str(tmp_path / "docs"),)))
        report = desk.run("ingest", {"source": str(tmp_path / "docs"), "message": "why"}, WRITER, door="http")
        assert report["added"] == 1
        made = desk.run("createBaseline", {"baseline_id": "v1"}, WRITER, door="http")
        assert made["author"] == "k2"
        (revision,) = desk.run("revisions", {}, WRITER, door="http")["revisions"]
        assert (revision["author"], revision["message"]) == ("k2", "why")
        assert desk.run("reindex", {}, WRITER, door="http")["rebuilt"][0]["revision"] == 1
        assert desk.run("publishBaseline", {"baseline_id": "v1"}, WRITER, door="http")["published"]


def test_an_embedding_begun_for_a_caller_ends_with_the_library(tmp_path: Path) -> None:
    """Its thread is the library's, not the view's: a view is thrown away."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nrent\n", encoding="utf-8")
    with pincite.open(tmp_path / "library", dense="auto", embedding={"model": "hashing:512"}) as library:
        desk = Desk(library)
        other = Caller("k3", "acme", "legal", scopes=frozenset(SCOPES))
        for caller in (WRITER, other):
            desk.library_for(caller).ingest(tmp_path / "docs")
        assert library._worker is not None
        assert library._worker.wait(30)
        for caller in (WRITER, other):
            body = desk.run("semanticSearch", {"query": "rent", "mode": "semantic"}, caller, door="http")
            assert len(body["results"]) == 1, caller


def test_a_stream_begins_with_words_and_ends_with_the_answer(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library", dense="auto", embedding={"model": "hashing:512"}) as library:
        library.ingest(SAMPLES, embedding=False)
        library.embed()
        told: list[Served] = []
        desk = Desk(library, observers=[told.append])
        events = list(desk.stream({"query": "annual leave", "top_k": 3}, READER, door="http"))
        stages = [(event["stage"], event["results"]) for event in events if event["event"] == "stage"]
        assert [stage for stage, _ in stages] == ["keyword", "final"]
        final = [event["hit"] for event in events if event["event"] == "hit" and event["stage"] == "final"]
        plain = desk.run("semanticSearch", {"query": "annual leave", "top_k": 3}, READER, door="http")
        assert [hit["citation"] for hit in final] == [hit["citation"] for hit in plain["results"]]
        assert events[-1]["event"] == "done"
        assert events[-1]["answer"].keys() == plain.keys() - {"results"}
        assert len(told) == 2, "a stream is one request"
        only = [
            e["stage"] for e in desk.stream({"query": "leave", "mode": "keyword"}, READER, door="http") if "hit" in e
        ]
        assert set(only) == {"final"}


def test_a_stream_says_what_went_wrong(library: pincite.Library) -> None:
    (event,) = Desk(library).stream({"qery": "leave"}, READER, door="http")
    assert event["event"] == "error"
    assert event["error"]["code"] == "unknown_argument"
    nobody = Caller("k", "default", "default")
    (event,) = Desk(library).stream({"query": "leave"}, nobody, door="http")
    assert event["error"]["code"] == "permission_denied"


def test_a_reader_by_roles_is_told_how_far_the_index_is_and_no_sizes(library: pincite.Library) -> None:
    by_role = Caller("k", "default", "default", roles=frozenset({"staff"}), scopes=frozenset({"search:read"}))
    body = Desk(library).run("indexHealth", {}, by_role, door="test")
    assert body["repositories"][0]["index"] == {"revision": 1, "lag": 0}
    assert Desk(library).run("indexHealth", {}, READER, door="test")["repositories"][0]["index"]["chunks"] > 0


def test_texts_that_wait_elsewhere_are_not_counted_for_a_caller(tmp_path: Path) -> None:
    """The queue is the library's; what waits in it tells how much another tenant has put in."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nrent\n", encoding="utf-8")
    with pincite.open(tmp_path / "library", dense="auto", embedding={"model": "hashing:512"}) as library:
        library.ingest(tmp_path / "docs", embedding=False)
        library.embed()
        other = library.for_caller(tenant="globex", organization="legal")
        other.ingest(tmp_path / "docs", embedding=False)
        assert enqueue(library.catalog, other.scope(), "another-model") > 0
        assert [item.what for item in library.health().findings] == ["embedding queue"]
        body = Desk(library).run("indexHealth", {}, READER, door="test")
        assert body["findings"] == []
        assert [item["repository_id"] for item in body["repositories"]] == ["main"]


def test_a_stream_that_is_refused_or_left_is_in_the_audit_log_once(
    library: pincite.Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.jsonl"
    desk = Desk(library, ServeSettings.model_validate({"audit": {"file": str(path)}}))
    monkeypatch.setattr(desk, "_begins_with_words", lambda _: True)
    nobody = replace(READER, scopes=frozenset())
    assert [event["event"] for event in desk.stream({"query": "leave"}, nobody, door="test")] == ["error"]
    assert [event["event"] for event in desk.stream({"qery": "leave"}, READER, door="test")] == ["error"]
    list(desk.stream({"query": "leave"}, READER, door="test", deadline_seconds=0))
    left = desk.stream({"query": "leave"}, READER, door="test")
    next(left)
    left.close()
    list(desk.stream({"query": "leave"}, READER, door="test"))
    desk.close()
    outcomes = [line["outcome"] for line in lines(path)]
    assert outcomes == ["permission_denied", "unknown_argument", "deadline_exceeded", "cancelled", "ok"]
