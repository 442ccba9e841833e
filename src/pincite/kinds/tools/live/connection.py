"""What both transports give: requests answered, notifications sent, errors of the other side told apart from ours."""

from __future__ import annotations

from typing import Any, Protocol

from pincite.errors import Unavailable

MODERN = "2026-07-28"
"""The revision without a handshake: every request says who asks."""
LEGACY = "2025-11-25"
"""The newest revision with one; a server answers with the one it speaks."""
MAX_MESSAGE_BYTES = 50_000_000


class Connection(Protocol):
    """A way to an MCP server."""

    where: str
    """For messages."""

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result; `ServerSaid` for an error of the server's, `Unavailable` when it gives none in time."""

    def notify(self, method: str) -> None: ...

    def agree(self, version: str) -> None:
        """From now on messages are of this revision."""

    def close(self) -> None: ...


class ServerSaid(Unavailable):
    """An error that the server itself gave."""

    def __init__(self, where: str, method: str, error: object) -> None:
        body = error if isinstance(error, dict) else {}
        self.number = body.get("code") if isinstance(body.get("code"), int) else 0
        super().__init__(f"{where} answered {method} with an error: {body.get('message') or error}", field="tools")


def result_of(where: str, method: str, message: dict[str, Any]) -> dict[str, Any]:
    """What a JSON-RPC response holds."""
    if "error" in message:
        raise ServerSaid(where, method, message["error"])
    result = message.get("result")
    if not isinstance(result, dict):
        raise Unavailable(f"{where} answered {method} with no result", field="tools")
    return result
