"""`pincite serve`: HTTP, MCP and the page (and gRPC with a port) in one process, or in several that share a socket.

Problems that can be detected in advance are reported before anything is opened. Each worker opens the library itself:
readers follow the writer's commits through the files. On SIGTERM a worker accepts no new requests at any door, finishes
the running ones and its job, and closes the library; everything acknowledged is on disk.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pincite.errors import InvalidArgument, NotFound, PinciteError, Unavailable
from pincite.extras import require
from pincite.library import address_of, has_library, open_library
from pincite.serve.auth.verifier import Verifier
from pincite.serve.certificates import check_certificate
from pincite.serve.desk import Desk
from pincite.serve.grpc.server import require_grpc
from pincite.serve.logs import configure, say
from pincite.serve.metrics import SHARED
from pincite.serve.request_log import RequestLog
from pincite.settings import Config
from pincite.settings.serve import ServeSettings, check_bind, is_loopback

if TYPE_CHECKING:
    from pincite.serve.grpc.running import Running
    from pincite.serve.http.workers import WorkerDeath

MAX_HEAD_BYTES = 256 * 1024
"""Maximum size of a request's first line and headers: a URL may contain the longest question, percent-encoded."""
BACKLOG = 2048
DRAIN_SECONDS = 10
"""How long open connections and calls may take to finish when the server stops, at all doors together."""
LAST_SECONDS = 3
"""The part of it reserved for refusing requests that have not started, with a proper answer."""
WILDCARDS = ("0.0.0.0", "::", "")


@dataclass(frozen=True, slots=True)
class Serving:
    """How to serve; sent unchanged to all workers."""

    config: Config
    settings: ServeSettings
    roles: tuple[str, ...] | None = None
    workers: int = 1
    grpc_port: int | None = None
    grpc_reflection: bool = False
    certificate: str = ""
    key: str = ""
    shutdown_seconds: float = 60.0
    create: bool = False
    """Create an empty library if there is none."""


def serve(serving: Serving) -> None:
    """Serve until SIGTERM or SIGINT. Raises before anything is opened if serving is impossible or not allowed."""
    require("http", "pincite serve", "fastapi", "uvicorn", "prometheus_client")
    check(serving)
    configure(serving.settings.log)
    listening = _listen(serving.settings.host, serving.settings.port)
    address = _address(serving, listening.getsockname()[1])
    with ExitStack() as stack:
        stack.enter_context(listening)
        if not has_library(serving.config):
            open_library(serving.config).close()  # here, so that all workers find it
            say(f"created an empty library at {address_of(serving.config)}; fill it with uploads or `pincite ingest`")
        say(f"serving {address_of(serving.config)} at {address} (stop with Ctrl-C)")
        if serving.workers == 1:
            work(serving, [listening], 0)
        else:
            from pincite.serve.http.workers import supervise

            os.environ[SHARED] = stack.enter_context(TemporaryDirectory(prefix="pincite-metrics-"))
            supervise(serving, [listening])
    say("stopped; everything acknowledged is on disk")


def check(serving: Serving) -> None:
    """Check that the library and required packages are present, and that this address may be served safely."""
    settings = serving.settings
    check_bind(settings, authenticated=_is_authenticated(serving))
    check_certificate(serving.certificate, serving.key)
    if settings.production and not (serving.certificate or settings.trusted_proxies):
        raise InvalidArgument(
            "in production plain HTTP is refused, so nobody could reach this server; pass a certificate"
            " (--certificate and --key), or add the proxy that handles HTTPS to serve.trusted_proxies",
            field="serve.production",
        )
    if serving.grpc_port is not None:
        require_grpc()
    if not serving.create and not has_library(serving.config):
        raise NotFound(
            f"there is no library at {address_of(serving.config)!r}; make one with: pincite ingest FOLDER, or start"
            " with an empty one and upload files: pincite serve --create",
            field="library",
        )


