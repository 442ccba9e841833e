"""Traces over HTTP: one span a request with the route's pattern, the caller's trace, and nothing that was asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pincite
from desk import SAMPLES

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
ASK = """
import json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient
import pincite
from pincite.serve.desk import Desk
from pincite.serve.http.app import create_app
from pincite.serve.http.guard import HttpGuard
from pincite.serve.http.traced import Traced

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
with pincite.open(sys.argv[1]) as library:
    desk = Desk(library)
    app = Traced(HttpGuard(create_app(desk), desk.settings))
    with TestClient(app, base_url="http://127.0.0.1:8080", raise_server_exceptions=False) as client:
        client.get("/v1/search?q=zebrafish+leave", headers={"traceparent": sys.argv[2]})
        client.post("/v1/search", json={"query": "zebrafish", "nope": 1})
        client.get("/zebrafish")
        desk.library.for_caller = None  # a fault of ours
        client.post("/v1/search", json={"query": "zebrafish"})
print("[" + ",".join(span.to_json() for span in exporter.get_finished_spans()) + "]")
"""


def test_a_request_is_one_trace_without_what_was_asked(tmp_path: Path) -> None:
    """In a process of its own: a provider can be set once, and FastAPI's spans are made only where one is set."""
    with pincite.open(tmp_path / "library") as library:
        library.ingest(SAMPLES)
    command = [sys.executable, "-c", ASK, str(tmp_path / "library"), PARENT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "zebrafish" not in done.stdout
    spans: list[dict[str, Any]] = json.loads(done.stdout)
    servers = [span for span in spans if span["kind"] == "SpanKind.SERVER"]
    assert [span["name"] for span in servers] == ["GET /v1/search", "POST /v1/search", "GET", "POST /v1/search"]
    assert [span["attributes"]["http.response.status_code"] for span in servers] == [200, 422, 404, 500]
    assert [span["status"]["status_code"] for span in servers] == ["UNSET", "UNSET", "UNSET", "ERROR"]
    first = [span for span in spans if span["context"]["trace_id"] == "0x4bf92f3577b34da6a3ce929d0e0e4736"]
    assert {"GET /v1/search", "semanticSearch", "retrieval main", "leg keyword", "cite"} <= {s["name"] for s in first}
    assert servers[0]["parent_id"] == "0x00f067aa0ba902b7"
    by_name = {span["name"]: span for span in first}
    assert by_name["semanticSearch"]["parent_id"] == by_name["GET /v1/search"]["context"]["span_id"]
    assert by_name["retrieval main"]["parent_id"] == by_name["semanticSearch"]["context"]["span_id"]
    assert by_name["semanticSearch"]["attributes"]["pincite.door"] == "http"
