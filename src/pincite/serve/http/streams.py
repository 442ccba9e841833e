"""Streams: hits as they are found. Server-sent events for browsers, JSON lines for programs; the same events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pincite.errors import PinciteError
from pincite.serve.http.calls import DOOR, Asked, Calls
from pincite.serve.http.problems import log
from pincite.wire import Json

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
OPERATION = "semanticSearch"


async def stream(calls: Calls, request: Request, arguments: Json) -> Response:
    """Answer a search event by event. What is refused is refused with its status, before the first of them."""
    caller = await calls.caller(request, is_read=True)
    asked = Asked(OPERATION, arguments, caller)
    await calls.on_thread(partial(calls.desk.admit, OPERATION, arguments, caller, door=DOOR), asked=asked)
    events = calls.desk.stream(arguments, caller, door=DOOR, deadline_seconds=calls.seconds, admitted=True)
    as_sse = SSE in request.headers.get("accept", "")
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **calls.rate(request)}
    written = _written(_one_by_one(calls, request, events, asked), as_sse=as_sse)
    return StreamingResponse(written, headers=headers, media_type=SSE if as_sse else NDJSON)


async def _one_by_one(calls: Calls, request: Request, events: Iterator[Json], asked: Asked) -> AsyncIterator[Json]:
    """The events. The status is sent already: also what nobody foresaw must end in one."""
    unbegun: Asked | None = asked  # once begun, the desk writes it down
    try:
        while event := await calls.on_thread(next, events, None, asked=unbegun, client=request):
            unbegun = None
            yield event
    except PinciteError as error:
        yield {"event": "error", **error.to_wire()}
    except Exception as error:  # noqa: BLE001 - told as an event; the log has it
        log.error("unforeseen error in a stream", exc_info=error)
        yield {"event": "error", **PinciteError("something went wrong here; the server's log says what").to_wire()}


async def _written(events: AsyncIterator[Json], *, as_sse: bool) -> AsyncIterator[bytes]:
    async for event in events:
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        text = f"event: {event['event']}\ndata: {body}\n\n" if as_sse else f"{body}\n"
        yield text.encode("utf-8", "backslashreplace")
