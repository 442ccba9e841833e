"""Problems: an error as RFC 9457 wants it, with our code, field and suggestions at the top level."""

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
"""The first class that an error is one of; anything else is 500."""

TITLES = {
    "invalid_argument": "The request cannot be used as it is",
    "unknown_argument": "An argument is unknown",
    "not_found": "There is nothing with this name",
    "unauthenticated": "Who asks is not known",
    "permission_denied": "This is not allowed",
    "conflict": "The state of the library forbids it",
    "unavailable": "It cannot be answered now",
    "deadline_exceeded": "It took too long",
    "cancelled": "Nobody waits for the answer",
    "internal": "Something went wrong here",
}
"""By code: a title belongs to a type of problem, not to its status (RFC 9457, 3.1.4)."""

log = logging.getLogger("pincite.http")


def status_of(error: PinciteError) -> int:
    stated = getattr(error, "http_status", None)
    return int(stated) if stated else next((status for kind, status in STATUS if isinstance(error, kind)), 500)


class BadRequest(InvalidArgument):
    """What cannot even be read: no JSON, no multipart form."""

    http_status = 400


class WrongMediaType(InvalidArgument):
    http_status = 415


class TooLarge(InvalidArgument):
    http_status = 413


class Misdirected(InvalidArgument):
    """A Host that is not ours."""

    http_status = 421


def problem(error: PinciteError, instance: str = "") -> Json:
    """The body of an error's response."""
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
    """What goes beside the body: when to come again, and (`challenge`) how to say who one is."""
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if challenge and isinstance(error, Unauthenticated | InsufficientScope):
        headers["WWW-Authenticate"] = challenge
    return headers


def response(error: PinciteError, instance: str = "", challenge: str = "") -> Response:
    return JSONResponse(problem(error, instance), status_of(error), headers_of(error, challenge), media_type=MEDIA_TYPE)


async def of_framework(request: Request, error: Exception) -> Response:
    """404 and 405 of the router, and forms that cannot be read, in our shape."""
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
    """The methods of all routes with this address: the router names only those of the first."""
    known: set[str] = set()
    for route in request.app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            known |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(known))


def _advice(error: HTTPException, request: Request) -> str:
    if error.status_code == 404:
        return "there is nothing at this address; /openapi.json lists what there is"
    if error.status_code == 405:
        return f"{request.method} is not understood here; try {allowed_here(request)}"
    return str(error.detail)


async def of_nobody(request: Request, _error: Exception) -> Response:
    """The client broke off while it was sending: nothing went wrong here, and nobody reads this."""
    return response(Gone(), request.url.path)


async def of_a_crash(request: Request, error: Exception) -> Response:
    """What nobody foresaw: the log has it, the caller learns only that it happened."""
    log.error("unforeseen error at %s %s", request.method, request.url.path, exc_info=error)
    return response(PinciteError("something went wrong here; the server's log says what"), request.url.path)
