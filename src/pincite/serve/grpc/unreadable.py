"""Unreadable requests: bytes that are not a message of the method's type.

By default grpc answers them with UNKNOWN and logs a traceback, for anyone who can reach the port. Here reading never
fails: an unreadable request is passed on as such and refused where any other request is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc
from google.protobuf.message import DecodeError

Refuse = Callable[[str, Any], Awaitable[None]]
"""Ends the call of a method, given by its full name, with a status."""

UNREADABLE = object()
"""Takes the place of a request."""


class UnreadableRequests(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """Wraps every method that takes a single request."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], details: Any) -> Any:
        handler = await continuation(details)
        if handler is None or handler.request_streaming:
            return handler
        read = _reading(handler.request_deserializer)
        if handler.response_streaming:
            stream = self._streaming(details.method, handler.unary_stream)
            return grpc.unary_stream_rpc_method_handler(stream, read, handler.response_serializer)
        answer = self._answering(details.method, handler.unary_unary)
        return grpc.unary_unary_rpc_method_handler(answer, read, handler.response_serializer)

    def _answering(self, method: str, then: Callable[..., Any]) -> Callable[..., Any]:
        async def answer(request: Any, context: Any) -> Any:
            if request is UNREADABLE:
                await self._refuse(method, context)
            return await then(request, context)

        return answer

    def _streaming(self, method: str, then: Callable[..., Any]) -> Callable[..., Any]:
        async def stream(request: Any, context: Any) -> None:
            if request is UNREADABLE:
                await self._refuse(method, context)
            begun = then(request, context)
            if not hasattr(begun, "__aiter__"):  # health's Watch writes its own answers
                await begun
                return
            async with aclosing(begun) as events:
                async for event in events:
                    await context.write(event)

        return stream


def _reading(deserializer: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return deserializer(data)
        except DecodeError:
            return UNREADABLE

    return read
