"""`pincite serve --grpc-port`: the command itself, with a client from outside, until it is told to stop."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import pincite
from desk import SAMPLES
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.generated import semantic_query_pb2_grpc as generated


@contextmanager
def process(library: Path, port: int, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "pincite", "--library", str(library), "serve", "--port", "0",
               "--grpc-port", str(port), *options]  # fmt: skip
    environ = {**os.environ, "PINCITE_DENSE": "off"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                running.kill()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with pincite.open(tmp_path / "library") as made:
        made.ingest(SAMPLES / "company")
    return tmp_path / "library"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_the_command_serves_grpc_until_it_is_stopped(library: Path, workers: int) -> None:
    port = free_port()
    with process(library, port, "--workers", str(workers)) as running:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = generated.SemanticQueryServiceStub(channel)
            answer = stub.Search(pb.SearchRequest(query="annual leave"), timeout=60, wait_for_ready=True)
            assert answer.results[0].element_id == "leave.md"
            assert stub.GetIndexHealth(pb.GetIndexHealthRequest(), timeout=30).ok
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 0, said
        assert f"gRPC at 127.0.0.1:{port}" in said
        assert "Traceback" not in said


@pytest.mark.slow
def test_both_doors_drain_at_once(library: Path) -> None:
    """A slow client holds HTTP; gRPC does not wait for it, and takes no new calls meanwhile."""
    port = free_port()
    with process(library, port) as running, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = generated.SemanticQueryServiceStub(channel)
        assert stub.Search(pb.SearchRequest(query="leave"), timeout=60, wait_for_ready=True).results
        watched = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watched).status == health_pb2.HealthCheckResponse.SERVING
        body = b'{"query": "annual leave"}'
        head = b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", http_port(running)), timeout=60) as slow:
            slow.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            assert slow.recv(100).startswith(b"HTTP/1.1 100"), "the server waits for the body"
            running.send_signal(signal.SIGTERM)
            assert next(watched).status == health_pb2.HealthCheckResponse.NOT_SERVING
            with pytest.raises(grpc.RpcError) as refused:
                stub.Search(pb.SearchRequest(query="leave"), timeout=30)
            broken_off = (
                grpc.StatusCode.UNAVAILABLE,
                grpc.StatusCode.CANCELLED,
            )  # as the channel was closed or not yet
            assert refused.value.code() in broken_off  # type: ignore[attr-defined]
            slow.sendall(body)
            assert slow.recv(100).startswith(b"HTTP/1.1 200"), "HTTP was still finishing what was under way"
        _, said = running.communicate(timeout=60)
        assert running.returncode == 0, said


def http_port(running: subprocess.Popen[str]) -> int:
    assert running.stderr is not None
    said = re.search(r"http://127\.0\.0\.1:(\d+)/", running.stderr.readline())
    assert said
    return int(said[1])
