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
    """`MissingExtra` unless what gRPC needs is installed."""
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
    """Serve `host:port` beside whatever else this process does; port 0 is any free one.

    `reflection` lets clients ask which methods there are. `shared` lets other processes serve the same port: they are
    workers of one server. `certificate` and `key` name PEM files; with them the port speaks TLS and nothing else.
    """
    require_grpc()
    check_bind(desk.settings, authenticated=desk.requires_token, host=address.rpartition(":")[0])
    check_certificate(certificate, key)
    if desk.settings.production and not (certificate or desk.settings.trusted_proxies):
        raise InvalidArgument(
            "in production plain connections are refused, so nobody could reach gRPC: give it a certificate, or name"
            " the proxy that speaks TLS in serve.trusted_proxies",
            field="serve.production",
        )
    from pincite.serve.grpc.running import Running

    return Running(desk, address, reflection=reflection, shared=shared, certificate=certificate, key=key)
