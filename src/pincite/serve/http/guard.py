"""The guard in front of every route, the page and MCP: who may call from where, how, and how much they may send.

It checks in this order: the Host must be ours (against DNS rebinding), in production the connection must be encrypted,
the Origin of a web page must be allowed, and the body must not be too large. Responses get security headers for
browsers.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.errors import PermissionDenied
from pincite.serve.http import problems
from pincite.serve.http.problems import Misdirected, TooLarge
from pincite.serve.http.proxies import header, is_encrypted
from pincite.settings.serve import ServeSettings, check_host, check_origin

PROBES = ("/healthz", "/readyz")
"""Answered over plain HTTP too: the process that restarts a container asks from the same host."""
UPLOADS = "/v1/ingest"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HSTS = "max-age=31536000"
EXPOSED = "ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Idempotency-Replayed, Location"
ALLOWED = (
    "Authorization, Content-Type, Accept, If-None-Match, Idempotency-Key, Mcp-Session-Id, Mcp-Protocol-Version,"
    " Mcp-Method, Mcp-Name, Last-Event-ID"
)


@dataclass(frozen=True, slots=True)
class HttpGuard:
    """An ASGI application around another."""

    app: ASGIApp
    settings: ServeSettings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        origin = header(scope, b"origin")
        decorated = self._decorated(send, origin if self._allows(scope, origin) else "")
        refused = self._refusal(scope, origin)
        if refused is not None:
            await refused(scope, receive, decorated)
            return
        limit = self._limit(scope)
        stated = header(scope, b"content-length")
        if stated.isdigit() and int(stated) > limit:
            await problems.response(_too_large(limit), scope["path"])(scope, receive, decorated)
            return
        await _Body(self.app, limit)(scope, receive, decorated)

    def _refusal(self, scope: Scope, origin: str) -> Response | None:
        """The response in place of the application's; None if the request may pass."""
        host, path = header(scope, b"host"), scope["path"]
        if not check_host(self.settings, host):
            return problems.response(
                Misdirected(
                    f"this server does not have the host name {host!r:.200}; the settings serve.public_url and"
                    " serve.allowed_hosts list its names",
                    field="Host",
                ),
                path,
            )
        if self.settings.production and path not in PROBES and not self._is_encrypted(scope):
            return self._to_https(scope, host)
        if not self._allows(scope, origin):
            return problems.response(
                PermissionDenied(
                    f"web pages from {origin!r:.200} may not call this server; the setting serve.allowed_origins"
                    " lists those that may",
                    field="Origin",
                ),
                path,
            )
        if scope["method"] == "OPTIONS" and header(scope, b"access-control-request-method"):
            return Response(status_code=204)
        return None

    def _is_encrypted(self, scope: Scope) -> bool:
        return is_encrypted(scope, self.settings.trusted_proxies)

    def _allows(self, scope: Scope, origin: str) -> bool:
        """Whether the origin is listed or is this server's own page. The Host has already been checked."""
        scheme, host = "https" if self._is_encrypted(scope) else "http", header(scope, b"host")
        is_own = origin == f"{scheme}://{host}".lower() and check_host(self.settings, host)
        return check_origin(self.settings, origin) or is_own

    def _to_https(self, scope: Scope, host: str) -> Response:
        """Redirect a person's first visit. A program that uses plain HTTP is refused: it may have exposed its token."""
        if scope["method"] in ("GET", "HEAD") and not header(scope, b"authorization"):
            base = self.settings.public_url if self.settings.public_url.startswith("https://") else f"https://{host}"
            url = Request(scope).url
            target = base.rstrip("/") + url.path + (f"?{url.query}" if url.query else "")
            return RedirectResponse(target, 308)
        return problems.response(
            PermissionDenied("plain HTTP is refused in production; use https://, and replace a token sent this way"),
            scope["path"],
        )

    def _limit(self, scope: Scope) -> int:
        is_upload = scope["path"] == UPLOADS and header(scope, b"content-type").startswith("multipart/form-data")
        return self.settings.max_upload_bytes if is_upload else self.settings.max_request_bytes

    def _decorated(self, send: Send, origin: str) -> Send:
        """The same channel, adding the headers of every response. `origin`: a page that may read it."""

        async def decorated(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self.settings.production:
                    headers.setdefault("Strict-Transport-Security", HSTS)
                headers.add_vary_header("Origin")
                if origin:
                    headers["Access-Control-Allow-Origin"] = origin
                    headers["Access-Control-Expose-Headers"] = EXPOSED
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                    if message["status"] == 204:
                        headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE, OPTIONS"
                        headers["Access-Control-Allow-Headers"] = ALLOWED
                        headers["Access-Control-Max-Age"] = "600"
            await send(message)

        return decorated


@dataclass(frozen=True, slots=True)
class _Body:
    """Counts the bytes actually sent: Content-Length may be absent."""

    app: ASGIApp
    limit: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken, answered = 0, False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b"")) if message["type"] == "http.request" else 0
            if taken > self.limit:
                raise _too_large(self.limit)
            return message

        async def noticed(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self.app(scope, counted, noticed)
        except TooLarge as error:
            if answered:
                raise
            await problems.response(error, scope["path"])(scope, receive, send)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"the request is larger than {limit} bytes; the settings serve.max_request_bytes and"
        " serve.max_upload_bytes set the limits"
    )
