"""The application: all routes, and everything that starts and stops with it.

app = create_app(desk)                 # FastAPI; `app.openapi()` is the document that docs/openapi.json publishes
served = HttpGuard(app, desk.settings)     # what a server runs: the guard comes before everything
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from anyio import to_thread
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pincite.errors import MissingExtra, PinciteError
from pincite.serve.auth.metadata import WELL_KNOWN, protected_resource
from pincite.serve.desk import Desk
from pincite.serve.http import documented, problems
from pincite.serve.http.calls import DOOR, AuditedCall, Calls
from pincite.serve.http.job_operations import GetJob, ListJobs, get_job, list_jobs
from pincite.serve.http.jobs import JobRunner
from pincite.serve.http.ledger import Ledger
from pincite.serve.http.pages import page_routes
from pincite.serve.http.probes import Readiness
from pincite.serve.http.proxies import base_url
from pincite.serve.http.routes import READS, Endpoint, arguments_of, endpoint_of
from pincite.serve.http.writing import Writing
from pincite.serve.metrics import Metrics
from pincite.serve.operations import ADMIN, Operation
from pincite.serve.requests import Request as Arguments
from pincite.serve.turns import WAITING
from pincite.telemetry import observed_by
from pincite.wire import Json

SHUTDOWN_SECONDS = 60.0
"""How long a running job may take to finish when the server stops."""


def create_app(
    desk: Desk, *, with_mcp: bool = True, shutdown_seconds: float = SHUTDOWN_SECONDS, ledger: Ledger | None = None
) -> FastAPI:
    """The HTTP door of a desk, with MCP at /mcp and the web page if they are installed.

    `app.state.missing` lists what is missing, for the person who started the server.
    """
    calls = Calls(desk)
    jobs = JobRunner(desk, ledger or Ledger(desk.library.catalog.server))
    metrics = Metrics(desk.library)
    desk.observers.append(metrics)
    mcp, missing = _mcp(desk) if with_mcp else (None, [])

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = WAITING  # MCP and streams wait on these
        async with AsyncExitStack() as stack:
            stack.enter_context(observed_by(metrics.observe))
            if mcp is not None:
                await stack.enter_async_context(mcp.running())
            jobs.start()
            try:
                yield
            finally:
                await to_thread.run_sync(jobs.stop, shutdown_seconds)

    app = FastAPI(
        lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False,
        telemetry={"tracing": False, "logs": False},  # its spans contain the URL with the query: see traced.py
        exception_handlers={
            PinciteError: calls.refuse, HTTPException: problems.of_framework, ClientDisconnect: problems.of_nobody,
            Exception: problems.of_a_crash,
        },
    )  # fmt: skip
    app.state.missing = missing
    _add_reading(app, calls)
    _add_writing(app, Writing(calls, jobs))
    _add_jobs(app, calls, jobs.ledger)
    _add_probes(app, calls, metrics)
    app.openapi = partial(documented.document, app)  # type: ignore[method-assign]
    _add_open(app, calls)
    pages = page_routes()
    app.router.routes.extend(pages)
    if not pages:
        missing.append("the web page is not installed, so / is empty")
    if mcp is not None:
        app.router.routes += [Route("/mcp", endpoint=mcp), Route(mcp.metadata_path, endpoint=mcp)]
    return app


def _mcp(desk: Desk) -> tuple[Any, list[str]]:
    """The MCP door, or why there is none."""
    from pincite.serve.mcp.streamable import streamable_app

    try:
        return streamable_app(desk), []
    except MissingExtra as error:
        return None, [error.message]


def _add(app: FastAPI, method: str, path: str, endpoint: Endpoint, name: str) -> None:
    app.add_api_route(
        path, endpoint, methods=[method], operation_id=name, name=name, response_model=None, response_class=Response,
        openapi_extra=documented.extra(name),
    )  # fmt: skip


def _add_reading(app: FastAPI, calls: Calls) -> None:
    for read in READS:
        _add(app, read.method, read.path, endpoint_of(read, calls), read.name)


def _add_writing(app: FastAPI, writing: Writing) -> None:
    async def create(request: Request) -> Response:
        return await writing.at_once(request, "createBaseline", created=201)

    async def publish(request: Request) -> Response:
        return await writing.at_once(request, "publishBaseline")

    async def rollback(request: Request) -> Response:
        return await writing.at_once(request, "rollbackBaseline")

    _add(app, "POST", "/v1/baselines", create, "createBaseline")
    _add(app, "POST", "/v1/baselines/publish", publish, "publishBaseline")
    _add(app, "POST", "/v1/baselines/rollback", rollback, "rollbackBaseline")
    _add(app, "POST", "/v1/reindex", writing.reindex, "reindex")
    _add(app, "POST", "/v1/ingest", writing.ingest, "ingest")


def _add_jobs(app: FastAPI, calls: Calls, ledger: Ledger) -> None:
    async def one(request: Request) -> Response:
        caller = await calls.caller(request)
        arguments = {"job_id": request.path_params["job_id"]}
        return await _asked(calls, request, get_job(ledger, caller), arguments)

    async def recent(request: Request) -> Response:
        caller = await calls.caller(request)
        return await _asked(calls, request, list_jobs(ledger, caller), await arguments_of(request, ListJobs))

    _add(app, "GET", "/v1/jobs", recent, "listJobs")
    _add(app, "GET", "/v1/jobs/{job_id}", one, "getJob")
    assert set(GetJob.model_fields) == {"job_id"}


async def _asked(calls: Calls, request: Request, operation: Operation, arguments: Json) -> Response:
    run = partial(calls.desk.run, operation, arguments, request.state.caller, door=DOOR)
    asked = AuditedCall(operation, arguments, request.state.caller)
    return calls.answer(request, await calls.on_thread(run, asked=asked))


class _Nothing(Arguments):
    """No arguments."""


METRICS = Operation("metrics", ADMIN, _Nothing, lambda _library, _asked: {})
"""Checked like any other request: scope and rate limit."""


def _add_probes(app: FastAPI, calls: Calls, metrics: Metrics) -> None:
    ready = Readiness(calls.desk)

    async def healthz(_request: Request) -> Response:
        return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})

    async def readyz(request: Request) -> Response:
        return calls.answer(request, await calls.on_thread(ready.check))

    async def scraped(request: Request) -> Response:
        caller = await calls.caller(request)
        admit = partial(calls.desk.admit, METRICS, {}, caller, door=DOOR)
        await calls.on_thread(admit, asked=AuditedCall(METRICS, {}, caller))
        seen = None if caller.is_local else calls.desk.library_for(caller)  # names of other repositories are not shown
        text, media_type = await calls.on_thread(metrics.exposition, seen)
        return Response(text, headers={"Cache-Control": "no-store", "Content-Type": media_type})

    _add(app, "GET", "/healthz", healthz, "healthz")
    _add(app, "GET", "/readyz", readyz, "readyz")
    _add(app, "GET", "/metrics", scraped, "metrics")


def _add_open(app: FastAPI, calls: Calls) -> None:
    """What a client may read before it authenticates: how to call, and how to get a token."""
    settings = calls.desk.settings

    async def openapi(_request: Request) -> Response:
        return JSONResponse(app.openapi())

    async def metadata(request: Request) -> Response:
        reached = base_url(request.scope, settings.trusted_proxies)
        return JSONResponse(protected_resource(settings, base_url=reached))

    app.router.routes += [Route("/openapi.json", openapi), Route(WELL_KNOWN, metadata)]
