"""The gate before MCP over HTTP, with JWTs; and what the registry is told about the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jwt
import pytest

import pincite
from pincite.serve.desk import Desk
from pincite.serve.http.proxies import bearer
from pincite.serve.mcp.streamable import streamable_app

SECRET = "a secret of more than thirty-two bytes, for tests"
ROOT = Path(__file__).parent.parent.parent.parent
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "leave.md").write_text("# Leave\n\nTwenty days.\n")
    (tmp_path / "secret").write_text(SECRET)
    trust = {"issuer": "https://login.example.org", "audience": "pincite", "algorithms": ["HS256"]}
    auth = {"jwt": {**trust, "key_file": str(tmp_path / "secret")}}
    settings = {"library": str(tmp_path / "library"), "dense": "off", "serve": {"auth": auth}}
    with pincite.open(settings) as library:
        library.ingest(tmp_path / "source")
        yield Desk(library)


def token(**claims: Any) -> str:
    now = int(time.time())
    standard = {"iss": "https://login.example.org", "aud": "pincite", "sub": "ada", "iat": now, "exp": now + 60}
    ours = {"tenant": "default", "organization": "default", "scope": "search:read"}
    return jwt.encode({**standard, **ours, **claims}, SECRET, algorithm="HS256")


def post(desk: Desk, given: str, body: Any = LIST) -> httpx2.Response:
    async def run() -> httpx2.Response:
        app = streamable_app(desk)
        async with app.running(), httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as client:
            headers = {"accept": "application/json, text/event-stream", "authorization": given}
            return await client.post("http://localhost/mcp", json=body, headers=headers)

    return anyio.run(run)


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ("", 401, "authentication required"),
        ("Bearer nonsense", 401, "invalid token"),
        ({"exp": 1}, 401, "invalid token"),
        ({"iss": "https://evil.example.org"}, 401, "invalid token"),
        ({"aud": "another"}, 401, "invalid audience"),
        ({"scope": "baselines:write"}, 403, "search:read"),
        ({}, 200, "semanticSearch"),
    ],
)
def test_a_jwt_is_taken_or_refused_with_the_reason(
    desk: Desk, given: str | dict[str, Any], status: int, said: str
) -> None:
    answered = post(desk, given if isinstance(given, str) else f"Bearer {token(**given)}")
    assert answered.status_code == status
    assert said in answered.text
    assert ("www-authenticate" in answered.headers) == (status != 200)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], "lists of messages are not supported"),
        ([LIST], "lists of messages are not supported"),
        ({}, "must be one JSON-RPC 2.0 message"),
        ("x", "must be one JSON-RPC 2.0 message"),
        ({**LIST, "params": 3}, "must be one JSON-RPC 2.0 message"),
    ],
)
def test_what_is_no_message_is_answered_in_words(desk: Desk, body: Any, said: str) -> None:
    answered = post(desk, f"Bearer {token()}", body)
    told = answered.json()
    assert (answered.status_code, told["error"]["code"]) == (400, -32600)
    assert told["id"] == (body.get("id") if isinstance(body, dict) else None)
    assert said in told["error"]["message"] and "validation" not in told["error"]["message"].lower()


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_nobody_waits_for_a_stream_on_which_nothing_comes(desk: Desk, method: str) -> None:
    async def ask(given: str) -> httpx2.Response:
        app = streamable_app(desk)
        headers = {"accept": "text/event-stream", "authorization": given}
        async with app.running(), httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as client:
            return await client.request(method, "http://localhost/mcp", headers=headers)

    answered = anyio.run(ask, f"Bearer {token()}")
    assert (answered.status_code, answered.headers["allow"]) == (405, "POST")
    assert anyio.run(ask, "").status_code == 401


def test_arguments_and_headers_add_nothing_to_a_token(desk: Desk) -> None:
    asked = {"name": "semanticSearch", "arguments": {"query": "days", "tenant": "default"}}
    answered = post(desk, f"Bearer {token(tenant='rival')}", {**LIST, "method": "tools/call", "params": asked})
    assert "unknown argument 'tenant'" in answered.text
    asked["arguments"] = {"query": "days"}
    answered = post(desk, f"Bearer {token(tenant='rival')}", {**LIST, "method": "tools/call", "params": asked})
    assert "Twenty days" not in answered.text


def test_a_bearer_token_is_read_from_its_header_alone() -> None:
    given = (b"Bearer abc", b"bearer  abc", b"Basic abc", b"Bearer ", b"")
    assert [bearer({"headers": [(b"authorization", value)]}) for value in given] == [
        "abc", "abc", None, None, None,
    ]  # fmt: skip


def test_the_registry_is_told_the_version_and_the_name_that_the_readme_claims() -> None:
    told = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert told["version"] == pincite.__version__
    assert {package["version"] for package in told["packages"]} == {pincite.__version__}
    assert len(told["description"]) <= 100
    assert f"mcp-name: {told['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")
