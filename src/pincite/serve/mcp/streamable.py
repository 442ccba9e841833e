"""Streamable HTTP: the server as an ASGI application, mounted with other doors or served alone.

With other doors (`pincite serve`):

    mcp = streamable_app(desk)                                   # answers POST, GET and DELETE on exactly /mcp
    app = FastAPI(lifespan=...)                                  # whose lifespan does: async with mcp.running(): yield
    app.router.routes.append(Route("/mcp", endpoint=mcp))        # starlette.routing.Route; the path is not stripped
    app.router.routes.append(Route(mcp.metadata_path, endpoint=mcp))    # RFC 9728 for /mcp; open to everyone

`app.mount("/", mcp)` as the last route does the same. Without `running()` the first request fails. The gate in front
checks the token (`Desk.authenticate`); an application around it that already knows the caller can put it into the ASGI
scope under `gate.CALLER`, and the token is not checked again. `http/guard.py` checks Host, Origin, encryption and size;
it wraps all routes there, and this one when it is served alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pincite.serve.auth.metadata import WELL_KNOWN
from pincite.serve.logs import say
from pincite.serve.mcp.installed import require_mcp
from pincite.settings.serve import check_bind

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from pincite.serve.desk import Desk
    from pincite.serve.mcp.document_tools import ServedTools

PATH = "/mcp"


class StreamableApp:
    """An ASGI application. It answers requests while it is `running`."""

    def __init__(self, desk: Desk, document_tools: ServedTools | None = None, *, path: str = PATH) -> None:
        require_mcp()
        from mcp.server.transport_security import TransportSecuritySettings

        from pincite.serve.mcp.gate import McpGate
        from pincite.serve.mcp.server import build_server

        server = build_server(lambda: desk, document_tools)
        inner = server.streamable_http_app(
            streamable_http_path=path,
            stateless_http=True,  # so any worker can serve clients of the handshake era too
            max_request_body_size=desk.settings.max_request_bytes,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # see guard.py
        )
        self._server = server
        self._gate = McpGate(inner, desk, path)
        self.metadata_path = WELL_KNOWN + path
        """Where clients learn how to authenticate (RFC 9728)."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answers requests inside the block; a mounted application's own lifespan is never run."""
        async with self._server.session_manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # served alone
            await self._lifespan(receive, send)
        else:
            await self._gate(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self.running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def streamable_app(desk: Desk, document_tools: ServedTools | None = None, *, path: str = PATH) -> StreamableApp:
    """The MCP server as an ASGI application; the module's docstring says how to mount it."""
    return StreamableApp(desk, document_tools, path=path)


def serve_http(desk: Desk, document_tools: ServedTools | None, host: str, port: int) -> None:
    """Serve MCP alone until interrupted. An address that others can reach needs authentication."""
    require_mcp()
    check_bind(desk.settings, authenticated=desk.requires_token, host=host)
    import uvicorn

    from pincite.serve.http.guard import HttpGuard
    from pincite.serve.http.traced import Traced

    app = Traced(HttpGuard(streamable_app(desk, document_tools), desk.settings))
    say(f"MCP at http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
    uvicorn.run(app, host=host, port=port, log_config=None, log_level="warning", server_header=False)
