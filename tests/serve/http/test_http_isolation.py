"""No route tells one organization anything of another's. The routes are read from the application itself: a new one
that nobody thought of here fails until it is described.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from ended_jobs import done
from starlette.testclient import TestClient

import pincite
from pincite.serve.desk import Desk
from pincite.serve.http.app import create_app
from pincite.serve.http.guard import HttpGuard
from pincite.settings.serve import ServeSettings

SECRET = "wombat"
"""In the texts and names of what must not be told. No request says the word: what says it has leaked it."""
VAULT, ELEMENT, BASELINE = "vault", "files/1.md", "spring"
"""What a stranger has heard of, and asks for by name."""
ANNEX = f"{SECRET}-annex"
"""A repository that a stranger has not heard of."""
ALL = ("search:read", "index:write", "baselines:write", "admin:read")
OPEN = {
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/.well-known/oauth-protected-resource",
    "/",
    "/elements/{citation:path}",
}
"""What tells nothing of any library, and needs no token."""


@dataclass
class Two:
    """A server with two callers' worlds: `victim` holds secrets, and each of `strangers` tries to reach them."""

    client: TestClient
    app: Any
    victim: dict[str, str]
    strangers: dict[str, dict[str, str]]
    citation: str
    token: str
    cursor: str
    job: str


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder = tmp_path_factory.mktemp("two")
    with pincite.open(folder / "library") as library:
        # Without a rate limit: what is refused for being asked too often proves nothing.
        desk = Desk(library, ServeSettings(rate_limit={"requests_per_minute": 0}))
        app = create_app(desk)

        def key(name: str, **rights: Any) -> dict[str, str]:
            _, token = desk.verifier.keys.create(name, scopes=ALL, **rights)
            return {"Authorization": f"Bearer {token}"}

        victim = key("victim", tenant="acme", organization="legal")
        strangers = {
            "tenant": key("s1", tenant="evil", organization="legal"),
            "organization": key("s2", tenant="acme", organization="sales"),
            "repository": key("s3", tenant="acme", organization="legal", repositories=("public",)),
            "role": key("s4", tenant="acme", organization="legal", roles=("visitor",)),
        }
        with TestClient(
            HttpGuard(app, desk.settings), base_url="http://127.0.0.1", raise_server_exceptions=False
        ) as client:
            served = _Served(client)
            text = (
                f"---\nroles: [counsel]\ntitle: The {SECRET} file\ntopic: {SECRET}\n---\n# Ledger\n\n"
                f'"Ledger" means the {SECRET} book. See fees.md and § 9.\n'
            )
            files = [("file", (f"files/{n}.md", text.encode())) for n in range(3)]
            for repository in (VAULT, ANNEX):
                data = {"repository_id": repository, "message": f"the {SECRET} came"}
                accepted = client.post("/v1/ingest", files=files, data=data, headers=victim)
                assert done(served, accepted)["result"]["added"] == 3
                made = {"baseline_id": BASELINE, "repository_id": repository}
                told = {**made, "note": f"with the {SECRET}"}
                assert client.post("/v1/baselines", json=told, headers=victim).status_code == 201
                assert client.post("/v1/baselines/publish", json=made, headers=victim).status_code == 200
            asked = {"query": "ledger", "top_k": 1, "repository_id": VAULT}
            answer = client.post("/v1/search", json=asked, headers=victim).json()
            yield Two(
                client, app, victim, strangers, answer["results"][0]["citation"], answer["replay"]["token"],
                answer["next_cursor"], accepted.json()["job_id"],
            )  # fmt: skip


class _Served:
    def __init__(self, client: TestClient) -> None:
        self.client = client


def attempts(two: Two) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """For each route, requests that would reach the secrets if nothing stood in the way."""
    vault = {"repository_id": VAULT}
    search = [{"query": "ledger"}, {"query": "ledger", **vault}]
    search.append({"query": "ledger", **vault, "read_context": f"baseline:{BASELINE}"})
    cursor = {"query": "ledger", "top_k": 1, **vault, "cursor": two.cursor}
    ways = [{"element": two.citation}, {"element": ELEMENT, **vault}, {"element": ELEMENT}]
    links = [{"q": item["query"], **{k: v for k, v in item.items() if k != "query"}} for item in [*search, cursor]]
    return {
        ("POST", "/v1/search"): [*search, cursor],
        ("GET", "/v1/search"): links,
        ("POST", "/v1/search/stream"): [*search, cursor],
        ("GET", "/v1/search/stream"): links,
        ("POST", "/v1/context"): search,
        ("GET", "/v1/context"): links[:3],
        ("GET", "/v1/elements/{element:path}"): ways,
        ("POST", "/v1/elements"): ways,
        ("GET", "/v1/history/{element:path}"): ways,
        ("GET", "/v1/references/{element:path}"): ways,
        ("GET", "/v1/diff"): [{"from": "revision:0", **vault}],
        ("GET", "/v1/revisions"): [vault],
        ("GET", "/v1/definitions"): [{"term": "Ledger"}, {"term": "Ledger", **vault}],
        ("POST", "/v1/verify"): [{"quote": "means the"}, {"quote": "means the", "citation": two.citation}],
        ("POST", "/v1/verify/draft"): [{"quotes": [{"quote": "means the", "citation": two.citation}]}],
        ("POST", "/v1/replay"): [{"token": two.token}],
        ("POST", "/v1/why-not"): [
            {"element": two.citation, "query": "ledger"},
            {"element": ELEMENT, "query": "x", **vault},
        ],
        ("POST", "/v1/compare"): [{"query": "ledger", "from": "revision:0", **vault}],
        ("GET", "/v1/filters"): [{}, vault],
        ("GET", "/v1/repositories"): [{}],
        ("GET", "/v1/baselines"): [vault],
        ("GET", "/v1/health/index"): [{}],
        ("GET", "/v1/health/doctor"): [{}],
        ("POST", "/v1/baselines"): [{"baseline_id": "mine", **vault}],
        ("POST", "/v1/baselines/publish"): [{"baseline_id": BASELINE, **vault}],
        ("POST", "/v1/baselines/rollback"): [vault],
        ("POST", "/v1/reindex"): [vault],
        ("POST", "/v1/ingest"): [{"source": "/etc", **vault}],
        ("GET", "/v1/jobs"): [{}],
        ("GET", "/v1/jobs/{job_id}"): [{"job_id": two.job}],
    }


