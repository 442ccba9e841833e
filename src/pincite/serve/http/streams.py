"""Streams: hits as they are found. The same events as server-sent events for browsers or JSON lines for programs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pincite.errors import PinciteError
from pincite.serve.http.calls import DOOR, AuditedCall, Calls
from pincite.serve.http.problems import log
from pincite.wire import Json

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
OPERATION = "semanticSearch"


async def stream(calls: Calls, request: Request, arguments: Json) -> Response:
    """Answer a search event by event. A refusal gets its own status, before the first event."""
    caller = await calls.caller(request, is_read=True)
    asked = AuditedCall(OPERATION, arguments, caller)
    await calls.on_thread(partial(calls.desk.admit, OPERATION, arguments, caller, door=DOOR), asked=asked)
    events = calls.desk.stream(arguments, caller, door=DOOR, deadline_seconds=calls.seconds, admitted=True)
    as_sse = SSE in request.headers.get("accept", "")
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **calls.rate(request)}
    written = _written(_one_by_one(calls, request, events, asked), as_sse=as_sse)
    return StreamingResponse(written, headers=headers, media_type=SSE if as_sse else NDJSON)


async def _one_by_one(
    calls: Calls, request: Request, events: Iterator[Json], asked: AuditedCall
) -> AsyncIterator[Json]:
    """The events. The status has already been sent, so even an unexpected error must become an event."""
    unbegun: AuditedCall | None = asked  # once started, the desk logs it
    try:
        while event := await calls.on_thread(next, events, None, asked=unbegun, client=request):
            unbegun = None
            yield event
    except PinciteError as error:
        yield {"event": "error", **error.to_wire()}
    except Exception as error:  # noqa: BLE001 - logged and sent as an event
        log.error("unexpected error in a stream", exc_info=error)
        yield {"event": "error", **PinciteError("internal error; the server's log has the details").to_wire()}


async def _written(events: AsyncIterator[Json], *, as_sse: bool) -> AsyncIterator[bytes]:
    async for event in events:
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        text = f"event: {event['event']}\ndata: {body}\n\n" if as_sse else f"{body}\n"
        yield text.encode("utf-8", "backslashreplace")
