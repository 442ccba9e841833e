"""Streamable HTTP: each message is a POST, answered by JSON or by a stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import httpx2

from pincite.errors import Unavailable
from pincite.kinds.tools.live.connection import MAX_MESSAGE_BYTES, MODERN, result_of

ACCEPT = "application/json, text/event-stream"
SESSION = "Mcp-Session-Id"
VERSION = "MCP-Protocol-Version"


class HttpConnection:
    """Keeps the session that a server of the older revisions gives out, and ends it by `close`."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout_seconds: float) -> None:
        self.where = url
        self._number = 0
        self._version = ""
        self._session = ""
        self._client = httpx2.Client(headers=dict(headers), timeout=timeout_seconds, follow_redirects=False)

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        try:
            with self._client.stream("POST", self.where, json=body, headers=self._headers(method)) as response:
                self._session = response.headers.get(SESSION, self._session)
                return result_of(self.where, method, self._message(method, response))
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self.where} cannot be reached: {_reason(error)}", field="tools") from error

    def notify(self, method: str) -> None:
        body = {"jsonrpc": "2.0", "method": method}
        try:
            self._client.post(self.where, json=body, headers=self._headers(method))
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self.where} cannot be reached: {_reason(error)}", field="tools") from error

    def agree(self, version: str) -> None:
        self._version = version

    def close(self) -> None:
        with suppress(httpx2.HTTPError):  # a session that is not ended here ends by itself
            if self._session and self._version != MODERN:
                self._client.delete(self.where, headers=self._headers(""))
        self._client.close()

    def _headers(self, method: str) -> dict[str, str]:
        headers = {"Accept": ACCEPT}
        if self._version:
            headers[VERSION] = self._version
        if self._version == MODERN:
            headers["Mcp-Method"] = method
        elif self._session:
            headers[SESSION] = self._session
        return headers

    def _message(self, method: str, response: httpx2.Response) -> dict[str, Any]:
        """The JSON-RPC response with our number, out of a body or a stream; other events are passed over."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "text/event-stream":
            for data in _events(response):
                message = _parsed(data)
                if message is not None and message.get("id") == self._number and "method" not in message:
                    return message
            raise Unavailable(f"{self.where} ended its stream before it answered {method}", field="tools")
        message = _parsed(_body(response))
        if message is not None and ("result" in message or "error" in message):
            return message  # also under 400 and 404: an error of the protocol says more than its status
        if not response.is_success:
            raise Unavailable(f"{self.where} answered {method} with HTTP {response.status_code}", field="tools")
        raise Unavailable(f"{self.where} does not speak MCP: it answered {method} with {kind or 'nothing'}")


def _events(response: httpx2.Response) -> Iterator[str]:
    """The data of each event of a stream."""
    data: list[str] = []
    size = 0
    for line in response.iter_lines():
        size += len(line)
        if size > MAX_MESSAGE_BYTES:
            raise Unavailable(f"{response.url} sends more than {MAX_MESSAGE_BYTES:,} bytes", field="tools")
        if not line and data:
            yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
    if data:
        yield "\n".join(data)


def _body(response: httpx2.Response) -> str:
    out = bytearray()
    for part in response.iter_bytes():
        out += part
        if len(out) > MAX_MESSAGE_BYTES:
            raise Unavailable(f"{response.url} sends more than {MAX_MESSAGE_BYTES:,} bytes", field="tools")
    return out.decode("utf-8", "replace")


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        message = json.loads(text)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