def send(two: Two, method: str, path: str, arguments: dict[str, Any], headers: dict[str, str]) -> Any:
    left = dict(arguments)
    for name in ("element", "job_id"):
        for form in (f"{{{name}:path}}", f"{{{name}}}"):
            if form in path:
                path = path.replace(form, quote(left.pop(name), safe=""))
    if method == "GET":
        return two.client.get(path, params=left, headers=headers)
    return two.client.request(method, path, json=left, headers=headers)


def routes(app: Any) -> set[tuple[str, str]]:
    found = {(method, route.path) for route in app.routes for method in getattr(route, "methods", None) or ()}
    return {(method, path) for method, path in found if method != "HEAD" and path not in OPEN}


def test_every_route_is_tried(two: Two) -> None:
    beside = {("GET", "/metrics")}
    mcp = {("GET", "/mcp"), ("POST", "/mcp"), ("DELETE", "/mcp")}
    tried = set(attempts(two)) | beside
    assert routes(two.app) - mcp <= tried, "describe the new route in attempts()"
    assert set(attempts(two)) <= routes(two.app)


@pytest.mark.parametrize("who", ["tenant", "organization", "repository", "role"])
def test_no_route_tells_a_stranger_anything(two: Two, who: str) -> None:
    for (method, path), tries in attempts(two).items():
        if who == "role" and tells_names(path):
            continue
        for arguments in tries:
            answer = send(two, method, path, arguments, two.strangers[who])
            assert answer.status_code < 500, (method, path, arguments, answer.text)
            said = answer.text.replace(ANNEX, "") if who == "role" else answer.text
            assert SECRET not in said.lower(), (method, path, arguments, answer.text)


def tells_names(path: str) -> bool:
    """Roles guard documents. Names of repositories, baselines and revisions are the whole organization's."""
    return path.startswith(("/v1/repositories", "/v1/baselines", "/v1/revisions", "/v1/health"))


WRITES = ("/v1/baselines/", "/v1/ingest", "/v1/reindex")


def test_the_same_requests_do_reach_it_for_its_owner(two: Two) -> None:
    """Otherwise the test above would prove nothing."""
    for (method, path), tries in attempts(two).items():
        if path.startswith(WRITES) or (method, path) == ("POST", "/v1/baselines"):
            continue
        answers = [send(two, method, path, arguments, two.victim) for arguments in tries]
        assert any(answer.status_code == 200 for answer in answers), (method, path, answers[0].text)
        told = [answer.text for answer in answers if SECRET in answer.text.lower()]
        assert told or path == "/v1/why-not" or path.startswith("/v1/references"), (method, path, answers[0].text[:500])


@pytest.mark.parametrize("who", ["tenant", "organization", "repository"])
def test_what_a_stranger_may_not_know_of_is_answered_like_what_does_not_exist(two: Two, who: str) -> None:
    """Status, code and words are the same, with another name in them."""
    refused = 0
    for (method, path), tries in attempts(two).items():
        for arguments in tries:
            if arguments.get("repository_id") != VAULT or "cursor" in arguments:
                continue
            other = {**arguments, "repository_id": "vaunt"}
            there = send(two, method, path, arguments, two.strangers[who])
            nowhere = send(two, method, path, other, two.strangers[who])
            where = (method, path, arguments, there.text, nowhere.text)
            assert there.status_code == nowhere.status_code, where
            if there.status_code >= 400:
                assert there.text == nowhere.text.replace("vaunt", VAULT), where
                refused += 1
    assert refused


def test_nothing_a_stranger_tried_has_changed_anything(two: Two) -> None:
    listed = two.client.get("/v1/baselines", params={"repository_id": VAULT}, headers=two.victim).json()
    assert [item["baseline_id"] for item in listed["baselines"]] == [BASELINE]
    revisions = two.client.get("/v1/revisions", params={"repository_id": VAULT}, headers=two.victim).json()
    assert len(revisions["revisions"]) == 1


def test_metrics_are_for_administrators_only(two: Two) -> None:
    assert two.client.get("/metrics").status_code == 401
