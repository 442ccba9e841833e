"""Telemetry: what the engine reports about its work. All names of spans, attributes and measurements are defined here.

Spans go to OpenTelemetry, measurements to registered observers (the server's metrics). Neither is a dependency. An
application that wants spans imports OpenTelemetry before there is anything to trace, so this module looks it up among
the loaded modules and never imports it. When nobody listens, telemetry costs a search a few microseconds in all.

    with span("retrieval", {MODE: "hybrid"}) as current:     # the parent of every span opened inside
        laps = Laps(SEARCH)
        plan = understand(query)
        laps.lap("understand")                               # a span and a measurement, since the end of the last lap

Attributes follow OpenTelemetry's conventions for HTTP and for generative AI, which are still in development; attributes
they do not cover begin with `pincite.`. A query is often personal or confidential. Spans leave it out unless the
settings ask for it (`telemetry: {query_text: true}`). They also leave out error messages, which may quote it.
"""

from __future__ import annotations

import re
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from pincite import __version__
from pincite.errors import PinciteError

NAME = "pincite"
"""The instrumentation scope of all spans."""

# --- attributes named by the conventions --------------------------------------------------------------------------

OPERATION_NAME = "gen_ai.operation.name"
DATA_SOURCE = "gen_ai.data_source.id"
QUERY_TEXT = "gen_ai.retrieval.query.text"
DOCUMENTS = "gen_ai.retrieval.documents"
PROVIDER = "gen_ai.provider.name"
MODEL = "gen_ai.request.model"
MAX_TOKENS = "gen_ai.request.max_tokens"
DIMENSIONS = "gen_ai.embeddings.dimension.count"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITTEN_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
METHOD = "http.request.method"
ROUTE = "http.route"
STATUS_CODE = "http.response.status_code"
SCHEME = "url.scheme"
RPC_SYSTEM = "rpc.system.name"
RPC_METHOD = "rpc.method"
ERROR_TYPE = "error.type"

# --- our attributes -----------------------------------------------------------------------------------------------

DOOR = "pincite.door"
OPERATION = "pincite.operation"
OUTCOME = "pincite.outcome"
MODE = "pincite.search.mode"
LIMIT = "pincite.search.limit"
QUERY_CLASS = "pincite.search.query_class"
TOTAL = "pincite.search.total"
HITS = "pincite.search.hits"
ABSENCE = "pincite.search.absence"
LEG_STATUS = "pincite.leg.status"
LEG_FOUND = "pincite.leg.found"
RERANKED = "pincite.rerank.passages"
RERANKER = "pincite.rerank.model"
FILES = "pincite.ingest.files"
READ_SECONDS = "pincite.ingest.read_seconds"
CUT_SECONDS = "pincite.ingest.cut_seconds"
CHANGES = "pincite.ingest.changes"
CHUNKS = "pincite.ingest.chunks"
REVISION = "pincite.ingest.revision"
TEXTS = "pincite.embedding.texts"
FAILED = "pincite.embedding.failed"
COST = "pincite.usage.cost_usd"

# --- measurements -------------------------------------------------------------------------------------------------

SEARCH = "search"
"""Stages of a search: understand, resolve, legs, fuse, rerank, cite; `total` is the whole search."""
LEG = "leg"
"""Legs of a search, by name; the outcome is the status reported in the answer."""
INGEST = "ingest"
"""Stages of an ingest: read, cut, describe, commit, index; `total` is the whole ingest."""
EMBEDDED = "embedded"
"""Texts given to an embedding model; the amount is how many. Failed texts count once per attempt."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Something that was done, and how long it took."""

    what: str
    """`SEARCH`, `LEG`, `INGEST` or `EMBEDDED`."""
    name: str
    seconds: float
    outcome: str = "ok"
    amount: int = 1


Observer = Callable[[Measured], None]
_observers: tuple[Observer, ...] = ()


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Pass every measurement of this process to the observer until the block ends."""
    global _observers
    _observers = (*_observers, observer)
    try:
        yield
    finally:
        _observers = tuple(each for each in _observers if each != observer)


def tell(what: str, name: str, seconds: float, outcome: str = "ok", amount: int = 1) -> None:
    """Pass a measurement to all observers. Does nothing when there are none."""
    for observer in _observers:
        observer(Measured(what, name, seconds, outcome, amount))


# --- spans --------------------------------------------------------------------------------------------------------

Value = str | int | float | bool | Sequence[str]
Attributes = Mapping[str, Value]
Kind = Literal["internal", "server", "client"]
T = TypeVar("T")

_tracer: Any = None


def _found_tracer() -> Any:
    """OpenTelemetry's tracer; None until something in this process imports it."""
    global _tracer
    if _tracer is None:
        get_tracer = getattr(sys.modules.get("opentelemetry.trace"), "get_tracer", None)
        _tracer = get_tracer(NAME, __version__) if get_tracer else None
    return _tracer


