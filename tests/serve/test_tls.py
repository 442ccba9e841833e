"""HTTPS and gRPC over TLS for real: a server in production with a certificate, and clients that check it."""

from __future__ import annotations

import ssl
from pathlib import Path

import grpc
import httpx2
import pytest

import pincite
from desk import SAMPLES
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.generated import semantic_query_pb2_grpc as generated
from self_signed import self_signed
from serve.grpc.test_grpc_process import free_port
from serve.http.real_server import RealServer


@pytest.mark.slow
def test_a_server_in_production_answers_over_tls_at_every_door(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    with pincite.open(tmp_path / "library", dense="off") as library:
        library.ingest(SAMPLES / "company")
        _, token = Desk(library).verifier.keys.create(
            "reader", tenant="default", organization="default", scopes=("search:read",)
        )
    port = free_port()
    options = ("--production", "--certificate", str(certificate), "--key", str(key), "--grpc-port", str(port))
    trusted = ssl.create_default_context(cafile=certificate)
    bearer = {"Authorization": f"Bearer {token}"}
    with RealServer(tmp_path / "library", options, trusted=trusted) as server:
        assert server.client.base_url.scheme == "https"
        found = server.client.get("/v1/search?q=annual+leave", headers=bearer)
        assert found.json()["results"][0]["element_id"] == "leave.md"
        assert found.headers["strict-transport-security"].startswith("max-age=")
        assert server.client.get("/v1/search?q=annual+leave").status_code == 401

        with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx2.get(f"{server.client.base_url}/healthz", timeout=30)
        with pytest.raises(httpx2.TransportError):
            httpx2.get(f"http://127.0.0.1:{server.client.base_url.port}/v1/search?q=leave", headers=bearer, timeout=30)

        credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
        with grpc.secure_channel(f"localhost:{port}", credentials) as channel:
            stub = generated.SemanticQueryServiceStub(channel)
            metadata = [("authorization", f"Bearer {token}")]
            answer = stub.Search(pb.SearchRequest(query="annual leave"), timeout=60, metadata=metadata)
            assert answer.results[0].element_id == "leave.md"
        with grpc.insecure_channel(f"127.0.0.1:{port}") as plain, pytest.raises(grpc.RpcError) as refused:
            generated.SemanticQueryServiceStub(plain).Search(pb.SearchRequest(query="leave"), timeout=10)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert server.stop() == 0
    assert not any("Traceback" in line for line in server.said)
