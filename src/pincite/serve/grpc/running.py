"""A running gRPC server: an event loop on its own thread, with the service, health and reflection.

It stops in this order: health reports NOT_SERVING to its watchers, new calls are refused, running calls get time to
finish, and the threads end, so the library can be closed.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection as reflecting

from pincite.errors import Unavailable
from pincite.serve.desk import Desk
from pincite.serve.grpc.calls import SemanticQuery
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.generated import semantic_query_pb2_grpc as generated
from pincite.serve.grpc.unreadable import UnreadableRequests

SERVICE: str = pb.DESCRIPTOR.services_by_name["SemanticQueryService"].full_name
WATCHED = ("", SERVICE)
"""Names for health checks: the whole server, and the service."""
MAX_CALLS = 1_000
"""Parallel calls, including streams and watchers; more are refused with RESOURCE_EXHAUSTED."""
GRACE_SECONDS = 10.0
"""How long running calls may take to finish when the server stops."""
LAST_SECONDS = 60.0
"""How long their threads may take after that: the library must not be closed while one still uses it."""

log = logging.getLogger("pincite.grpc")
T = TypeVar("T")


class Running:
    """A server that answers until it is stopped."""

    def __init__(self, desk: Desk, address: str, *, reflection: bool, shared: bool, certificate: str, key: str) -> None:
        credentials = _credentials(certificate, key) if certificate else None
        self._calls = SemanticQuery(desk, encrypted=credentials is not None)
        self._health = health.aio.HealthServicer()
        self._options = [
            ("grpc.so_reuseport", int(shared)),
            ("grpc.max_receive_message_length", desk.settings.max_request_bytes),
        ]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pincite-grpc", daemon=True)
        self._thread.start()
        self._stopped = False
        try:
            self.port: int = self._do(self._open(address, credentials, reflection))
        except BaseException:
            self._end()
            raise

    def stop(self, grace_seconds: float = GRACE_SECONDS) -> None:
        """Finish running calls and refuse the rest. Calling it again does nothing.

        A call that is not done in time is aborted for its client. Its thread cannot be stopped, so it is waited for.
        """
        if self._stopped:
            return
        self._stopped = True
        self._do(self._drain(grace_seconds))
        if not self._calls.close(LAST_SECONDS):
            log.warning("a call is still running %g s after it was aborted", LAST_SECONDS)
        self._end()

    async def _open(self, address: str, credentials: Any, reflection: bool) -> int:
        readers = [UnreadableRequests(self._calls.refuse_unreadable)]
        self._server = grpc.aio.server(interceptors=readers, options=self._options, maximum_concurrent_rpcs=MAX_CALLS)
        generated.add_SemanticQueryServiceServicer_to_server(self._calls, self._server)  # type: ignore[no-untyped-call]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        for name in WATCHED:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        if reflection:
            names = (SERVICE, health.SERVICE_NAME, reflecting.SERVICE_NAME)
            reflecting.enable_server_reflection(names, self._server)
        port = self._bind(address, credentials)
        await self._server.start()
        return port

    def _bind(self, address: str, credentials: Any) -> int:
        try:
            if credentials is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, credentials)
        except RuntimeError:
            port = 0
        if not port:
            raise Unavailable(f"{address} cannot be served; the port may be in use; choose another port")
        return int(port)

    async def _drain(self, grace_seconds: float) -> None:
        await self._health.enter_graceful_shutdown()
        stopping = asyncio.ensure_future(self._server.stop(grace_seconds))
        idle = asyncio.ensure_future(self._calls.idle.wait())
        await asyncio.wait((stopping, idle), return_when=asyncio.FIRST_COMPLETED)
        idle.cancel()
        await self._server.stop(None)  # a mere watcher would delay it for the whole time
        await stopping

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _credentials(certificate: str, key: str) -> Any:
    return grpc.ssl_server_credentials([(Path(key).read_bytes(), Path(certificate).read_bytes())])
