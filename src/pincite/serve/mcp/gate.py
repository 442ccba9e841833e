"""The gate in front of Streamable HTTP: token and scope. Admitted requests carry their caller in the ASGI scope.

The SDK's bearer check gives the same answer to every bad token. Ours distinguishes, as every door does: authentication
required, invalid token, invalid audience, and 403 with `insufficient_scope`. `http/guard.py`, which comes before this
gate, checks Host, Origin, encryption and size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from pincite.errors import InsufficientScope, PinciteError, RateLimited
from pincite.serve.auth.metadata import WELL_KNOWN, challenge, protected_resource
from pincite.serve.callers import Caller
from pincite.serve.http import problems
from pincite.serve.http.proxies import base_url, bearer
from pincite.serve.mcp.bodies import read_body, refusal_of
from pincite.serve.threads import IDENTIFYING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from pincite.serve.desk import Desk

CALLER = "pincite.caller"
"""Key of the caller in the ASGI scope. A client cannot write there; an application around this one may."""
NEEDED = "search:read"
"""All tools read; none can be used without this scope."""


class McpGate:
    """An ASGI application in front of another."""

    def __init__(self, app: ASGIApp, desk: Desk, path: str) -> None:
        self._app = app
        self._desk = desk
        self._path = path
        self._identifying: CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == WELL_KNOWN + self._path:
            body = protected_resource(self._desk.settings, self._path, base_url=self._base(scope))
            await JSONResponse(body)(scope, receive, send)
        else:
            await self._enter(scope, receive, send)

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            caller = await self._caller(scope)
            if not caller.may(NEEDED):
                raise InsufficientScope("this server", NEEDED)
            self._require_allowance(caller)
        except PinciteError as error:
            asked = challenge(self._desk.settings, error, self._path, base_url=self._base(scope))
            await problems.response(error, scope["path"], asked)(scope, receive, send)
            return
        if scope["method"] in ("GET", "DELETE") and scope["path"] == self._path:
            # There are no sessions: a stream of messages from the server would stay open and empty for ever.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if scope["method"] == "POST" and _is_json(scope):
            body, receive = await read_body(receive)
            refused = refusal_of(body)
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self._app({**scope, CALLER: caller}, receive, send)

    async def _caller(self, scope: Scope) -> Caller:
        known = scope.get(CALLER)
        if isinstance(known, Caller):
            return known
        if self._identifying is None:
            self._identifying = CapacityLimiter(IDENTIFYING)
        return await to_thread.run_sync(self._desk.authenticate, bearer(scope), limiter=self._identifying)

    def _require_allowance(self, caller: Caller) -> None:
        """A caller over its rate limit gets status 429 and Retry-After before a tool is run in vain."""
        left = self._desk.allowance(caller)
        if left is not None and left.remaining < 1:
            raise RateLimited(left.reset_seconds / left.limit)

    def _base(self, scope: Scope) -> str:
        """How this client reached us, used if the settings have no public URL."""
        return base_url(scope, self._desk.settings.trusted_proxies)


def _is_json(scope: Scope) -> bool:
    """Whether the body is declared as JSON; the SDK refuses other bodies."""
    return Headers(scope=scope).get("content-type", "").lower().startswith("application/json")
