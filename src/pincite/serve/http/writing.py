"""Requests that change something: baselines at once, ingest and reindex as jobs. Each may have an Idempotency-Key."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from functools import partial

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from pincite.errors import InsufficientScope
from pincite.extras import require
from pincite.serve.callers import Caller
from pincite.serve.http.arguments import from_body
from pincite.serve.http.calls import DOOR, AuditedCall, Calls
from pincite.serve.http.idempotency import HEADER, WriteReply, once
from pincite.serve.http.jobs import JobRunner
from pincite.serve.http.ledger import new_id, to_wire
from pincite.serve.http.uploads import DELIVER, MAX_FILES, arguments_of, folder_of, keep
from pincite.serve.sources import check_source
from pincite.server_state import ReplyKey
from pincite.wire import Json

JOBS = "/v1/jobs/"
MULTIPART = "multipart/form-data"
Act = Callable[[ReplyKey | None], WriteReply]


class Writing:
    """The writing side of the door."""

    def __init__(self, calls: Calls, jobs: JobRunner) -> None:
        self._calls = calls
        self._desk = calls.desk
        self._jobs = jobs

    async def at_once(self, request: Request, operation: str, created: int = 200) -> Response:
        """Carry it out before answering."""
        arguments = await from_body(request)
        caller = await self._calls.caller(request)

        def act(_reply: ReplyKey | None) -> WriteReply:
            return WriteReply(created, self._desk.run(operation, arguments, caller, door=DOOR))

        return await self._once(request, caller, operation, arguments, act)

    async def reindex(self, request: Request) -> Response:
        """Queue a rebuild of the index."""
        arguments = await from_body(request)
        caller = await self._calls.caller(request)

        def act(reply: ReplyKey | None) -> WriteReply:
            self._desk.admit("reindex", arguments, caller, door=DOOR)
            library = self._desk.library_for(caller)
            repository = str(arguments.get("repository_id") or "")
            library.require_writable(repository)
            if repository:
                library.revisions(repository=repository, limit=1)  # refuses an unknown repository now, not later
            return self._queued("reindex", caller, repository, arguments, reply)

        return await self._once(request, caller, "reindex", arguments, act)

    async def ingest(self, request: Request) -> Response:
        """Queue an ingest of a source that the settings allow, or of the files in the request."""
        if request.headers.get("content-type", "").lower().startswith(MULTIPART):
            return await self._upload(request)
        arguments = await from_body(request)
        caller = await self._calls.caller(request)

        def act(reply: ReplyKey | None) -> WriteReply:
            self._desk.admit("ingest", arguments, caller, door=DOOR)
            library = self._desk.library_for(caller)
            check_source(self._desk.settings, str(arguments["source"]), is_at_home=library.is_at_home)
            if former := str(arguments.get("take_over") or ""):
                check_source(self._desk.settings, former, is_at_home=library.is_at_home, field="take_over")
            repository = library.require_writable(str(arguments.get("repository_id") or ""))
            return self._queued("ingest", caller, repository, arguments, reply)

        return await self._once(request, caller, "ingest", arguments, act)

    async def _upload(self, request: Request) -> Response:
        caller = await self._calls.caller(request)  # before the files are read: those of a stranger are refused
        if not caller.may(DELIVER.scope):
            raise InsufficientScope(DELIVER.name, DELIVER.scope)
        require("http", "an upload", "python_multipart")
        async with request.form(max_files=MAX_FILES, max_fields=MAX_FILES) as form:
            arguments, files = arguments_of(form)
            content = {**arguments, "files": [[name, await _digest(file)] for name, file in files]}
            act = partial(self._delivered, caller, arguments, files)
            return await self._once(request, caller, DELIVER.name, content, act)

    def _delivered(
        self, caller: Caller, given: Json, files: list[tuple[str, UploadFile]], reply: ReplyKey | None
    ) -> WriteReply:
        job_id = new_id()
        folder = folder_of(self._desk.library.path, job_id)
        arguments = {**given, "folder": str(folder)}
        self._desk.admit(DELIVER, arguments, caller, door=DOOR)
        repository = self._desk.library_for(caller).require_writable(str(given.get("repository_id") or ""))
        keep(folder, files)
        try:
            return self._queued(DELIVER.name, caller, repository, arguments, reply, job_id=job_id)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _queued(
        self,
        operation: str,
        caller: Caller,
        repository: str,
        arguments: Json,
        reply: ReplyKey | None,
        *,
        job_id: str = "",
    ) -> WriteReply:
        job = self._jobs.ledger.add(operation, caller, repository, arguments, id=job_id, reply=reply)
        self._jobs.wake()
        return WriteReply(202, to_wire(job))

    async def _once(self, request: Request, caller: Caller, operation: str, content: Json, act: Act) -> Response:
        key = request.headers.get(HEADER, "")
        work = partial(once, self._jobs.ledger, caller, operation, key, content, act)
        outcome = await self._calls.on_thread(work, asked=AuditedCall(operation, content, caller))
        headers = dict(outcome.headers)
        if outcome.status == 202:
            headers["Location"] = JOBS + str(outcome.body["job_id"])
        return self._calls.answer(request, outcome.body, outcome.status, headers)


async def _digest(file: UploadFile) -> str:
    """A digest that distinguishes two uploads of the same name."""
    digest = hashlib.blake2b(digest_size=16)
    while part := await file.read(1024 * 1024):
        digest.update(part)
    await file.seek(0)
    return digest.hexdigest()
