"""The desk: the single entry point. Every door passes it a token and a request, and gets JSON or an error back.

    desk = Desk(library)                                        # settings: the `serve:` section of its configuration
    caller = desk.authenticate(token)                           # raises Unauthenticated
    body = desk.run("semanticSearch", {"query": "leave"}, caller, door="http")

Calls are synchronous and thread-safe. A door makes them on a worker thread, maps errors to its own status codes, and
decides nothing. An observer (such as the metrics) receives a record of each request.
"""

from __future__ import annotations

import errno
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Literal

from pincite import telemetry
from pincite.advice import over_a_door
from pincite.errors import DeadlineExceeded, InsufficientScope, PinciteError, StorageFull, Unauthenticated, Unavailable
from pincite.library import Library
from pincite.serve.audit import AuditLog, Served
from pincite.serve.auth.verifier import Verifier
from pincite.serve.callers import Caller, local_caller
from pincite.serve.limits import Allowance, Limiter
from pincite.serve.operations import READ, Operation, operation_named, parse
from pincite.serve.turns import Turns
from pincite.settings.serve import ServeSettings
from pincite.wire import Json

log = logging.getLogger("pincite.desk")
Observer = Callable[[Served], None]
Default = Literal["head", "published"]
SEARCH = "semanticSearch"


