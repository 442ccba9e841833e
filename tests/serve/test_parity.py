"""The same request through Python, the command line, MCP, HTTP and gRPC gives the same hits.

Every request names the state it reads: MCP alone reads what is published where a request names nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import pincite
from desk import SAMPLES
from grpc_client import Served, serving
from mcp_client import answer as ask_mcp
from pincite.catalog.resolve import to_iso
from pincite.search.query import Answer
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.http.app import create_app
from pincite.serve.http.guard import HttpGuard
from pincite.settings import load_config
from terminal import Run

Json = dict[str, Any]
Hits = list[tuple[str, str, str, str, float]]
GARDEN = "---\ndate: 2020-01-01\nvalid_to: 2029-12-31\n---\n# Garden leave\n\nAnnual leave is not garden leave.\n"
DENSE = {"PINCITE_DENSE": "auto"}


@dataclass
class House:
    """One library with all its doors open."""

    library: pincite.Library
    config: Path
    http: TestClient
    grpc: Served
    before: str
    """An instant before the last commit."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Two repositories with vectors; what is published in one of them is not its newest state."""
    root = tmp_path_factory.mktemp("parity")
    settings = {"library": str(root / "library"), "dense": "auto", "embedding": {"model": "hashing:512"}}
    config = root / "pincite.yaml"
    config.write_text(json.dumps(settings), encoding="utf-8")
    source = root / "source"
    source.mkdir()
    for path in (SAMPLES / "company").glob("*.md"):
        (source / path.name).write_text(f"---\ndate: 2026-01-01\n---\n{path.read_text('utf-8')}", encoding="utf-8")
    with pincite.open(load_config(settings)) as library:
        library.ingest(source, embedding=False)
        library.ingest(SAMPLES, repository="other", embedding=False)
        library.baselines.create("v1")
        library.baselines.publish("v1")
        leave = (source / "leave.md").read_text(encoding="utf-8")
        (source / "leave.md").write_text(leave.replace("26 working days", "28 working days"), encoding="utf-8")
        (source / "garden.md").write_text(GARDEN, encoding="utf-8")
        library.ingest(source, embedding=False)
        library.embed()
        before = next(to_iso(item.time) for item in library.revisions() if item.number == 1)
        desk = Desk(library)
        guarded = HttpGuard(create_app(desk, with_mcp=False), desk.settings)
        with TestClient(guarded, base_url="http://127.0.0.1:8080") as http, serving(desk) as grpc:
            yield House(library, config, http, grpc, before)


# --- the doors ------------------------------------------------------------------------------------------------


def by_python(house: House, _run: Run, asked: Json) -> Hits:
    options = dict(asked)
    answer = house.library.search(
        options.pop("query"),
        repository=options.pop("repository_id", ""),
        limit=options.pop("top_k", 10),
        **options,
    )
    return hits_of(answer)


def hits_of(answer: Answer) -> Hits:
    return [
        (hit.passage.scope.repository, hit.passage.element_id, hit.passage.version_id, hit.passage.citation, hit.score)
        for hit in answer.hits
    ]


def by_command_line(house: House, run: Run, asked: Json) -> Hits:
    names = {"repository_id": "repository", "top_k": "limit"}
    arguments = [asked["query"]]
    for key, value in asked.items():
        option = "--" + names.get(key, key).replace("_", "-")
        if key == "filters":
            arguments += [part for name, given in value.items() for part in ("--filter", f"{name}={given}")]
        elif key == "repository_id":
            arguments += [part for name in value for part in (option, name)]
        elif key != "query":
            arguments += [option, str(value)]
    done = run("--config", str(house.config), "search", "--json", *arguments, **DENSE)
    assert done.returncode == 0, done.stderr
    return from_wire(json.loads(done.stdout)["results"])


def by_mcp(house: House, _run: Run, asked: Json) -> Hits:
    return from_wire(ask_mcp(house.library, "semanticSearch", **asked)["results"])


