"""What several doors need: a model that takes its time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pincite.models.hashing import HashingEmbedder


@pytest.fixture
def loads_slowly(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A model that answers only once the event is set, as one that reads its files first."""
    there = threading.Event()

    def wait(then: Any) -> Any:
        def call(self: HashingEmbedder, *given: Any) -> Any:
            assert there.wait(60)
            return then(self, *given)

        return call

    monkeypatch.setattr(HashingEmbedder, "embed", wait(HashingEmbedder.embed))
    monkeypatch.setattr(HashingEmbedder, "embed_query", wait(HashingEmbedder.embed_query))
    yield there
    there.set()
