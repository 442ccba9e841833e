"""Start the gRPC door of a desk.

running = start(desk, "127.0.0.1:50051")
…
running.stop()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.errors import InvalidArgument
from pincite.extras import require
from pincite.serve.certificates import check_certificate
from pincite.serve.desk import Desk
from pincite.settings.serve import check_bind

if TYPE_CHECKING:
    from pincite.serve.grpc.running import Running


def require_grpc() -> None:
    """`MissingExtra` unless the packages for gRPC are installed."""
    require("grpc", "pincite serve --grpc-port", "grpc", "grpc_health", "grpc_reflection", "grpc_status")


def start(
    desk: Desk,
    address: str,
    *,
    reflection: bool = False,
    shared: bool = False,
    certificate: str = "",
    key: str = "",
) -> Running:
    """Serve `host:port` in the background; port 0 picks a free one.

    `reflection` lets clients list the methods. `shared` lets other processes serve the same port, as workers of one
    server. `certificate` and `key` are PEM files; with them the port accepts only TLS.
    """
    require_grpc()
    check_bind(desk.settings, authenticated=desk.requires_token, host=address.rpartition(":")[0])
    check_certificate(certificate, key)
    if desk.settings.production and not (certificate or desk.settings.trusted_proxies):
        raise InvalidArgument(
            "in production plain connections are refused, so nobody could reach gRPC; pass a certificate, or add"
            " the proxy that handles TLS to serve.trusted_proxies",
            field="serve.production",
        )
    from pincite.serve.grpc.running import Running

    return Running(desk, address, reflection=reflection, shared=shared, certificate=certificate, key=key)