def by_http(house: House, _run: Run, asked: Json) -> Hits:
    response = house.http.post("/v1/search", json=asked)
    assert response.status_code == 200, response.text
    return from_wire(response.json()["results"])


def by_http_stream(house: House, _run: Run, asked: Json) -> Hits:
    response = house.http.post("/v1/search/stream", json=asked)
    events = [json.loads(line) for line in response.text.splitlines()]
    assert events[-1]["event"] == "done", events[-1]
    return from_wire([event["hit"] for event in events if event["event"] == "hit" and event["stage"] == "final"])


def by_grpc(house: House, _run: Run, asked: Json) -> Hits:
    return from_messages(house.grpc.ask("Search", search_request(asked)).results)


def by_grpc_stream(house: House, _run: Run, asked: Json) -> Hits:
    events = house.grpc.ask("SearchStream", pb.SearchStreamRequest(search=search_request(asked)))
    assert events[-1].HasField("answer")
    return from_messages(
        [event.hit.hit for event in events if event.HasField("hit") and event.hit.stage == pb.STAGE_FINAL]
    )


def from_wire(results: list[Json]) -> Hits:
    return [
        (hit["repository_id"], hit["element_id"], hit["version_id"], hit["citation"], hit["score"]) for hit in results
    ]


def from_messages(results: Any) -> Hits:
    return [(hit.repository_id, hit.element_id, hit.version_id, hit.citation, hit.score) for hit in results]


def search_request(asked: Json) -> pb.SearchRequest:
    enums = {"mode": "SEARCH_MODE", "group": "GROUP", "sort": "SORT_ORDER"}
    request = pb.SearchRequest()
    for key, value in asked.items():
        if key in enums:
            setattr(request, key, getattr(pb, f"{enums[key]}_{value.upper()}"))
        elif key == "read_context":
            request.read_context.CopyFrom(read_context(value))
        elif key == "filters":
            request.filters.update(value)
        elif isinstance(value, list):
            request.repository_id.extend(value)
        else:
            setattr(request, key, value)
    return request


def read_context(written: str) -> pb.ReadContext:
    """`baseline:v1` as a message."""
    form, colon, rest = written.partition(":")
    if not colon:
        return pb.ReadContext(selector=getattr(pb, f"SELECTOR_{form.upper()}"))
    if form == "revision":
        return pb.ReadContext(revision=int(rest))
    return pb.ReadContext(as_of=rest) if form == "as_of" else pb.ReadContext(baseline_id=rest)


DOORS: dict[str, Callable[[House, Run, Json], Hits]] = {
    "command line": by_command_line,
    "MCP": by_mcp,
    "HTTP": by_http,
    "HTTP, streamed": by_http_stream,
    "gRPC": by_grpc,
    "gRPC, streamed": by_grpc_stream,
}

# --- what is asked --------------------------------------------------------------------------------------------

MAIN = {"repository_id": ["main"]}
LEAVE = {"query": "how much annual leave is there", **MAIN}
REQUESTS: dict[str, Json] = {
    "the newest state": {**LEAVE, "read_context": "head"},
    "what is published": {**LEAVE, "read_context": "published"},
    "a baseline": {**LEAVE, "read_context": "baseline:v1"},
    "a revision": {**LEAVE, "read_context": "revision:1"},
    "an instant": {**LEAVE, "read_context": "as_of:BEFORE"},
    "before anything": {**LEAVE, "read_context": "revision:0"},
    "all repositories": {"query": "annual leave", "read_context": "head"},
    "two of them": {"query": "annual leave", "read_context": "head", "repository_id": ["main", "other"]},
    "words alone": {**LEAVE, "read_context": "head", "mode": "keyword"},
    "meaning alone": {**LEAVE, "read_context": "head", "mode": "semantic"},
    "an identifier": {"query": "leave.md", "read_context": "head", "mode": "exact", **MAIN},
    "passage by passage": {**LEAVE, "read_context": "head", "group": "chunk", "top_k": 5},
    "a filter": {"query": "Urlaub", "read_context": "head", "repository_id": ["other"], "filters": {"language": "de"}},
    "a bound": {**LEAVE, "read_context": "head", "min_score": 0.2},
    "by date": {**LEAVE, "read_context": "head", "sort": "date_desc"},
    "in force on a day": {**LEAVE, "read_context": "head", "valid_at": "2030-01-01"},
    "a phrase": {"query": '"garden leave"', "read_context": "head"},
    "nothing": {"query": "zyxwv", "read_context": "head", "mode": "keyword"},
}


