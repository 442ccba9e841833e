"""A local server that speaks the wire formats of model services, and misbehaves when told to."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pincite.models.http import Clock


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that the model would read."""
        return json.dumps(self.body["messages"], ensure_ascii=False)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    """Never answer."""
    reset: bool = False
    """Break the connection instead."""
    short: int = 0
    """Promise so many bytes more than are sent."""


def anthropic(text: str = "It stands in the second part.", stop_reason: str = "end_turn", **usage: int) -> Reply:
    counters = {
        "input_tokens": 60,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 20,
    }
    answer = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "writer-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": counters | usage,
    }
    return Reply(body=json.dumps(answer).encode())


def anthropic_error(status: int, kind: str, message: str, **headers: str) -> Reply:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return Reply(status, json.dumps(body).encode(), headers)


def openai(
    text: str | None = "It stands in the second part.",
    finish_reason: str = "stop",
    refusal: str | None = None,
    cached: int = 0,
) -> Reply:
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1790000000,
        "model": "writer-1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }
    return Reply(body=json.dumps(answer).encode())


class Service:
    """Answers with what is in `script`, then with what `otherwise` says; remembers what it was asked."""

    def __init__(self, otherwise: Callable[[Asked], Reply]) -> None:
        self.otherwise = otherwise
        self.script: list[Reply] = []
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.hold = threading.Event()
        """While it is not set, answers wait."""
        self.hold.set()
        self.closing = threading.Event()
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.closing.set()
        self.hold.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def at_once(self) -> int:
        return self._at_once

    def _take(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            scripted = self.script.pop(0) if self.script else None
        self.hold.wait(20)
        return scripted or self.otherwise(asked)

    def _leave(self) -> None:
        with self._lock:
            self._at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = service._take(Asked(self.path, dict(self.headers.items()), body))
                service._leave()
                if reply.hang:
                    service.closing.wait(20)
                    self.close_connection = True
                elif reply.reset:
                    self.close_connection = True
                    linger = struct.pack("ii", 1, 0)  # a close now is a reset
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.connection.close()
                else:
                    self._answer(reply)

            def _answer(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(reply.body) + reply.short))
                self.end_headers()
                self.wfile.write(reply.body)
                self.close_connection = bool(reply.short)

            def finish(self) -> None:
                with suppress(OSError, ValueError):
                    super().finish()

            def log_message(self, *_: object) -> None:
                """Silence."""

        return Handler


@contextmanager
def serving(otherwise: Callable[[Asked], Reply]) -> Iterator[Service]:
    service = Service(otherwise)
    try:
        yield service
    finally:
        service.close()


class FastClock(Clock):
    """Time that passes as fast as one waits; remembers the waits."""

    def __init__(self, now: float = 1_790_000_000.0) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._now = now
        self._lock = threading.Lock()

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.waits.append(seconds)
            self._now += seconds

    def jitter(self) -> float:
        return 0.0
