"""Streams: hits as they are found. Server-sent events for browsers, JSON lines for programs; the same events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial

from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pincite.errors import PinciteError
from pincite.serve.http.calls import DOOR, Calls
from pincite.serve.http.problems import log
from pincite.serve.wire import Json

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
OPERATION = "semanticSearch"


async def stream(calls: Calls, request: Request, arguments: Json) -> Response:
    """Answer a search event by event. What is refused is refused with its status, before the first of them."""
    caller = await calls.caller(request)
    await calls.on_thread(partial(calls.desk.admit, OPERATION, arguments, caller, door=DOOR))
    events = calls.desk.stream(arguments, caller, door=DOOR, deadline_seconds=calls.seconds, admitted=True)
    as_sse = SSE in request.headers.get("accept", "")
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **calls.rate(request)}
    written = _written(_never_silent(events), as_sse=as_sse)
    return StreamingResponse(written, headers=headers, media_type=SSE if as_sse else NDJSON)


def _never_silent(events: Iterator[Json]) -> Iterator[Json]:
    """The status is sent already: also what nobody foresaw must end in an event."""
    try:
        yield from events
    except Exception as error:  # noqa: BLE001 - told as an event; the log has it
        log.error("unforeseen error in a stream", exc_info=error)
        yield {"event": "error", **PinciteError("something went wrong here; the server's log says what").to_wire()}


async def _written(events: Iterator[Json], *, as_sse: bool) -> AsyncIterator[bytes]:
    async for event in iterate_in_threadpool(events):
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        text = f"event: {event['event']}\ndata: {body}\n\n" if as_sse else f"{body}\n"
        yield text.encode("utf-8", "backslashreplace")