class OpenSpan:
    """An open span. A span that nobody records accepts every call and does nothing."""

    __slots__ = ("_span",)

    def __init__(self, span: Any = None) -> None:
        self._span = span

    @property
    def is_recorded(self) -> bool:
        """Whether attributes that are costly to compute are worth computing."""
        return self._span is not None

    def set(self, attributes: Attributes) -> None:
        if self._span is not None:
            self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        if self._span is not None:
            self._span.update_name(name)

    def fail(self, kind: str, *, ours: bool = True) -> None:
        """Record what went wrong. `ours`: the fault lies with the server, not with the caller."""
        if self._span is not None:
            self._span.set_attribute(ERROR_TYPE, kind)
            if ours:
                trace = sys.modules["opentelemetry.trace"]
                self._span.set_status(trace.StatusCode.ERROR)


UNRECORDED = OpenSpan()
OUR_FAULT = frozenset({"internal", "unavailable", "deadline_exceeded"})
"""Error codes that mark a span as failed; the others are the caller's mistakes."""


@contextmanager
def span(
    name: str,
    attributes: Attributes | None = None,
    *,
    kind: Kind = "internal",
    headers: Mapping[str, str] | None = None,
) -> Iterator[OpenSpan]:
    """A span around the block, child of the current one. `headers`: those of a request, whose trace it continues."""
    tracer = _found_tracer()
    if tracer is None:
        yield UNRECORDED
        return
    trace = sys.modules["opentelemetry.trace"]
    parent = _parent(headers) if headers else None
    made = tracer.start_span(name, context=parent, kind=getattr(trace.SpanKind, kind.upper()), attributes=attributes)
    if not made.get_span_context().is_valid:  # nobody records and no caller named a trace: nothing to pass on
        yield UNRECORDED
        return
    current = OpenSpan(made if made.is_recording() else None)
    try:
        with trace.use_span(made, record_exception=False, set_status_on_exception=False):
            yield current
    except Exception as error:
        code = error.code if isinstance(error, PinciteError) else ""
        current.fail(code or type(error).__qualname__, ours=not code or code in OUR_FAULT)
        raise
    finally:
        made.end()


def _parent(headers: Mapping[str, str]) -> Any:
    from opentelemetry.propagate import extract

    return extract(headers)


@contextmanager
def stage(what: str, name: str) -> Iterator[OpenSpan]:
    """A span around a stage, plus a measurement of it."""
    began = time.perf_counter()
    outcome = "failed"
    try:
        with span(name) as current:
            yield current
        outcome = "ok"
    finally:
        tell(what, name, time.perf_counter() - began, outcome)


@contextmanager
def called(method: str, traceparent: str = "") -> Iterator[OpenSpan]:
    """A span around a remote procedure call, in the caller's trace."""
    said: Attributes = {RPC_SYSTEM: "grpc", RPC_METHOD: method}
    headers = {"traceparent": traceparent} if traceparent else None
    with span(method, said, kind="server", headers=headers) as current, request(headers):
        yield current


def embedding(model: str, *, texts: int) -> AbstractContextManager[OpenSpan]:
    """A span around a call to an embedding model."""
    said: Attributes = {OPERATION_NAME: "embeddings", PROVIDER: NAME, MODEL: model, TEXTS: texts}
    return span(f"embeddings {model}", said)


@dataclass(slots=True)
class Laps:
    """Consecutive stages: each begins where the last one ended and is reported when it ends."""

    what: str
    of: OpenSpan = UNRECORDED
    """The span they are part of."""
    stages: dict[str, float] = field(default_factory=dict)
    """Milliseconds of each."""
    _began: float = field(default_factory=time.perf_counter)
    _since: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """End the stage here."""
        now = time.perf_counter()
        seconds, self._since = now - self._since, now
        self.stages[stage] = 1000 * seconds
        tell(self.what, stage, seconds)
        if self.of.is_recorded:
            end = time.time_ns()
            _found_tracer().start_span(stage, start_time=end - round(1e9 * seconds)).end(end)

    def total(self) -> None:
        """Report the time of all stages together."""
        tell(self.what, "total", time.perf_counter() - self._began)


def carried(work: Callable[..., T]) -> Callable[..., T]:
    """The same work, to run on another thread within the span that is open here."""
    return partial(copy_context().run, work)


# --- the current request ------------------------------------------------------------------------------------------

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_NONE = "0" * 32
_request: ContextVar[str] = ContextVar("pincite_trace", default="")


@contextmanager
def request(headers: Mapping[str, str] | None = None) -> Iterator[None]:
    """Begin a request. It takes the caller's trace id or gets a new one, even when nobody records spans."""
    if trace_ids()[0]:
        yield
        return
    given = _TRACEPARENT.match((headers or {}).get("traceparent", ""))
    named = given.group(1) if given and given.group(1) != _NONE else secrets.token_hex(16)
    before = _request.set(named)
    try:
        yield
    finally:
        _request.reset(before)


def trace_ids() -> tuple[str, str]:
    """Ids of the current trace and span, in hexadecimal; empty if there is none."""
    current = getattr(sys.modules.get("opentelemetry.trace"), "get_current_span", None)
    found = current().get_span_context() if current else None
    if found is not None and found.is_valid:
        return f"{found.trace_id:032x}", f"{found.span_id:016x}"
    return _request.get(), ""
