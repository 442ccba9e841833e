"""Problems: errors in the format of RFC 9457, with our code, field and suggestions at the top level."""

from __future__ import annotations

import logging
import math

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from pincite.errors import (
    Conflict,
    DeadlineExceeded,
    Erased,
    InsufficientScope,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    PinciteError,
    RateLimited,
    Unauthenticated,
    Unavailable,
)
from pincite.serve.waiting import Gone
from pincite.wire import Json

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:pincite:problem:"
STATUS: tuple[tuple[type[PinciteError], int], ...] = (
    (Erased, 410),
    (NotFound, 404),
    (InvalidArgument, 422),
    (Unauthenticated, 401),
    (PermissionDenied, 403),
    (Conflict, 409),
    (RateLimited, 429),
    (DeadlineExceeded, 504),
    (Unavailable, 503),
)
"""The first class that matches an error decides; anything else is 500."""

TITLES = {
    "invalid_argument": "The request is not valid",
    "unknown_argument": "An argument is unknown",
    "not_found": "Not found",
    "unauthenticated": "The caller is unknown",
    "permission_denied": "This is not allowed",
    "conflict": "The state of the library forbids it",
    "unavailable": "It cannot be answered now",
    "deadline_exceeded": "It took too long",
    "cancelled": "The caller stopped waiting",
    "internal": "Internal error",
}
"""By code: a title belongs to a problem type, not to its status (RFC 9457, 3.1.4)."""

log = logging.getLogger("pincite.http")


def status_of(error: PinciteError) -> int:
    stated = getattr(error, "http_status", None)
    return int(stated) if stated else next((status for kind, status in STATUS if isinstance(error, kind)), 500)


class BadRequest(InvalidArgument):
    """An unreadable request: neither JSON nor a multipart form."""

    http_status = 400


class WrongMediaType(InvalidArgument):
    http_status = 415


class TooLarge(InvalidArgument):
    http_status = 413


class Misdirected(InvalidArgument):
    """A Host that is not ours."""

    http_status = 421


def problem(error: PinciteError, instance: str = "") -> Json:
    """The body of an error response."""
    status = status_of(error)
    told = error.to_wire()["error"]
    assert isinstance(told, dict)
    return {
        "type": TYPE + error.code,
        "title": TITLES[error.code],
        "status": status,
        "detail": error.message,
        "instance": instance or None,
        "code": error.code,
        "field": told["field"],
        "suggestions": told["suggestions"],
    }


def headers_of(error: PinciteError, challenge: str = "") -> dict[str, str]:
    """The headers of an error response: when to retry, and (`challenge`) how to authenticate."""
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if challenge and isinstance(error, Unauthenticated | InsufficientScope):
        headers["WWW-Authenticate"] = challenge
    return headers


def response(error: PinciteError, instance: str = "", challenge: str = "") -> Response:
    return JSONResponse(problem(error, instance), status_of(error), headers_of(error, challenge), media_type=MEDIA_TYPE)


async def of_framework(request: Request, error: Exception) -> Response:
    """The router's 404 and 405, and unreadable forms, in our format."""
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == 404 else "invalid_argument"
    return JSONResponse(
        {
            "type": TYPE + code,
            "title": TITLES[code],
            "status": error.status_code,
            "detail": _advice(error, request),
            "instance": request.url.path,
            "code": code,
            "field": None,
            "suggestions": [],
        },
        error.status_code,
        {"Allow": allowed_here(request)} if error.status_code == 405 else error.headers,
        media_type=MEDIA_TYPE,
    )


def allowed_here(request: Request) -> str:
    """The methods of all routes with this path: the router lists only those of the first."""
    known: set[str] = set()
    for route in request.app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            known |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(known))


def _advice(error: HTTPException, request: Request) -> str:
    if error.status_code == 404:
        return "there is nothing at this address; see /openapi.json"
    if error.status_code == 405:
        return f"{request.method} is not allowed here; use {allowed_here(request)}"
    return str(error.detail)


async def of_nobody(request: Request, _error: Exception) -> Response:
    """The client disconnected while sending. This is not our error, and nobody reads the response."""
    return response(Gone(), request.url.path)


async def of_a_crash(request: Request, error: Exception) -> Response:
    """An unexpected error: it is logged, and the caller only learns that it happened."""
    log.error("unexpected error at %s %s", request.method, request.url.path, exc_info=error)
    return response(PinciteError("internal error; the server's log has the details"), request.url.path)
