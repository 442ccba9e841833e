"""Streamable HTTP: a real server on loopback, the official client in both eras, and everyone who may not come in."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import pincite
from mcp_client import MODES, text_of, with_client
from pincite.serve.mcp.tools import TOOLS

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@dataclass
class Running:
    """A server process, and the keys of its library."""

    url: str
    library: Path
    process: subprocess.Popen[str]

    def key(self, **options: Any) -> str:
        with pincite.open(self.library) as library:
            from pincite.serve.auth.keys import KeyStore

            store = KeyStore(library.catalog.server.keys)
            chosen = {"tenant": "default", "organization": "default", **options}
            return store.create("test", **chosen)[1]

    def post(self, body: Any = LIST, **headers: str) -> httpx2.Response:
        with httpx2.Client() as client:
            return client.post(self.url, json=body, headers={**HEADERS, **headers})

    def call(self, tool: str, arguments: dict[str, Any], token: str = "", mode: str = "auto") -> Any:
        async def run() -> Any:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
            ):
                await client.list_tools()
                return await client.call_tool(tool, arguments)

        return anyio.run(run)


@contextmanager
def serving(
    folder: Path, *, settings: dict[str, Any] | None = None, options: tuple[str, ...] = ()
) -> Iterator[Running]:
    """`pincite mcp --http` on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "pincite.yaml"
    config.write_text(json.dumps({"library": str(folder / "library"), "dense": "off", "serve": settings or {}}))
    command = [sys.executable, "-m", "pincite", "--config", str(config), "mcp", "--http", "--port", str(port), *options]
    environ = {"PATH": os.environ["PATH"]}
    process = subprocess.Popen(command, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        _wait(port, process)
        yield Running(f"http://127.0.0.1:{port}/mcp", folder / "library", process)
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()


def _wait(port: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not start")


def fill(folder: Path) -> None:
    """Two repositories of one tenant, one of another, and a document for a role."""
    texts = {
        "open": "# Open\n\nLeave for all.\n",
        "board": "---\nroles: [board]\n---\n# Board\n\nLeave of the board.\n",
    }
    (folder / "source").mkdir()
    for name, text in texts.items():
        (folder / "source" / f"{name}.md").write_text(text)
    with pincite.open(folder / "library") as library:
        library.ingest(folder / "source")
        library.ingest(folder / "source", repository="second")
    with pincite.open(folder / "library", tenant="rival") as library:
        library.ingest(folder / "source", repository="secret")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Without keys: for this machine only."""
    folder = tmp_path_factory.mktemp("http")
    fill(folder)
    with serving(folder) as running:
        yield running


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A key is asked for."""
    folder = tmp_path_factory.mktemp("locked")
    fill(folder)
    settings = {"auth": {"mode": "required"}, "allowed_origins": ["https://app.example.org"]}
    with serving(folder, settings=settings) as running:
        yield running


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_answers_over_http(plain: Running, mode: str) -> None:
    async def work(client: Client) -> dict[str, Any]:
        found: dict[str, Any] = {"version": client.protocol_version}
        for name, arguments in (
            ("semanticSearch", {"query": "leave", "repository_id": "main"}),
            ("getContext", {"query": "leave"}),
            ("getElement", {"element": "open.md"}),
            ("verifyCitations", {"quotes": [{"quote": "Leave for all."}]}),
            ("compareBaselines", {"query": "leave", "from": "revision:0", "repository_id": "main"}),
            ("listRepositories", {}),
            ("indexHealth", {}),
            ("search", {"query": "leave"}),
        ):
            found[name] = await client.call_tool(name, arguments)
        found["fetch"] = await client.call_tool("fetch", {"id": found["search"].structured_content["results"][0]["id"]})
        return found

    found = with_client(plain.url, work, mode)
    assert found.pop("version") == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
    assert set(found) == set(TOOLS)
    for name, result in found.items():
        assert not result.is_error, f"{name}: {text_of(result)}"


@pytest.mark.parametrize("mode", MODES)
def test_progress_travels_over_http(plain: Running, mode: str) -> None:
    told: list[str | None] = []

    async def note(_progress: float, _total: float | None, message: str | None) -> None:
        told.append(message)

    asked = {"element": "open.md"}
    with_client(plain.url, lambda client: client.call_tool("getElement", asked, progress_callback=note), mode)
    assert told == ["reading", "done"]


def test_an_unknown_origin_is_refused_an_own_or_none_is_not(plain: Running, locked: Running) -> None:
    assert plain.post().status_code == 200
    assert plain.post(origin="https://evil.example.org").status_code == 403
    assert plain.post(origin="http://localhost:3000").status_code == 200
    token = f"Bearer {locked.key()}"
    assert locked.post(origin="https://app.example.org", authorization=token).status_code == 200
    assert locked.post(origin="https://other.example.org", authorization=token).status_code == 403


def test_another_host_is_not_this_server(plain: Running) -> None:
    assert plain.post(host="evil.example.org").status_code == 421


def test_who_asks_must_say_so(locked: Running) -> None:
    for headers, reason in (
        ({}, "authentication required"),
        ({"authorization": "Basic abc"}, "authentication required"),
        ({"authorization": "Bearer nonsense"}, "invalid token"),
        ({"authorization": "Bearer pincite_4f7k2m9qxa_invented"}, "invalid token"),
    ):
        refused = locked.post(**headers)
        assert refused.status_code == 401
        assert reason in refused.json()["detail"]
        asked = refused.headers["www-authenticate"]
        assert asked.startswith("Bearer ")
        assert "/.well-known/oauth-protected-resource/mcp" in asked
        assert ('error="invalid_token"' in asked) == (reason == "invalid token")
    assert locked.post(authorization=f"Bearer {locked.key()}").status_code == 200


def test_the_metadata_are_open_to_everyone(locked: Running) -> None:
    url = locked.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    found = httpx2.get(url)
    assert found.status_code == 200
    assert found.json()["resource"] == locked.url
    assert "search:read" in found.json()["scopes_supported"]


def test_a_token_without_the_scope_to_read_is_told_which_it_lacks(locked: Running) -> None:
    refused = locked.post(authorization=f"Bearer {locked.key(scopes=['baselines:write'])}")
    assert refused.status_code == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    assert 'scope="search:read"' in refused.headers["www-authenticate"]


@pytest.mark.parametrize("mode", MODES)
def test_what_a_caller_reads_comes_from_its_token_alone(locked: Running, mode: str) -> None:
    def ids(token: str, **arguments: Any) -> set[tuple[str, str]]:
        result = locked.call("semanticSearch", {"query": "leave", **arguments}, token, mode)
        assert not result.is_error, text_of(result)
        return {(hit["repository_id"], hit["element_id"]) for hit in result.structured_content["results"]}

    owner, one = locked.key(), locked.key(repositories=["main"], roles=["staff"])
    rival = locked.key(tenant="rival")
    everything = {(repository, name) for repository in ("main", "second") for name in ("open.md", "board.md")}
    assert ids(owner) == everything
    assert ids(one) == {("main", "open.md")}
    assert ids(rival) == {("secret", "open.md"), ("secret", "board.md")}
    for token, repository in ((one, "second"), (owner, "secret"), (rival, "main")):
        refused = locked.call("semanticSearch", {"query": "leave", "repository_id": repository}, token, mode)
        assert refused.is_error
        assert f"there is no repository {repository!r}" in text_of(refused)


def test_resources_and_completions_are_the_callers_own(locked: Running) -> None:
    from mcp import MCPError
    from mcp.types import ResourceTemplateReference

    from pincite.serve.mcp.resources import ELEMENT_TEMPLATE

    async def run(token: str) -> tuple[list[str], bool]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(locked.url, http_client=http)) as client,
        ):
            ref = ResourceTemplateReference(type="ref/resource", uri=ELEMENT_TEMPLATE)
            named = await client.complete(ref, {"name": "repository", "value": ""})
            try:
                await client.read_resource("pincite:rival/default/secret/open.md")
            except MCPError:
                return list(named.completion.values), False
            return list(named.completion.values), True

    assert anyio.run(run, locked.key()) == (["main", "second"], False)
    assert anyio.run(run, locked.key(repositories=["main"])) == (["main"], False)
    assert anyio.run(run, locked.key(tenant="rival")) == (["secret"], True)


