"""What the reading routes give: the desk's own answers, in HTTP's forms."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from ended_jobs import done

from pincite.wire import Json

LEAVE = "company/leave.md"
MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def same(first: Json, second: Json) -> bool:
    """But for how long it took."""
    for answer in (first, second):
        for leg in answer["legs"]:
            leg.pop("ms")
    return first == second


def test_a_link_and_a_body_ask_the_same(reading) -> None:
    asked = {
        "query": "annual leave",
        "top_k": 3,
        "min_score": 0.1,
        "explain": True,
        "filters": {"language": ["en", "de"]},
    }
    link = "/v1/search?q=annual+leave&top_k=3&min_score=0.1&explain=true&filters[language]=en&filters[language]=de"
    by_body, by_link = reading.client.post("/v1/search", json=asked), reading.client.get(link)
    assert by_body.status_code == by_link.status_code == 200
    assert same(by_body.json(), by_link.json())
    direct = reading.desk.run("semanticSearch", asked, reading.desk.local(), door="test")
    assert same(by_body.json(), json.loads(json.dumps(direct)))


def test_pages_follow_one_another(reading) -> None:
    first = reading.client.post("/v1/search", json={"query": "leave", "top_k": 2}).json()
    second = reading.client.post(
        "/v1/search", json={"query": "leave", "top_k": 2, "cursor": first["next_cursor"]}
    ).json()
    ids = [hit["element_id"] for hit in first["results"] + second["results"]]
    assert len(ids) == len(set(ids)) == 4


@pytest.mark.parametrize("written", [LEAVE, quote(LEAVE, safe="")])
def test_an_id_with_slashes_may_be_written_either_way(reading, written) -> None:
    found = reading.client.get(f"/v1/elements/{written}")
    assert (found.status_code, found.json()["element_id"]) == (200, LEAVE)


def test_a_citation_in_an_address_is_decoded_once(reading) -> None:
    cited = reading.client.get("/v1/search?q=annual+leave&top_k=1").json()["results"][0]
    found = reading.client.get(f"/v1/elements/{quote(cited['citation'], safe='')}")
    assert (found.status_code, found.json()["content"]) == (200, cited["content"])
    by_body = reading.client.post("/v1/elements", json={"element": cited["citation"]})
    assert by_body.json() == found.json()


def test_an_element_called_history_is_no_history(serve) -> None:
    served = serve(samples=False)
    files = [("file", ("company/leave.md/history.md", b"# Trap\n\nNot a history."))]
    done(served, served.client.post("/v1/ingest", files=files))
    assert served.client.get("/v1/elements/company/leave.md/history.md").json()["element_name"] == "Trap"


def test_an_element_has_a_tag_that_outlives_other_commits_and_ends_with_its_version(serve) -> None:
    served = serve()
    found = served.client.get(f"/v1/elements/{LEAVE}")
    tag = found.headers["etag"]
    assert found.json()["version_id"] in tag
    again = served.client.get(f"/v1/elements/{LEAVE}", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    done(served, served.client.post("/v1/ingest", files=[("file", ("new.md", b"# New\n\nNew."))]))
    assert served.client.get(f"/v1/elements/{LEAVE}", headers={"If-None-Match": tag}).status_code == 304
    part = served.client.get(f"/v1/elements/{LEAVE}?span=0&span=20", headers={"If-None-Match": tag})
    assert part.status_code == 200
    assert part.headers["etag"] != tag


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "field"),
    [
        ("POST", "/v1/search", {"query": "leave", "limit": 3}, 422, "unknown_argument", "limit"),
        ("POST", "/v1/search", {"query": "leave", "top_k": "3"}, 422, "invalid_argument", "top_k"),
        ("GET", "/v1/search?q=leave&top_k=many", None, 422, "invalid_argument", "top_k"),
        ("GET", "/v1/search?q=leave&topk=3", None, 422, "unknown_argument", "topk"),
        ("GET", "/v1/search", None, 422, "invalid_argument", "query"),
        ("POST", "/v1/search?q=leave", {"query": "leave"}, 422, "invalid_argument", "query"),
        ("GET", "/v1/elements/nothing.md", None, 404, "not_found", None),
        ("GET", "/v1/jobs/none", None, 404, "not_found", "job_id"),
        ("GET", "/v1/nothing", None, 404, "not_found", None),
        ("DELETE", "/v1/search", None, 405, "invalid_argument", None),
        ("POST", "/v1/replay", {"token": "forged"}, 422, "invalid_argument", None),
    ],
)
def test_what_is_refused_is_a_problem(reading, method, path, body, status, code, field) -> None:
    refused = reading.client.request(method, path, json=body)
    assert refused.status_code == status
    assert refused.headers["content-type"] == "application/problem+json"
    told = refused.json()
    assert told["status"] == status
    assert told["code"] == code
    assert told["type"] == f"urn:pincite:problem:{code}"
    assert told["detail"]
    assert set(told) == {"type", "title", "status", "detail", "instance", "code", "field", "suggestions"}
    if field:
        assert told["field"] == field


def test_a_wrong_method_names_all_the_right_ones(reading) -> None:
    assert reading.client.delete("/v1/search").headers["allow"] == "GET, POST"


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"query": NaN}', b'{"query": "\\ud800"}', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(reading, body) -> None:
    refused = reading.client.post("/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_argument")


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("9" * 5_000, f"{'9' * 20}… (5000 characters)"),
        ("-" + "1" * 400, f"-{'1' * 19}… (401 characters)"),
        ("1e999", "1e999"),
    ],
)
def test_a_number_that_is_too_long_or_too_large_is_refused_in_words(reading, number, shown) -> None:
    refused = reading.client.post("/v1/search", content=f'{{"query": "leave", "top_k": {number}}}')
    told = refused.json()
    assert (refused.status_code, told["code"]) == (422, "invalid_argument")
    assert told["detail"] == f"the number {shown} in the body is larger or longer than any argument allows; shorten it"
    params = {"name": "search", "arguments": {"query": "leave", "top_k": 0}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answered = reading.client.post(
        "/mcp", content=json.dumps(message).replace('"top_k": 0', f'"top_k": {number}'), headers=MCP
    )
    assert answered.status_code == 400
    assert answered.json()["error"]["message"] == told["detail"]


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (b'{"query": "leave", "query": "pay"}', "query"),
        (b'{"query": "a", "filters": {"kind": "x", "kind": "y"}}', "kind"),
    ],
)
def test_a_key_that_is_given_twice_is_refused_by_its_name(reading, body, key) -> None:
    refused = reading.client.post("/v1/search", content=body, headers={"Content-Type": "application/json"})
    told = refused.json()
    assert (refused.status_code, told["code"], told["field"]) == (422, "invalid_argument", key)
    assert told["detail"] == f"{key!r} appears twice in the body; send it once"


def test_a_title_belongs_to_its_type_of_problem(reading) -> None:
    """RFC 9457: the same for each occurrence, whatever the status."""
    unknown = reading.client.get("/v1/search?q=x&limit=3").json()
    assert (unknown["status"], unknown["title"]) == (422, "An argument is unknown")
    problems = [reading.client.get("/v1/search?q=x&top_k=many"), reading.client.delete("/v1/search")]
    assert [problem.status_code for problem in problems] == [422, 405]
    assert {problem.json()["title"] for problem in problems} == {"The request is not valid"}


def test_a_body_of_another_type_is_refused(reading) -> None:
    assert reading.client.post("/v1/search", content=b"q=x", headers={"Content-Type": "text/plain"}).status_code == 415


@pytest.mark.parametrize("accept", ["text/event-stream", "application/x-ndjson"])
def test_hits_are_streamed_and_end_with_the_answer(reading, accept) -> None:
    answer = reading.client.get("/v1/search/stream?q=annual+leave&top_k=2", headers={"Accept": accept})
    assert answer.headers["content-type"].startswith(accept)
    lines = answer.text.splitlines()
    if accept == "text/event-stream":
        named = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
        lines = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        assert named == [json.loads(line)["event"] for line in lines]
    events = [json.loads(line) for line in lines]
    assert events[0]["event"] == "stage"
    assert events[-1]["event"] == "done"
    whole = reading.client.get("/v1/search?q=annual+leave&top_k=2").json()
    final = [event["hit"] for event in events if event["event"] == "hit" and event["stage"] == "final"]
    assert final == whole["results"]


def test_a_stream_begins_with_what_words_find(serve) -> None:
    served = serve()
    served.desk.library.config = served.desk.library.config.model_copy(update={"dense": "auto"})
    lines = served.client.post("/v1/search/stream", json={"query": "annual leave"}).text.splitlines()
    stages = [event["stage"] for event in map(json.loads, lines) if event["event"] == "stage"]
    assert stages == ["keyword", "final"]


def test_a_stream_that_is_refused_has_its_status(reading) -> None:
    refused = reading.client.get("/v1/search/stream?q=leave&nope=1", headers={"Accept": "text/event-stream"})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")


def test_probes_answer_and_readiness_asks_a_real_question(serve) -> None:
    served = serve()
    assert served.client.get("/healthz").json() == {"status": "ok"}
    assert served.client.get("/readyz").json()["legs"]["keyword"] == "ok"


def test_an_empty_library_is_ready(serve) -> None:
    assert serve(samples=False).client.get("/readyz").json()["status"] == "ready"


def test_a_library_that_cannot_answer_is_not_ready(serve) -> None:
    served = serve()
    served.desk.library.close()
    refused = served.client.get("/readyz")
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert served.client.get("/healthz").status_code == 200


def test_metrics_count_what_was_asked(serve) -> None:
    served = serve()
    served.client.get("/v1/search?q=leave")
    served.client.get("/v1/search?q=leave&nope=1")
    text = served.client.get("/metrics").text
    assert 'pincite_search_requests_total{outcome="ok",surface="http"} 1.0' in text
    assert 'pincite_search_requests_total{outcome="unknown_argument",surface="http"} 1.0' in text
    assert 'pincite_search_leg_duration_seconds_count{leg="keyword"} 1.0' in text
    assert 'pincite_index_lag_revisions{repository="default/default/main"} 0.0' in text


def test_a_crash_tells_nothing_and_is_logged(serve, monkeypatch, caplog) -> None:
    served = serve()

    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(served.desk.library, "for_caller", crash)
    refused = served.client.get("/v1/search?q=leave")
    assert (refused.status_code, refused.json()["code"]) == (500, "internal")
    assert "secret" not in refused.text
    assert refused.headers["x-content-type-options"] == "nosniff"
    assert "secret detail" in caplog.text


def test_a_request_that_takes_too_long_is_ended(serve, monkeypatch) -> None:
    import time

    served = serve(request_seconds=0.2)
    monkeypatch.setattr(served.desk, "run", lambda *_, **__: time.sleep(1))
    refused = served.client.get("/v1/search?q=leave")
    assert (refused.status_code, refused.json()["code"]) == (504, "deadline_exceeded")


@pytest.mark.parametrize("path", ["/", "/elements/default%2Fdefault%2Fmain%2Fcompany%252Fleave.md"])
def test_the_page_is_at_its_address_and_at_every_element_s(reading, path) -> None:
    page = reading.client.get(path)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_page_s_files_are_there_and_nothing_beside_them(reading) -> None:
    page = reading.client.get("/").text
    own = re.findall(r'(?:src|href)="(/web/[^"]+)"', page)
    assert own
    for address in own:
        found = reading.client.get(address)
        assert (found.status_code, found.headers["cache-control"]) == (200, "no-cache"), address
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page), "nothing comes from elsewhere"
    for outside in ("/web/../app.py", "/web/%2e%2e/app.py", "/web/..%2fwire.py", "/web/nothing.js"):
        assert reading.client.get(outside).status_code == 404, outside
