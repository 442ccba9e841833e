"""Readiness while the model is being loaded: words answer, so the server is ready, and says what is still to come."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import pincite
from pincite.serve.desk import Desk
from pincite.serve.http.app import create_app
from pincite.serve.http.probes import LOADING, Readiness


def settings(folder: Path, dense: str = "auto") -> dict[str, Any]:
    return {"library": str(folder / "library"), "dense": dense, "embedding": {"model": "hashing:512"}}


def test_a_server_is_ready_while_its_model_is_loaded_and_says_so(
    tmp_path: Path, loads_slowly: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.serve.http.probes.REMEMBERED_SECONDS", 0.0)
    (tmp_path / "note.md").write_text("# Lantern\n\nIt shines.\n")
    with pincite.open(settings(tmp_path)) as library:
        library.ingest(tmp_path / "note.md", embedding=False)
        loading = library.warm_up()
        assert loading is not None
        with TestClient(create_app(Desk(library)), base_url="http://127.0.0.1") as client:
            early = client.get("/readyz")
            assert early.status_code == 200
            assert early.json()["status"] == "ready"
            assert (early.json()["legs"]["keyword"], early.json()["legs"]["dense"]) == ("ok", "unavailable")
            assert early.json()["notes"] == [LOADING]
            loads_slowly.set()
            loading.join()
            assert client.get("/readyz").json()["notes"] == []


def test_where_meaning_is_required_it_is_not_ready_and_does_not_wait(
    tmp_path: Path, loads_slowly: threading.Event
) -> None:
    (tmp_path / "note.md").write_text("# Lantern\n\nIt shines.\n")
    with pincite.open(settings(tmp_path, "required")) as library:
        library.ingest(tmp_path / "note.md", embedding=False)
        loading = library.warm_up()
        assert loading is not None
        with pytest.raises(pincite.errors.Unavailable, match="model is loading"):
            Readiness(Desk(library)).check()
        loads_slowly.set()
        loading.join()
        library.embed()
        assert Readiness(Desk(library)).check()["status"] == "ready"
