"""Standard input and output: a server that a command starts, one JSON message a line."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from pincite.errors import Unavailable
from pincite.kinds.tools.live.connection import MAX_MESSAGE_BYTES, result_of

PATIENCE_SECONDS = 2.0
"""How long a server may take to leave before it is made to."""
SAID_CHARS = 400
"""Of what it wrote to standard error, shown when it does not answer."""


class StdioConnection:
    """The server's process, ended by `close` whatever happens."""

    def __init__(self, command: Sequence[str], timeout_seconds: float) -> None:
        self.where = command[0]
        self._timeout = timeout_seconds
        self._number = 0
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the connection
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
            )
        except OSError as error:
            self._errors.close()
            raise Unavailable(f"{command[0]} cannot be started: {error.strerror}", field="tools") from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="pincite-mcp", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(MAX_MESSAGE_BYTES):
            self._lines.put(line)
        self._lines.put(None)

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        until = time.monotonic() + self._timeout
        while True:
            message = self._next(method, until)
            if message.get("id") == self._number and "method" not in message:
                return result_of(self.where, method, message)
            if "method" in message and "id" in message:
                self._answer(message)

    def notify(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def agree(self, version: str) -> None:
        """Messages on a pipe carry no revision of their own."""

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError):  # it may be gone already
            self._process.stdin.close()
        for end in (None, self._process.terminate, self._process.kill):
            if end is not None:
                end()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE_SECONDS)
                break
        self._reader.join(PATIENCE_SECONDS)
        self._process.stdout.close()
        self._errors.close()

    def _answer(self, asked: dict[str, Any]) -> None:
        """A server may ask too; all that is offered is to be alive."""
        if asked["method"] == "ping":
            self._send({"jsonrpc": "2.0", "id": asked["id"], "result": {}})
        else:
            error = {"code": -32601, "message": f"{asked['method']} is not offered"}
            self._send({"jsonrpc": "2.0", "id": asked["id"], "error": error})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Unavailable(f"{self.where} stopped reading{self._said()}", field="tools") from error

    def _next(self, method: str, until: float) -> dict[str, Any]:
        """The next message; lines that are none belong to servers that chat on their output, and are passed over."""
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise Unavailable(
                    f"{self.where} did not answer {method} within {self._timeout:g} s{self._said()}", field="tools"
                ) from None
            if line is None:
                raise Unavailable(f"{self.where} ended before it answered {method}{self._said()}", field="tools")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                return message

    def _said(self) -> str:
        """The end of what the server wrote to standard error."""
        size = self._errors.seek(0, 2)
        self._errors.seek(max(0, size - SAID_CHARS))
        said = " ".join(self._errors.read().decode("utf-8", "replace").split())
        return f"; it said: {said}" if said else ""
