"""Stopping: who still waits near the end is told so, and nobody waits for them any longer."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import uvicorn

from pincite.serve.http.stopping import StoppingTogether

GRACE = 3_600
"""Nobody waits that long: whoever is refused in words is gone at once."""
PATIENCE = 30


def test_what_waits_is_refused_in_words_before_connections_are_cut() -> None:
    refusing, asked, order = asyncio.Event(), threading.Event(), []

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        asked.set()
        await refusing.wait()
        await send({"type": "http.response.start", "status": 503, "headers": [(b"content-length", b"8")]})
        await send({"type": "http.response.body", "body": b"stopping"})

    def last() -> None:
        order.append("last")
        refusing.set()

    config = uvicorn.Config(app, port=0, lifespan="off", log_config=None, timeout_graceful_shutdown=GRACE)
    server = StoppingTogether(config, last, 0.3, also=lambda: order.append("also"))
    running = threading.Thread(target=server.run, daemon=True)
    running.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with ThreadPoolExecutor(1) as client:
        answer = client.submit(httpx2.get, f"http://127.0.0.1:{port}/", timeout=PATIENCE)
        assert asked.wait(10)
        server.should_exit = True
        assert (answer.result(PATIENCE).status_code, answer.result().text) == (503, "stopping")
    running.join(PATIENCE)
    assert not running.is_alive()
    assert order == ["also", "last"]
