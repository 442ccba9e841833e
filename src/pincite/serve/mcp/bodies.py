"""The body of a POST to MCP, checked before the SDK reads it: one JSON-RPC message, or a helpful error.

For clients of the handshake era, the SDK would answer with its validator's errors about internal types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.responses import JSONResponse

from pincite.errors import InvalidArgument
from pincite.serve import strict_json

if TYPE_CHECKING:
    from starlette.types import Message, Receive

SHAPE = (
    'the body must be one JSON-RPC 2.0 message: an object with "jsonrpc": "2.0" and a "method", with its arguments in'
    ' the object "params"'
)


async def read_body(receive: Receive) -> tuple[bytes, Receive]:
    """The whole body, and a channel from which the next application can receive it again."""
    message, parts = await receive(), []
    while message["type"] == "http.request":
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            break
        message = await receive()
    body = b"".join(parts)
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    if message["type"] != "http.request":  # the client has gone
        waiting = [message]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return body, again


def refusal_of(body: bytes) -> JSONResponse | None:
    """The answer to a body that is not a message; None if the SDK can read it."""
    try:
        given = strict_json.loads(body)
    except InvalidArgument as error:
        return _refused(INVALID_REQUEST, error.message)
    except (ValueError, RecursionError) as error:
        return _refused(PARSE_ERROR, f"the body is not JSON: {str(error) or 'nested too deeply'}")
    if isinstance(given, list):
        return _refused(INVALID_REQUEST, f"{SHAPE}; lists of messages are not supported, send each one separately")
    try:
        jsonrpc_message_adapter.validate_python(given, by_name=False)
    except ValidationError:
        return _refused(INVALID_REQUEST, SHAPE, given.get("id") if isinstance(given, dict) else None)
    return None


def _refused(code: int, message: str, id: Any = None) -> JSONResponse:
    known = id if isinstance(id, str | int) and not isinstance(id, bool) else None
    return JSONResponse({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}, 400)
