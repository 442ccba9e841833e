"""A client that goes away, and one whose time is over before a thread is free: not begun, and written down."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import pincite
from desk import SAMPLES
from pincite.serve.callers import Caller
from pincite.serve.desk import Desk
from pincite.serve.http import calls
from pincite.serve.http.app import create_app
from pincite.serve.http.guard import HttpGuard
from pincite.settings import load_config


class Busy(Desk):
    """A desk whose first question keeps its turn until it is released; it counts what is begun."""

    def __init__(self, library: pincite.Library) -> None:
        super().__init__(library)
        self.begun: list[str] = []
        self.release = threading.Event()

    def library_for(self, caller: Caller, **options: Any) -> pincite.Library:
        self.begun.append(caller.subject)
        if len(self.begun) == 1:
            assert self.release.wait(60)
        return super().library_for(caller, **options)

    def waiting(self) -> int:
        return self._turns._threads._work_queue.qsize()


def eventually(check: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


@contextmanager
def serving(tmp_path: Path, **settings: Any) -> Iterator[tuple[Busy, int]]:
    """A real server on a free port, with a desk that is busy."""
    serve = {"audit": {"file": str(tmp_path / "audit.jsonl")}, **settings}
    config = load_config({"library": str(tmp_path / "library"), "dense": "off", "serve": serve})
    with pincite.open(config) as library:
        library.ingest(SAMPLES)
        desk = Busy(library)
        options: dict[str, Any] = {"log_config": None, "lifespan": "on", "timeout_graceful_shutdown": 10}
        server = uvicorn.Server(uvicorn.Config(HttpGuard(create_app(desk), desk.settings), port=0, **options))
        running = threading.Thread(target=server.run)
        running.start()
        eventually(lambda: server.started)
        try:
            yield desk, server.servers[0].sockets[0].getsockname()[1]
        finally:
            desk.release.set()
            server.should_exit = True
            running.join(30)
            desk.close()


def ask(port: int, request: str, body: str = "") -> socket.socket:
    """Send a request and leave its answer unread."""
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    headers = f"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    headers += "Accept: application/json, text/event-stream\r\n"
    client.sendall(f"{request} HTTP/1.1\r\n{headers}\r\n{body}".encode())
    return client


def outcomes(tmp_path: Path) -> list[tuple[str, str, str]]:
    path = tmp_path / "audit.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(line["door"], line["operation"], line["outcome"]) for line in map(json.loads, lines)]


SEARCH = json.dumps({"query": "leave"})
CALL = {"name": "semanticSearch", "arguments": {"query": "leave"}}
MCP = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL})
WAYS = {
    "link": ("GET /v1/search?q=leave", "", "http"),
    "body": ("POST /v1/search", SEARCH, "http"),
    "stream": ("POST /v1/search/stream", SEARCH, "http"),
    "mcp": ("POST /mcp", MCP, "mcp"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_client_asked_that_went_away_before_its_turn_is_not_begun(tmp_path: Path, way: str) -> None:
    request, body, door = WAYS[way]
    with serving(tmp_path) as (desk, port):
        first = ask(port, "GET /v1/search?q=leave")
        eventually(lambda: desk.begun)
        second = ask(port, request, body)
        eventually(desk.waiting)
        second.close()
        eventually(lambda: outcomes(tmp_path) == [(door, "semanticSearch", "cancelled")])
        third = ask(port, "GET /v1/search?q=leave")
        desk.release.set()
        for client in (first, third):
            assert client.recv(100).startswith(b"HTTP/1.1 200")
            client.close()
        eventually(lambda: len(outcomes(tmp_path)) == 3)
    assert len(desk.begun) == 2
    assert [outcome for _, _, outcome in outcomes(tmp_path)] == ["cancelled", "ok", "ok"]


def test_many_that_come_and_go_leave_no_thread_behind(tmp_path: Path) -> None:
    with serving(tmp_path) as (desk, port):
        first = ask(port, "GET /v1/search?q=leave")
        eventually(lambda: desk.begun)
        before = threading.active_count()
        for number in range(50):
            client = ask(port, "GET /v1/search?q=leave")
            eventually(lambda: desk.waiting() > number)  # noqa: B023 - asked at once
            client.close()
        eventually(lambda: len(outcomes(tmp_path)) == 50)
        assert threading.active_count() < before + 20
        first.close()
    assert len(desk.begun) == 1


def test_what_no_thread_could_take_up_in_time_is_in_the_audit_log(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(calls, "WAITING", 1)
    with serving(tmp_path) as (desk, port), ask(port, "GET /v1/search?q=first") as first:
        eventually(lambda: desk.begun)  # the only thread is taken, and stays so
        desk.settings = desk.settings.model_copy(update={"request_seconds": 0.3})
        with ask(port, "POST /v1/search", SEARCH) as second, ask(port, "POST /v1/reindex", "{}") as third:
            assert [client.recv(12) for client in (second, third)] == [b"HTTP/1.1 504"] * 2
        eventually(lambda: len(outcomes(tmp_path)) == 2)
        desk.release.set()
        assert first.recv(12) == b"HTTP/1.1 200"
    late = [("http", name, "deadline_exceeded") for name in ("reindex", "semanticSearch")]
    assert sorted(outcomes(tmp_path)) == [*late, ("http", "semanticSearch", "ok")]


@pytest.mark.parametrize("path", ["/v1/search", "/v1/baselines", "/v1/ingest"])
def test_a_client_that_breaks_off_its_body_is_no_error_of_the_server(tmp_path: Path, caplog, path: str) -> None:
    with serving(tmp_path) as (_desk, port):
        headers = "Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(f'POST {path} HTTP/1.1\r\n{headers}\r\n{{"query"'.encode())
            time.sleep(0.2)
        with ask(port, "GET /healthz") as other:
            assert other.recv(12) == b"HTTP/1.1 200"
        time.sleep(0.2)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
