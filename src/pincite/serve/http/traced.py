"""Traced: a span around each request, and the trace id shared by its log lines.

The instrumentation of FastAPI and OpenTelemetry writes the whole URL into a span, and with it the query. Here the span
has only the route's pattern. A caller's `traceparent` is continued.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite import telemetry

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Traced:
    """An ASGI application around another."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        about: telemetry.Attributes = {telemetry.METHOD: method, telemetry.SCHEME: scope.get("scheme", "http")}
        headers = Headers(scope=scope)
        with (
            telemetry.span(method, about, kind="server", headers=headers) as span,
            telemetry.request(headers),
        ):

            async def told(message: Message) -> None:
                if message["type"] == "http.response.start" and span.is_recorded:
                    _describe(span, scope, method, message["status"])
                await send(message)

            await self.app(scope, receive, told)


def _describe(span: telemetry.OpenSpan, scope: Scope, method: str, status: int) -> None:
    span.set({telemetry.STATUS_CODE: status})
    if route := getattr(scope.get("route"), "path", ""):
        span.rename(f"{method} {route}")
        span.set({telemetry.ROUTE: route})
    if status >= 500:
        span.fail(str(status))
