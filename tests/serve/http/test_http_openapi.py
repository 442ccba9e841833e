"""The OpenAPI document: published, complete, and true of the server."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from ended_jobs import done

from desk import SAMPLES
from pincite.serve.http import examples
from pincite.serve.http.published import published
from pincite.serve.http.routes import READS
from pincite.serve.operations import OPERATIONS

PUBLISHED = Path(__file__).parents[3] / "docs" / "openapi.json"
OF_OTHER_DOORS = {"search", "fetch"}
"""The deep-research pair has the shape of MCP's clients, and is served there."""


def test_the_published_document_is_the_one_that_is_served() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == published(), "run: pincite serve --openapi docs/openapi.json"


def test_every_operation_has_a_route_under_its_own_name(reading) -> None:
    document = reading.client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    names = [way["operationId"] for path in document["paths"].values() for way in path.values()]
    assert len(names) == len(set(names))
    assert set(OPERATIONS) - OF_OTHER_DOORS <= set(names)


def test_every_route_states_its_problems_and_has_an_example_where_it_takes_arguments(reading) -> None:
    document = reading.client.get("/openapi.json").json()
    assert document["components"]["responses"] and document["paths"]
    for told in document["components"]["responses"].values():
        assert list(told["content"]) == ["application/problem+json"]
    for path, ways in document["paths"].items():
        for way in ways.values():
            assert way["summary"], path
            problems = [told for code, told in way["responses"].items() if code >= "400"]
            assert problems, path
            assert all(told["$ref"].startswith("#/components/responses/Problem") for told in problems), path
            for content in way.get("requestBody", {}).get("content", {}).values():
                assert "example" in content or content["schema"]["properties"]["file"], path


def test_the_examples_are_answered(serve) -> None:
    served = serve(ingest_roots=[str(SAMPLES)])
    token = served.client.get("/v1/search?q=leave").json()["replay"]["token"]
    bodies = {
        **examples.BODIES, "replay": {"token": token}, "ingest": {"source": str(SAMPLES)}, "rollbackBaseline": None,
    }  # fmt: skip
    for read in READS:
        if read.method == "POST":
            answer = served.client.post(read.path, json=bodies[read.operation])
        else:
            given = dict(examples.PARAMETERS.get(read.operation, {}))
            path = read.path.replace("{element:path}", quote(str(given.pop("element", "")), safe=""))
            answer = served.client.get(path, params=given)
        assert answer.status_code == 200, (read, answer.text)
    assert served.client.post("/v1/baselines", json=bodies["createBaseline"]).status_code == 201
    assert served.client.post("/v1/baselines/publish", json=bodies["publishBaseline"]).status_code == 200
    for path, name in (("/v1/ingest", "ingest"), ("/v1/reindex", "reindex")):
        assert done(served, served.client.post(path, json=bodies[name]))["state"] == "succeeded"
