"""Small MCP servers, written from the specification: over pipes when run, over HTTP in a thread.

python mcp_servers.py [--modern] [--chat] [--die] [--hang]
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOLS = [
    {
        "name": "get_weather",
        "title": "Weather forecast",
        "description": "Rain, snow and temperature of the coming days.",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "description": "Name of a town"}}},
        "annotations": {"readOnlyHint": True},
    },
    {"name": "sendInvoice", "description": "Send an invoice to a customer.", "inputSchema": {"type": "object"}},
    {"name": "book_train", "description": "Book a seat on a train.", "inputSchema": {"type": "object"}},
]
META = "io.modelcontextprotocol/"


@dataclass
class Server:
    """What a server answers, one tool a page. `modern`: the revision without a handshake."""

    modern: bool = False
    initialized: bool = False
    seen: list[str] = field(default_factory=list)

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        method, params = message["method"], message.get("params", {})
        self.seen.append(method)
        if method == "notifications/initialized":
            self.initialized = True
        if "id" not in message:
            return None
        result = self._result(method, params)
        key = "result" if "code" not in result else "error"
        return {"jsonrpc": "2.0", "id": message["id"], key: result}

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize" and not self.modern:
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "office", "version": "1"},
            }
        if self.modern and params.get("_meta", {}).get(f"{META}protocolVersion") != "2026-07-28":
            known = method in ("server/discover", "tools/list")
            return {"code": -32602 if known else -32601, "message": f"{method} refused"}
        if method == "server/discover" and self.modern:
            return {"resultType": "complete", "_meta": {f"{META}serverInfo": {"name": "office"}}}
        if method == "tools/list" and (self.modern or self.initialized):
            at = int(params.get("cursor", "0"))
            more = {"nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else {}
            return {"tools": TOOLS[at : at + 1], **more}
        return {"code": -32601, "message": f"{method} is not known"}


def over_pipes(options: list[str]) -> None:
    server = Server(modern="--modern" in options)
    if "--die" in options:
        sys.stderr.write("no licence found\n")
        sys.exit(3)
    for line in sys.stdin:
        if "--hang" in options:
            time.sleep(60)
        if "--chat" in options:
            print("starting …", flush=True)
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
            print(json.dumps({"jsonrpc": "2.0", "id": 900, "method": "ping"}), flush=True)
        answer = server.answer(json.loads(line)) if "method" in json.loads(line) else None
        if answer:
            print(json.dumps(answer), flush=True)


@contextmanager
def over_http(
    *, modern: bool = False, stream: bool = False, key: str = "", status: int = 200
) -> Iterator[tuple[str, Server]]:
    """The address of a server. `stream`: it answers by events; `key`: it wants this authorization."""
    server = Server(modern)
    sessions: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if status != 200 or (key and self.headers.get("Authorization") != key):
                return self._send(status if status != 200 else 401, b"no", "text/plain")
            if not modern and message["method"] != "initialize":
                if self.headers.get("Mcp-Session-Id") not in sessions:
                    return self._send(404, b"", "text/plain")
                assert self.headers["MCP-Protocol-Version"] == "2025-06-18"
            if modern and message["method"] != "initialize":
                assert self.headers["Mcp-Method"] == message["method"]
            assert "text/event-stream" in self.headers["Accept"]
            answer = server.answer(message)
            if answer is None:
                return self._send(202, b"", "text/plain")
            extra = {}
            if message["method"] == "initialize" and not modern:
                sessions.add("s-1")
                extra["Mcp-Session-Id"] = "s-1"
            body = json.dumps(answer)
            if stream:
                other = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
                events = f": hello\n\ndata: {other}\n\nevent: message\nid: 1\ndata: {body}\n\n"
                return self._send(200, events.encode(), "text/event-stream", extra)
            code = 404 if modern and "error" in answer else 200
            return self._send(code, body.encode(), "application/json", extra)

        def do_DELETE(self) -> None:
            sessions.discard(self.headers["Mcp-Session-Id"])
            server.seen.append("DELETE")
            self._send(200, b"", "text/plain")

        def _send(self, code: int, body: bytes, kind: str, extra: dict[str, str] | None = None) -> None:
            self.send_response(code)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(extra or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}/mcp", server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


if __name__ == "__main__":
    over_pipes(sys.argv[1:])