class Desk:
    """One per process: it holds the rate limits, the audit log and the verifier."""

    def __init__(
        self,
        library: Library,
        settings: ServeSettings | None = None,
        *,
        verifier: Verifier | None = None,
        limiter: Limiter | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        """`settings`: replaces those of the library's configuration, for example with command-line options."""
        self.settings = library.config.serve if settings is None else settings
        self.library = library
        self.verifier = verifier or Verifier(self.settings.auth, library)
        self.limiter = limiter or Limiter(self.settings.rate_limit)
        self.audit = AuditLog(self.settings.audit)
        self._turns, self._long_turns = (Turns(self.settings.requests_at_once) for _ in range(2))
        self.observers = list(observers)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="pincite-given-up")

    def stop_taking(self) -> None:
        """Start no more questions: waiting ones are refused, running ones finish."""
        self._turns.close()
        self._long_turns.close()

    def close(self) -> None:
        """Start nothing more and close the audit log. The library stays open; its opener closes it."""
        self.stop_taking()
        self._writer.shutdown()
        self.audit.close()

    # --- callers ----------------------------------------------------------------------------------------------

    @property
    def requires_token(self) -> bool:
        """Whether callers must authenticate: true once a key exists or a JWT issuer is configured."""
        return self.verifier.required

    def local(self) -> Caller:
        """The local user, for stdio and the command line."""
        return local_caller(self.library.config, self.library.roles)

    def authenticate(self, token: str | None) -> Caller:
        """The bearer of the token; without configured authentication everyone is local. Raises `Unauthenticated`."""
        with over_a_door():
            return self.verifier.verify(token) if self.requires_token else self.local()

    def allowance(self, caller: Caller) -> Allowance | None:
        """What is left of the caller's rate limit, for the headers of an answer; None if there is no limit."""
        return None if caller.is_local else self.limiter.peek(_bucket(caller))

    def library_for(
        self, caller: Caller, *, deadline_seconds: float | None = None, default_read_context: Default = "head"
    ) -> Library:
        """The library as this caller sees it."""
        library = self.library.for_caller(
            tenant=caller.tenant,
            organization=caller.organization,
            repositories=caller.repositories,
            roles=caller.roles,
            author=caller.name,
            deadline_seconds=deadline_seconds,
            default_read_context=default_read_context,
        )
        library.config = library.config.model_copy(update={"serve": self.settings})
        return library

    # --- requests ---------------------------------------------------------------------------------------------

    def admit(self, operation: str | Operation, arguments: Mapping[str, object], caller: Caller, *, door: str) -> None:
        """Check scope, rate and arguments of a request that a door runs later: `run` with `admitted`.

        A refusal is logged here; an admitted request is logged when it is run.
        """
        try:
            self._check(operation, arguments, caller)
        except PinciteError as error:
            self._tell(Served(door, _name(operation), caller, error.code, 0.0, arguments))
            raise

    def gave_up(
        self,
        operation: str | Operation,
        arguments: Mapping[str, object],
        who: Callable[[], Caller],
        error: PinciteError,
        *,
        door: str,
    ) -> None:
        """Log a request that a door gave up before a thread started it; returns at once.

        `who` is called on the writing thread. If it raises `Unauthenticated`, nothing is logged, as for any request.
        """

        def write() -> None:
            try:
                self._tell(Served(door, _name(operation), who(), error.code, 0.0, arguments))
            except Unauthenticated:
                pass
            except PinciteError as problem:
                log.error("an abandoned request could not be written to the audit log: %s", problem.message)

        with suppress(RuntimeError):  # the desk is closed
            self._writer.submit(write)

    def _check(self, operation: str | Operation, arguments: Mapping[str, object], caller: Caller) -> None:
        chosen = _chosen(operation)
        if not caller.may(chosen.scope):
            raise InsufficientScope(chosen.name, chosen.scope)
        if not caller.is_local:
            self.limiter.take(_bucket(caller))
        parse(chosen, arguments)

    def run(
        self,
        operation: str | Operation,
        arguments: Mapping[str, object],
        caller: Caller,
        *,
        door: str,
        deadline_seconds: float | None = None,
        default_read_context: Default = "head",
        admitted: bool = False,
    ) -> Json:
        """Check scope and rate, read the arguments, ask the caller's library, and write the audit line.

        `deadline_seconds`: how long the caller waits; models that need longer are skipped, and the answer says so.
        `default_read_context`: what to read if the request does not say; `published` falls back to head, and the
        answer says so.
        """
        name = _name(operation)
        spanned = telemetry.span(name, {telemetry.DOOR: door, telemetry.OPERATION: name})
        with over_a_door(), telemetry.request(), spanned as span:
            body = self._run(operation, arguments, caller, door, deadline_seconds, default_read_context, admitted)
            span.set({telemetry.OUTCOME: "ok"})
            return body

    def _run(
        self,
        operation: str | Operation,
        arguments: Mapping[str, object],
        caller: Caller,
        door: str,
        deadline_seconds: float | None,
        default_read_context: Default,
        admitted: bool,
    ) -> Json:
        began, outcome, body = time.perf_counter(), "internal", None
        try:
            if not admitted:
                self._check(operation, arguments, caller)
            body = self.answer(
                _chosen(operation),
                arguments,
                caller,
                deadline_seconds=deadline_seconds,
                default_read_context=default_read_context,
            )
            outcome = "ok"
            return body
        except PinciteError as error:
            outcome = error.code
            raise
        except OSError as error:
            outcome = "unavailable"
            raise _plain(error) from error
        finally:
            self._tell(Served(door, _name(operation), caller, outcome, time.perf_counter() - began, arguments, body))

    def answer(
        self,
        operation: Operation,
        arguments: Mapping[str, object],
        caller: Caller,
        *,
        deadline_seconds: float | None = None,
        default_read_context: Default = "head",
    ) -> Json:
        """Answer an admitted request, without counting or logging it. Reading waits for its turn."""
        request = parse(operation, arguments)

        def work(seconds: float | None) -> Json:
            if seconds is not None and seconds <= 0:
                raise DeadlineExceeded("the deadline passed before the request was read; allow more time")
            library = self.library_for(caller, deadline_seconds=seconds, default_read_context=default_read_context)
            return operation.run(library, request)

        with over_a_door():
            if operation.scope != READ or (deadline_seconds is not None and deadline_seconds <= 0):
                return work(deadline_seconds)
            turns = self._long_turns if operation.is_long else self._turns
            return turns.take(work, deadline_seconds)

    def stream(
        self,
        arguments: Mapping[str, object],
        caller: Caller,
        *,
        door: str,
        deadline_seconds: float | None = None,
        default_read_context: Default = "head",
        admitted: bool = False,
    ) -> Iterator[Json]:
        """A semanticSearch in stages: first what words find, then the same answer as `run`.

        `{"event": "stage", "stage": "keyword" | "final", "results": n}` begins a stage, and `{"event": "hit", "stage",
        "rank", "hit"}` are its results; the final stage replaces the first. `{"event": "done", "answer"}` ends the
        stream with everything but the results; if it fails, `{"event": "error", "error"}` does. It counts as one
        request.
        """
        began, outcome = time.perf_counter(), "cancelled"  # unless the next event is asked for
        try:
            if not admitted:
                self._check(SEARCH, arguments, caller)
            if self._begins_with_words(arguments):
                # Not counted and not logged: it is part of the request that follows.
                early = {**arguments, "mode": "keyword", "explain": False}
                yield from _stage("keyword", self._words(early, caller, deadline_seconds, default_read_context))
            outcome = ""  # `run` writes the line
            options = {"door": door, "deadline_seconds": deadline_seconds, "admitted": True}
            body = self.run(SEARCH, arguments, caller, default_read_context=default_read_context, **options)  # type: ignore[arg-type]
            yield from _stage("final", body)
            yield {"event": "done", "answer": {key: value for key, value in body.items() if key != "results"}}
        except PinciteError as error:
            outcome = outcome and error.code
            yield {"event": "error", **error.to_wire()}
        finally:
            if outcome:
                self._tell(Served(door, SEARCH, caller, outcome, time.perf_counter() - began, arguments))

    def _begins_with_words(self, arguments: Mapping[str, object]) -> bool:
        """Whether the answer waits for models, so results from words alone are worth showing first."""
        models = self.library.config.dense != "off" or self.library.config.reranker.model
        return bool(models) and arguments.get("mode") in (None, "", "hybrid") and not arguments.get("cursor")

    def _words(
        self,
        arguments: Mapping[str, object],
        caller: Caller,
        deadline_seconds: float | None,
        default_read_context: Default,
    ) -> Json:
        return self.answer(
            operation_named(SEARCH),
            arguments,
            caller,
            deadline_seconds=deadline_seconds,
            default_read_context=default_read_context,
        )

    def _tell(self, served: Served) -> None:
        try:
            self.audit.write(served)
        except OSError as error:
            raise _plain(error, "the audit log cannot be written") from error
        for observer in self.observers:
            observer(served)


def _chosen(operation: str | Operation) -> Operation:
    return operation_named(operation) if isinstance(operation, str) else operation


def _name(operation: str | Operation) -> str:
    return operation if isinstance(operation, str) else operation.name


def _bucket(caller: Caller) -> str:
    return json.dumps((caller.tenant, *caller.identity))


def _stage(name: str, body: Json) -> Iterator[Json]:
    yield {"event": "stage", "stage": name, "results": len(body["results"])}
    for rank, hit in enumerate(body["results"], start=1):
        yield {"event": "hit", "stage": name, "rank": rank, "hit": hit}


def _plain(error: OSError, what: str = "the server cannot answer now") -> Unavailable:
    """The system's error without the path, which callers of the server must not see."""
    kind = StorageFull if error.errno == errno.ENOSPC else Unavailable
    return kind(f"{what}: {error.strerror or type(error).__name__}")
