"""Calls: from a call to the desk and back. The token alone identifies the caller; work is done on threads.

The caller's deadline, or the one in the settings, is the engine's time budget. A late or cancelled call gets no answer,
and is not started if its turn has not come.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NoReturn, TypeVar

from google.protobuf.message import Message

from pincite import telemetry
from pincite.errors import DeadlineExceeded, InvalidArgument, PermissionDenied, PinciteError
from pincite.serve.callers import Caller
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.messages import arguments_of, message_of
from pincite.serve.grpc.problems import status_of, told
from pincite.serve.grpc.senders import Sender, sender_of
from pincite.serve.turns import WAITING
from pincite.serve.waiting import Gone, Waiting
from pincite.wire import Json

DOOR = "grpc"
SEARCH = "semanticSearch"
SERVICE = f"{pb.DESCRIPTOR.package}.SemanticQueryService"
log = logging.getLogger("pincite.grpc")
T = TypeVar("T")
GaveUp = Callable[[PinciteError], None]
M = TypeVar("M", bound=Message)


class Deadline:
    """When a call must be answered; never, for a call without a time limit."""

    def __init__(self, *seconds: float | None) -> None:
        given = [item for item in seconds if item is not None]
        self._end = time.monotonic() + min(given) if given else None

    def left(self) -> float | None:
        return None if self._end is None else self._end - time.monotonic()


class SemanticQuery:
    """The five methods of the service."""

    def __init__(self, desk: Desk, *, encrypted: bool = False) -> None:
        self._desk = desk
        self._encrypted = encrypted
        self._threads = ThreadPoolExecutor(WAITING, thread_name_prefix="pincite-grpc")
        self._working: set[Future[Any]] = set()
        self._calls = 0
        self.idle = asyncio.Event()
        """Set while no call is running."""
        self.idle.set()

    def close(self, wait_seconds: float) -> bool:
        """Start nothing more and wait for the threads; False if one is still working."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        return not wait(set(self._working), wait_seconds).not_done

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        self._calls += 1
        self.idle.clear()
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self.idle.set()

    # --- the service ------------------------------------------------------------------------------------------

    async def Search(self, request: pb.SearchRequest, context: Any) -> pb.SearchResponse:
        return await self._answer(SEARCH, request, pb.SearchResponse, context)

    async def GetContext(self, request: pb.GetContextRequest, context: Any) -> pb.GetContextResponse:
        return await self._answer("getContext", request, pb.GetContextResponse, context)

    async def GetIndexHealth(self, request: pb.GetIndexHealthRequest, context: Any) -> pb.GetIndexHealthResponse:
        return await self._answer("indexHealth", request, pb.GetIndexHealthResponse, context)

    async def Reindex(self, request: pb.ReindexRequest, context: Any) -> pb.ReindexResponse:
        """Has no time limit unless the caller sets one."""
        return await self._answer("reindex", request, pb.ReindexResponse, context, limited=False)

    async def SearchStream(
        self, request: pb.SearchStreamRequest, context: Any
    ) -> AsyncIterator[pb.SearchStreamResponse]:
        with self._under_way():
            try:
                async for event in self._events(request, context):
                    yield event
            except Exception as error:  # noqa: BLE001 - the caller gets a status, the log the rest
                await _refuse(context, error)

    async def refuse_unreadable(self, method: str, context: Any) -> None:
        """End a call whose request is not a message of its method. The sender is authenticated first, as always."""
        deadline, sender = self._deadline(context), sender_of(context)

        def work() -> None:
            if method.startswith(f"/{SERVICE}/"):  # health is open to everyone
                self._caller(sender)
            raise InvalidArgument(
                f"the request of {method.removeprefix('/')} is not a protobuf message of that method;"
                " generate the client from the server's proto"
            )

        with self._under_way():
            try:
                await self._on_thread(work, deadline)
            except Exception as error:  # noqa: BLE001 - the caller gets a status, the log the rest
                await _refuse(context, error)

    # --- answers ----------------------------------------------------------------------------------------------

    async def _answer(
        self, operation: str, request: Message, kind: type[M], context: Any, *, limited: bool = True
    ) -> M:
        deadline, sender = self._deadline(context, limited=limited), sender_of(context)

        method = f"{SERVICE}/{kind.__name__.removesuffix('Response')}"

        def work() -> M:
            with telemetry.called(method, sender.traceparent):
                caller = self._caller(sender)
                arguments = arguments_of(request)
                body = self._desk.run(operation, arguments, caller, door=DOOR, deadline_seconds=deadline.left())
                return message_of(kind, body)

        with self._under_way():
            try:
                return await self._on_thread(work, deadline, partial(self._gave_up, operation, request, sender))
            except Exception as error:  # noqa: BLE001 - the caller gets a status, the log the rest
                await _refuse(context, error)

    async def _events(self, request: pb.SearchStreamRequest, context: Any) -> AsyncIterator[pb.SearchStreamResponse]:
        deadline, sender = self._deadline(context), sender_of(context)

        def begin() -> Iterator[Json]:
            caller = self._caller(sender)
            arguments = arguments_of(request).get("search", {})
            self._desk.admit(SEARCH, arguments, caller, door=DOOR)
            return self._desk.stream(arguments, caller, door=DOOR, deadline_seconds=deadline.left(), admitted=True)

        gave_up: GaveUp | None = partial(self._gave_up, SEARCH, request.search, sender)
        events = await self._on_thread(begin, deadline, gave_up)
        while event := await self._on_thread(lambda: next(events, None), deadline, gave_up):
            gave_up = None  # once started, the desk logs it
            if event["event"] == "error":
                raise told(event["error"])
            yield message_of(pb.SearchStreamResponse, _named(event))

    def _caller(self, sender: Sender) -> Caller:
        """The caller. In production a token sent unencrypted is not even checked."""
        settings = self._desk.settings
        encrypted = self._encrypted or sender.is_encrypted(settings.trusted_proxies)
        if settings.production and not encrypted:
            raise PermissionDenied(
                "plain connections are refused in production; use TLS, and replace a token sent this way"
            )
        return self._desk.authenticate(sender.token)

    def _deadline(self, context: Any, *, limited: bool = True) -> Deadline:
        return Deadline(context.time_remaining(), self._desk.settings.request_seconds if limited else None)

    async def _on_thread(self, work: Callable[[], T], deadline: Deadline, gave_up: GaveUp | None = None) -> T:
        """Run the work on a thread; `DeadlineExceeded` when time is up. A thread cannot be stopped.

        `gave_up` is called if no thread had started the work when time was up or the call was cancelled.
        """
        waiting, error = Waiting(), None
        future = self._threads.submit(waiting.take_up, work)
        self._working.add(future)
        future.add_done_callback(self._working.discard)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), deadline.left())
        except TimeoutError:
            error = DeadlineExceeded("the time limit was exceeded; ask for less, or allow more time")
            raise error from None
        finally:
            if waiting.leave() and gave_up is not None:
                gave_up(error or Gone())

    def _gave_up(self, operation: str, request: Message, sender: Sender, error: PinciteError) -> None:
        arguments: Json = {}
        with suppress(InvalidArgument):  # a field that only a newer proto has
            arguments = arguments_of(request)
        self._desk.gave_up(operation, arguments, lambda: self._caller(sender), error, door=DOOR)


def _named(event: Json) -> Json:
    """An event of the desk under its name in the proto."""
    return {"answer": event["answer"]} if event["event"] == "done" else {event["event"]: event}


async def _refuse(context: Any, error: Exception) -> NoReturn:
    """End the call with a status. Unexpected errors are logged; the caller only learns that one happened."""
    if not isinstance(error, PinciteError):
        log.error("unexpected error in a call", exc_info=error)
        error = PinciteError("internal error; the server's log has the details")
    status = status_of(error)
    await context.abort(status.code, status.details, status.trailing_metadata)
    raise AssertionError("abort raises")
