"""The reading routes, as a table: which path and method asks the desk for which operation.

Element ids contain slashes, so nothing ever follows an id in a path: an element's history is at `/v1/history/ID`, not
at `/v1/elements/ID/history`, which could itself be an element. A slash may be written as is or as %2F; ids that a proxy
would normalise (`a//b`, `../x`) go into a body: `POST /v1/elements`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from pincite.errors import InvalidArgument
from pincite.serve.http.arguments import from_body, from_query
from pincite.serve.http.calls import Calls
from pincite.serve.http.streams import stream
from pincite.serve.http.tags import is_known, tag_of
from pincite.serve.operations import OPERATIONS
from pincite.serve.requests import Request as Asked
from pincite.wire import Json

Endpoint = Callable[[Request], Awaitable[Response]]
GET, POST = "GET", "POST"


@dataclass(frozen=True, slots=True)
class Read:
    """One reading route."""

    path: str
    operation: str
    method: str = GET
    id: str = ""
    """operationId, if it differs from the operation's name: an alternative route."""

    @property
    def name(self) -> str:
        return self.id or self.operation

    @property
    def in_path(self) -> str:
        """The argument in the path."""
        return "element" if "{element:path}" in self.path else ""


READS = (
    Read("/v1/search", "semanticSearch", POST),
    Read("/v1/search", "semanticSearch", GET, "semanticSearchByLink"),
    Read("/v1/search/stream", "semanticSearch", POST, "streamSearch"),
    Read("/v1/search/stream", "semanticSearch", GET, "streamSearchByLink"),
    Read("/v1/context", "getContext", POST),
    Read("/v1/context", "getContext", GET, "getContextByLink"),
    Read("/v1/elements/{element:path}", "getElement"),
    Read("/v1/elements", "getElement", POST, "getElementByBody"),
    Read("/v1/history/{element:path}", "history"),
    Read("/v1/references/{element:path}", "references"),
    Read("/v1/diff", "diff"),
    Read("/v1/revisions", "revisions"),
    Read("/v1/definitions", "definitions"),
    Read("/v1/verify", "verify", POST),
    Read("/v1/verify/draft", "verifyCitations", POST),
    Read("/v1/replay", "replay", POST),
    Read("/v1/why-not", "whyNot", POST),
    Read("/v1/compare", "compareBaselines", POST),
    Read("/v1/filters", "filters"),
    Read("/v1/repositories", "listRepositories"),
    Read("/v1/baselines", "listBaselines"),
    Read("/v1/health/index", "indexHealth"),
    Read("/v1/health/doctor", "doctor"),
)


def endpoint_of(read: Read, calls: Calls) -> Endpoint:
    """The handler of a route: it collects the arguments, asks the desk and renders the answer."""
    model = OPERATIONS[read.operation].request

    async def endpoint(request: Request) -> Response:
        arguments = await arguments_of(request, model, read.in_path)
        if read.name.startswith("streamSearch"):
            return await stream(calls, request, arguments)
        body = await calls.run(request, read.operation, arguments)
        return _element(calls, request, body) if read.operation == "getElement" else calls.answer(request, body)

    return endpoint


async def arguments_of(request: Request, model: type[Asked], in_path: str = "") -> Json:
    """The arguments in the URL, or in the body of a POST."""
    query = from_query(model, request.query_params.multi_items())
    if request.method == POST:
        if query:
            raise InvalidArgument(f"send {min(query)} in the body of a POST, not in its URL", field=min(query))
        return await from_body(request)
    if in_path:
        if in_path in query:
            raise InvalidArgument(f"{in_path} is already in the path; remove it from the query", field=in_path)
        query[in_path] = _rest_of_path(request, in_path)
    return query


def _rest_of_path(request: Request, name: str) -> str:
    """The rest of the path, decoded exactly once, because a citation contains percent signs itself."""
    slashes = str(request.scope["route"].path).partition("{")[0].count("/")
    parts = request.scope.get("raw_path", b"").decode("ascii", "replace").split("/", slashes)
    return unquote(parts[slashes]) if len(parts) > slashes else str(request.path_params[name])


def _element(calls: Calls, request: Request, body: Json) -> Response:
    """An element with its tag, or only the tag for a client that already has it."""
    tag = tag_of(body)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization", **calls.rate(request)}
    if request.method == GET and is_known(tag, request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return calls.answer(request, body, headers=headers)
