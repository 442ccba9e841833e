"""A server in this process: the real application behind its guard, asked over ASGI."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import pincite
from desk import SAMPLES
from pincite.serve.desk import Desk
from pincite.serve.http.app import create_app
from pincite.serve.http.guard import HttpGuard
from pincite.serve.limits import Limiter
from pincite.settings import load_config

HERE = "http://127.0.0.1:8080"


@dataclass
class Served:
    """A client, and what stands behind it."""

    client: TestClient
    desk: Desk
    app: Any

    def key(self, name: str = "k", **rights: Any) -> dict[str, str]:
        """The headers of a caller with a new key."""
        chosen = {"tenant": "default", "organization": "default", "scopes": ("search:read",), **rights}
        _, token = self.desk.verifier.keys.create(name, **chosen)
        return {"Authorization": f"Bearer {token}"}


Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve the samples, or an empty library, with these settings of `serve:`."""
    with ExitStack() as stack:

        def start(
            *, samples: bool = True, limiter: Limiter | None = None, base_url: str = HERE, peer: str = "127.0.0.1",
            **settings: Any,
        ) -> Served:  # fmt: skip
            folder = tmp_path / "library"
            config = load_config({"library": str(folder), "dense": "off", "serve": settings})
            library = stack.enter_context(pincite.open(config))
            if samples:
                library.ingest(SAMPLES)
            desk = Desk(library, limiter=limiter)
            app = create_app(desk)
            client = TestClient(
                HttpGuard(app, desk.settings), base_url=base_url, raise_server_exceptions=False, client=(peer, 50000),
                follow_redirects=False,
            )  # fmt: skip
            return Served(stack.enter_context(client), desk, app)

        yield start


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The samples, served once; for tests that only read."""
    with pincite.open(tmp_path_factory.mktemp("reading") / "library") as library:
        library.ingest(SAMPLES)
        desk = Desk(library)
        app = create_app(desk)
        with TestClient(HttpGuard(app, desk.settings), base_url=HERE, raise_server_exceptions=False) as client:
            yield Served(client, desk, app)
