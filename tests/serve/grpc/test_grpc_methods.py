"""Every method, by a real client: the same answers as the desk gives, page by page and stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

import pincite
from desk import SAMPLES
from grpc_client import Served, plain, refused, said, serving
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The samples in two repositories, with vectors and a published baseline."""
    folder = tmp_path_factory.mktemp("grpc")
    with pincite.open(folder / "library", dense="auto", embedding={"model": "hashing:512"}) as library:
        library.ingest(SAMPLES, embedding=False)
        library.ingest(SAMPLES / "company", repository="other", embedding=False)
        library.embed()
        library.baselines.create("v1")
        library.baselines.publish("v1")
        with serving(Desk(library)) as served:
            yield served


def struct(**values: Any) -> Struct:
    made = Struct()
    made.update(values)
    return made


MAIN = {"repository_id": ["main"]}
REQUESTS: dict[str, tuple[str, Message, str, dict[str, Any]]] = {
    "a question": (
        "Search", pb.SearchRequest(query="how much annual leave is there"),
        "semanticSearch", {"query": "how much annual leave is there"},
    ),
    "everything that can be chosen": (
        "Search",
        pb.SearchRequest(
            query="annual leave", top_k=4, min_score=0.01, repository_id=["main", "other"], explain=True, exact=True,
            filters=struct(language=["en", "de"]), mode=pb.SEARCH_MODE_HYBRID, group=pb.GROUP_CHUNK,
            sort=pb.SORT_ORDER_DATE_DESC, valid_at="2030-01-01", include_non_published=True,
            response_format=pb.RESPONSE_FORMAT_DETAILED, passages=2,
        ),
        "semanticSearch",
        {
            "query": "annual leave", "top_k": 4, "min_score": 0.01, "repository_id": ["main", "other"],
            "explain": True, "exact": True, "filters": {"language": ["en", "de"]}, "mode": "hybrid", "group": "chunk",
            "sort": "date_desc", "valid_at": "2030-01-01", "include_non_published": True,
            "response_format": "detailed", "passages": 2,
        },
    ),
    "concise": (
        "Search", pb.SearchRequest(query="leave", response_format=pb.RESPONSE_FORMAT_CONCISE, **MAIN),
        "semanticSearch", {"query": "leave", "response_format": "concise", **MAIN},
    ),
    "a baseline": (
        "Search", pb.SearchRequest(query="leave", read_context=pb.ReadContext(baseline_id="v1"), **MAIN),
        "semanticSearch", {"query": "leave", "read_context": {"baseline_id": "v1"}, **MAIN},
    ),
    "what is published": (
        "Search",
        pb.SearchRequest(query="leave", read_context=pb.ReadContext(selector=pb.SELECTOR_PUBLISHED), **MAIN),
        "semanticSearch", {"query": "leave", "read_context": "published", **MAIN},
    ),
    "revision 0": (
        "Search", pb.SearchRequest(query="leave", read_context=pb.ReadContext(revision=0), **MAIN),
        "semanticSearch", {"query": "leave", "read_context": "revision:0", **MAIN},
    ),
    "an identifier": (
        "Search", pb.SearchRequest(query="company/leave.md", mode=pb.SEARCH_MODE_EXACT),
        "semanticSearch", {"query": "company/leave.md", "mode": "exact"},
    ),
    "nothing found": (
        "Search", pb.SearchRequest(query="zyxwv", mode=pb.SEARCH_MODE_KEYWORD),
        "semanticSearch", {"query": "zyxwv", "mode": "keyword"},
    ),
    "context": (
        "GetContext", pb.GetContextRequest(query="annual leave"),
        "getContext", {"query": "annual leave"},
    ),
    "a small context": (
        "GetContext",
        pb.GetContextRequest(
            query="annual leave", max_tokens=300, include_relationships=False, include_definitions=False, top_k=5,
            filters=struct(language="en"), mode=pb.SEARCH_MODE_KEYWORD, valid_at="2030-01-01",
            read_context=pb.ReadContext(selector=pb.SELECTOR_HEAD), **MAIN,
        ),
        "getContext",
        {
            "query": "annual leave", "max_tokens": 300, "include_relationships": False, "include_definitions": False,
            "top_k": 5, "filters": {"language": "en"}, "mode": "keyword", "valid_at": "2030-01-01",
            "read_context": "head", **MAIN,
        },
    ),
    "health": ("GetIndexHealth", pb.GetIndexHealthRequest(), "indexHealth", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_a_message_says_all_that_the_wire_says(here: Served, name: str) -> None:
    method, request, operation, arguments = REQUESTS[name]
    body = here.desk.run(operation, arguments, here.desk.local(), door="test")
    assert plain(here.ask(method, request)) == said(body)
    assert said(body), "otherwise nothing is compared with nothing"


def test_every_field_of_a_request_is_asked_with_once() -> None:
    """So that the comparison above leaves none out; the cursor has a test of its own."""
    for kind in (pb.SearchRequest, pb.GetContextRequest):
        sent = {field.name for _, request, _, _ in REQUESTS.values() if isinstance(request, kind)
                for field, _ in request.ListFields()}  # fmt: skip
        missing = {field.name for field in kind.DESCRIPTOR.fields} - sent
        assert missing <= {"cursor", "include_non_published"}


def test_scores_are_the_same_to_the_last_bit(here: Served) -> None:
    body = here.desk.run("semanticSearch", {"query": "annual leave"}, here.desk.local(), door="test")
    answer = here.ask("Search", pb.SearchRequest(query="annual leave"))
    assert [hit.score for hit in answer.results] == [hit["score"] for hit in body["results"]]
    first = answer.results[0]
    assert first.HasField("page") is (body["results"][0]["page"] is not None)
    assert not first.scores.HasField("rerank")


def test_a_cursor_leads_to_the_next_page(here: Served) -> None:
    def ids(**more: Any) -> tuple[list[str], str]:
        answer = here.ask("Search", pb.SearchRequest(query="leave", group=pb.GROUP_CHUNK, **MAIN, **more))
        return [hit.citation for hit in answer.results], answer.next_cursor

    whole, _ = ids(top_k=6)
    first, cursor = ids(top_k=3)
    second, _ = ids(top_k=3, cursor=cursor)
    assert cursor
    assert first + second == whole


def test_a_stream_begins_with_words_and_ends_with_the_answer(here: Served) -> None:
    search = pb.SearchRequest(query="how much annual leave is there", top_k=3, explain=True)
    events = here.ask("SearchStream", pb.SearchStreamRequest(search=search))
    assert [event.WhichOneof("event") for event in events] == ["stage", *["hit"] * 3] * 2 + ["answer"]
    assert [(e.stage.stage, e.stage.results) for e in events if e.HasField("stage")] == [
        (pb.STAGE_KEYWORD, 3),
        (pb.STAGE_FINAL, 3),
    ]
    final = [event.hit for event in events if event.HasField("hit") and event.hit.stage == pb.STAGE_FINAL]
    assert [hit.rank for hit in final] == [1, 2, 3]
    whole = here.ask("Search", search)
    assert [plain(hit.hit) for hit in final] == [plain(hit) for hit in whole.results]
    end = events[-1].answer
    assert not end.results
    expected = plain(whole)
    del expected["results"]
    assert plain(end) == expected


def test_a_stream_without_models_has_one_stage(here: Served) -> None:
    search = pb.SearchRequest(query="leave", mode=pb.SEARCH_MODE_KEYWORD, top_k=1)
    events = here.ask("SearchStream", pb.SearchStreamRequest(search=search))
    assert [event.WhichOneof("event") for event in events] == ["stage", "hit", "answer"]


def test_reindex_builds_each_index_anew(here: Served) -> None:
    before = {item.repository_id: item.index for item in _health(here)}
    made = here.ask("Reindex", pb.ReindexRequest(repository_id="other")).rebuilt
    assert [(item.revision, item.chunks) for item in made] == [(1, before["other"].chunks)]
    after = {item.repository_id: item.index for item in _health(here)}
    assert after["other"].generation == made[0].generation != before["other"].generation
    assert after["main"].generation == before["main"].generation
    assert len(here.ask("Reindex", pb.ReindexRequest()).rebuilt) == 2


def _health(here: Served) -> Any:
    return here.ask("GetIndexHealth", pb.GetIndexHealthRequest()).repositories


def test_metadata_of_any_shape_is_a_struct(tmp_path: Any) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    text = "---\nyear: 2024\nowner: Bürö\ntags: [a, b]\ndraft: true\n---\n# Rent\n\nThe rent is 100.\n"
    (folder / "a.md").write_text(text, encoding="utf-8")
    with pincite.open(tmp_path / "library") as library:
        library.ingest(folder)
        with serving(Desk(library)) as served:
            body = served.desk.run("semanticSearch", {"query": "rent"}, served.desk.local(), door="test")
            (hit,) = served.ask("Search", pb.SearchRequest(query="rent")).results
            assert dict(hit.metadata)["owner"] == "Bürö"
            assert plain(hit) == said(body["results"][0])
            for year, found in ((2024, 1), (2023, 0)):
                request = pb.SearchRequest(query="rent", filters=struct(year=year))
                assert len(served.ask("Search", request).results) == found


def test_each_call_is_one_request_at_this_door(here: Served) -> None:
    told: list[tuple[str, str, str]] = []
    observer = lambda served: told.append((served.door, served.operation, served.outcome))  # noqa: E731
    here.desk.observers.append(observer)
    try:
        here.ask("Search", pb.SearchRequest(query="leave"))
        here.ask("SearchStream", pb.SearchStreamRequest(search=pb.SearchRequest(query="leave")))
        refused(lambda: here.ask("SearchStream", pb.SearchStreamRequest(search=pb.SearchRequest(query="x", top_k=0))))
        here.ask("GetContext", pb.GetContextRequest(query="leave"))
    finally:
        here.desk.observers.remove(observer)
    assert told == [
        ("grpc", "semanticSearch", "ok"),
        ("grpc", "semanticSearch", "ok"),
        ("grpc", "semanticSearch", "invalid_argument"),
        ("grpc", "getContext", "ok"),
    ]
