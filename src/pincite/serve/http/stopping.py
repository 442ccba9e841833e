"""The HTTP server, which stops everything together: gRPC drains at the same time.

If they stopped one after the other, one door would accept new calls while the other drains, and stopping would take
twice as long. Shortly before time is up, requests that still wait for their turn are refused with a proper answer, not
with a broken connection.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn


class StoppingTogether(uvicorn.Server):
    """`also` runs on a thread during the server's own shutdown, which waits for it; `last` runs near the end."""

    def __init__(
        self,
        config: uvicorn.Config,
        last: Callable[[], None],
        last_after: float,
        also: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(config)
        self._last = last
        self._last_after = last_after
        self._also = also

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        refusing = asyncio.get_running_loop().call_later(self._last_after, self._last)
        beside = asyncio.create_task(asyncio.to_thread(self._also)) if self._also else None
        try:
            await super().shutdown(sockets)
        finally:
            refusing.cancel()
            if beside is not None:
                await beside