def asked_of(house: House, name: str) -> Json:
    request = REQUESTS[name]
    return {**request, "read_context": request["read_context"].replace("BEFORE", house.before)}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_hits_at_every_door(house: House, run: Run, name: str, door: str) -> None:
    asked = asked_of(house, name)
    assert DOORS[door](house, run, asked) == by_python(house, run, asked)


def test_the_requests_tell_states_and_ways_apart(house: House, run: Run) -> None:
    """Otherwise a door that passes over an argument would not be noticed."""
    found = {name: by_python(house, run, asked_of(house, name)) for name in REQUESTS}
    assert found["what is published"] == found["a baseline"] == found["a revision"] == found["an instant"]
    assert found["before anything"] == found["nothing"] == []
    assert all(found[name] for name in REQUESTS if name not in ("before anything", "nothing"))
    same = {"what is published", "a baseline", "a revision", "an instant", "before anything", "nothing"}
    same |= {"all repositories", "two of them"}
    others = {name: hits for name, hits in found.items() if name not in same}
    assert len({json.dumps(hits) for hits in others.values()}) == len(others)
    assert found["the newest state"] != found["what is published"]


@pytest.mark.parametrize("door", DOORS)
def test_a_cursor_of_one_door_opens_the_next_page_at_another(house: House, run: Run, door: str) -> None:
    asked = {**LEAVE, "read_context": "head", "group": "chunk", "top_k": 3}
    first = house.library.search(asked["query"], repository="main", read_context="head", group="chunk", limit=3)
    page = {**asked, "cursor": first.next_cursor}
    second = DOORS[door](house, run, page)
    assert hits_of(first) + second == by_python(house, run, {**asked, "top_k": 6})


@pytest.mark.parametrize("door", DOORS)
def test_mcp_alone_reads_what_is_published_unless_told_otherwise(house: House, run: Run, door: str) -> None:
    head, published = asked_of(house, "the newest state"), asked_of(house, "what is published")
    expected = published if door == "MCP" else head
    assert DOORS[door](house, run, LEAVE) == by_python(house, run, expected)
    assert by_python(house, run, LEAVE) == by_python(house, run, head)


def test_the_same_context_at_every_door(house: House, run: Run) -> None:
    for state in ("head", "published"):
        asked = {"query": "annual leave", "max_tokens": 600, "read_context": state, "repository_id": ["main"]}
        direct = house.library.context("annual leave", max_tokens=600, read_context=state, repository="main")
        expected = (direct.text, [source.citation for source in direct.sources])
        cli = run(
            "--config", str(house.config), "context", "annual leave", "--json", "--max-tokens", "600",
            "--read-context", state, "--repository", "main", **DENSE,
        )  # fmt: skip
        bodies = [
            json.loads(cli.stdout),
            ask_mcp(house.library, "getContext", **asked),
            house.http.post("/v1/context", json=asked).json(),
        ]
        assert [(body["context"], [s["citation"] for s in body["sources"]]) for body in bodies] == [expected] * 3
        message = house.grpc.ask(
            "GetContext",
            pb.GetContextRequest(
                query="annual leave", max_tokens=600, read_context=read_context(state), repository_id=["main"]
            ),
        )
        assert (message.context, [source.citation for source in message.sources]) == expected
        assert ("28 working days" in direct.text) is (state == "head")