def test_a_burst_is_stopped_and_told_when_to_come_again(tmp_path: Path) -> None:
    fill(tmp_path)
    settings = {"auth": {"mode": "required"}, "rate_limit": {"requests_per_minute": 6, "burst": 3}}
    with serving(tmp_path, settings=settings) as running:
        token = running.key()
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "listRepositories"}}
        codes = [running.post(asked, authorization=f"Bearer {token}").status_code for _ in range(3)]
        late = running.post(asked, authorization=f"Bearer {token}")
        other = running.post(asked, authorization=f"Bearer {running.key()}")
    assert codes == [200, 200, 200]
    assert late.status_code == 429
    assert 1 <= int(late.headers["retry-after"]) <= 10
    assert other.status_code == 200


def test_document_tools_over_http_are_for_callers_without_limits(tmp_path: Path) -> None:
    fill(tmp_path)
    agent = "tools:\n  - {name: rules, description: Rules., source: source, search_mode: keyword}\n"
    (tmp_path / "agent.yaml").write_text(agent)
    options = ("--config", str(tmp_path / "agent.yaml"))
    with serving(tmp_path, settings={"auth": {"mode": "required"}}, options=options) as running:
        found = running.call("rules", {"query": "leave"}, running.key())
        assert not found.is_error, text_of(found)
        assert found.structured_content["tool"] == "rules"
        for limits in ({"tenant": "rival"}, {"roles": ["staff"]}, {"repositories": ["main"]}):
            refused = running.call("rules", {"query": "leave"}, running.key(**limits))
            assert refused.is_error
            assert "unknown tool 'rules'" in text_of(refused)


def test_an_address_that_others_reach_needs_authentication(plain: Running, run: Any) -> None:
    done = run("--library", str(plain.library), "mcp", "--http", "--host", "0.0.0.0", "--port", "1")
    assert done.returncode == 2
    assert "no authentication is configured" in done.stderr


def test_a_large_request_is_refused(plain: Running) -> None:
    body = {**LIST, "params": {"_meta": {"filler": "x" * 5_000_000}}}
    assert plain.post(body).status_code == 413


def test_without_its_gate_nobody_is_let_in(plain: Running) -> None:
    """An application that mounts the server by itself must not make everyone the owner."""
    from pincite.serve.desk import Desk
    from pincite.serve.mcp.server import build_server

    async def run() -> str:
        with pincite.open(plain.library) as library:
            desk = Desk(library)
            server = build_server(lambda: desk)
            app = server.streamable_http_app(stateless_http=True)
            transport = httpx2.ASGITransport(app=app)
            async with (
                server.session_manager.run(),
                httpx2.AsyncClient(transport=transport) as http,
                Client(streamable_http_client("http://127.0.0.1:1/mcp", http_client=http)) as client,
            ):
                result = await client.call_tool("listRepositories", {})
                assert result.is_error
                return text_of(result)

    assert "authentication required" in anyio.run(run)
