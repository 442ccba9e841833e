"""The HTTP server, which takes everything along when it stops: gRPC drains beside it, in the same time.

One after the other, a door would take new calls while the other drains, and stopping would take twice as long. Shortly
before the time is over, those who still wait for their turn are refused in words, not by a broken connection.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn


class StoppingTogether(uvicorn.Server):
    """`also` is run on a thread beside the server's own shutdown, which ends when both have; `last` near its end."""

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