def _is_authenticated(serving: Serving) -> bool:
    """Whether callers need a token. A library that is not there yet has no keys."""
    auth = serving.settings.auth
    if auth.mode != "auto" or auth.jwt.issuer or not has_library(serving.config):
        return auth.mode == "required" or (auth.mode == "auto" and bool(auth.jwt.issuer))
    with open_library(serving.config, create=False) as library:
        return Verifier(auth, library).required


def work(
    serving: Serving, sockets: Sequence[socket.socket], number: int, owner: str = "", before: WorkerDeath | None = None
) -> None:
    """One worker, from opening the library to closing it. `owner` is its name in the ledger; `before`: whose place it
    takes."""
    import uvicorn

    from pincite.serve.http.app import create_app
    from pincite.serve.http.guard import HttpGuard
    from pincite.serve.http.ledger import Ledger
    from pincite.serve.http.stopping import StoppingTogether
    from pincite.serve.http.traced import Traced

    configure(serving.settings.log)
    with ExitStack() as stack:
        library = stack.enter_context(open_library(serving.config, create=False, roles=serving.roles))
        desk = Desk(library, serving.settings, observers=[RequestLog(serving.config)])
        stack.callback(desk.close)
        ledger = Ledger(library.catalog.server, owner=owner)
        if before is not None:
            ledger.record_death(before.owner, before.cause)
        app = create_app(desk, shutdown_seconds=serving.shutdown_seconds, ledger=ledger)
        calls = _start_grpc(desk, serving) if serving.grpc_port is not None else None
        if calls is not None:
            stack.callback(calls.stop)
        if number == 0:
            for what in app.state.missing:
                say(what)
            if calls is not None:
                say(f"gRPC at {_grpc_address(serving)}")
            with suppress(PinciteError):  # without a model, answers skip meaning and say so
                library.embed_in_background()
        library.warm_up()
        config = uvicorn.Config(
            Traced(HttpGuard(app, serving.settings)),
            log_config=None,  # its warnings go to our log
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the guard trusts only the proxies in the settings
            backlog=BACKLOG,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            ssl_certfile=serving.certificate or None,
            ssl_keyfile=serving.key or None,
        )
        also = partial(calls.stop, DRAIN_SECONDS) if calls is not None else None
        _run(StoppingTogether(config, desk.stop_taking, DRAIN_SECONDS - LAST_SECONDS, also), sockets)


def _run(server: Any, sockets: Sequence[socket.socket]) -> None:
    """Run the server. It raises the signal that stopped it again at the end; that is ignored."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda *_: None)
    try:
        server.run(sockets=list(sockets))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not server.started:
        raise Unavailable("the server could not start; see the messages above")


def _start_grpc(desk: Desk, serving: Serving) -> Running:
    """The gRPC door on its own port."""
    from pincite.serve.grpc.server import start

    return start(
        desk, _grpc_address(serving), reflection=serving.grpc_reflection, shared=serving.workers > 1,
        certificate=serving.certificate, key=serving.key,
    )  # fmt: skip


def _grpc_address(serving: Serving) -> str:
    return f"{_name(serving.settings.host)}:{serving.grpc_port}"


def _listen(host: str, port: int) -> socket.socket:
    """A socket shared by all workers."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is named; otherwise every answer waits 40 ms for an ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)  # clients that connect while the library opens wait for it
    except OSError as error:
        listening.close()
        raise Unavailable(
            f"{host}:{port} cannot be served: {error.strerror or error}; choose another with --port or --host"
        ) from error
    listening.set_inheritable(True)
    return listening


def _address(serving: Serving, port: int) -> str:
    return f"{'https' if serving.certificate else 'http'}://{_name(serving.settings.host)}:{port}/"


def _name(host: str) -> str:
    """A host as written in a URL."""
    return f"[{host}]" if ":" in host else host


def reachable(settings: ServeSettings) -> ServeSettings:
    """The settings with the served address as a name of the server, unless it is a wildcard."""
    if settings.host in WILDCARDS or is_loopback(settings.host):
        return settings
    return settings.model_copy(update={"allowed_hosts": (*settings.allowed_hosts, settings.host)})
