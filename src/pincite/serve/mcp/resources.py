"""Resources: elements and versions under pincite:// URIs, for hosts and people to pick.

    pincite://repositories                                          what can be searched
    pincite://elements/{repository}/{element}{?section,read_context}     as the read context sees it
    pincite://versions/{repository}/{version}/{element}{?section}        one version, which never changes

Variables are percent-encoded as in RFC 6570, so the slashes of an element id do not split the URI. Unencoded slashes
work too: the element comes last and takes the rest. The citations of answers (`pincite:tenant/…@version#section`) are
also valid URIs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from pincite.errors import InvalidArgument, PinciteError, UnknownArgument
from pincite.serve.mcp.calls import DOOR, caller_of, on_thread
from pincite.serve.mcp.schemas import Json

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from pincite.serve.desk import Desk

REPOSITORIES = "pincite://repositories"
ELEMENTS = "pincite://elements/"
VERSIONS = "pincite://versions/"
ELEMENT_TEMPLATE = ELEMENTS + "{repository}/{element}{?section,read_context}"
VERSION_TEMPLATE = VERSIONS + "{repository}/{version}/{element}{?section}"
CITATION = "pincite:"
FIELDS = ("section", "read_context")
MIME_TYPES = {"md": "text/markdown", "markdown": "text/markdown"}


def resources() -> ListResourcesResult:
    """Only the short list: elements are found by search and reached by templates."""
    return ListResourcesResult(
        resources=[
            Resource(
                uri=REPOSITORIES,
                name="repositories",
                title="Repositories",
                description="What can be searched: repositories, baselines, filters.",
                mime_type="application/json",
            )
        ]
    )


def templates() -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=ELEMENT_TEMPLATE,
                name="element",
                title="Document or section",
                description="The text of an element, or of one section, in the published or any other state.",
                mime_type="text/plain",
            ),
            ResourceTemplate(
                uri_template=VERSION_TEMPLATE,
                name="version",
                title="Version of a document",
                description="The text of one version, unchanged until it is erased.",
                mime_type="text/plain",
            ),
        ]
    )


async def read(uri: str, desk: Callable[[], Desk], context: ServerRequestContext[Any, Any]) -> ReadResourceResult:
    """The exact text behind a URI; its citation and state are in `_meta`."""

    def ask() -> Json:
        opened = desk()
        seconds = None if context.request is None else opened.settings.request_seconds
        options = {"door": DOOR, "deadline_seconds": seconds, "default_read_context": "published"}
        return opened.run(name, arguments, caller_of(context, opened), **options)  # type: ignore[arg-type]

    try:
        name, arguments = request_behind(uri)
        body = await on_thread(desk, context, ask, (name, arguments))
    except PinciteError as error:
        raise MCPError(code=INVALID_PARAMS, message=error.message, data={"uri": uri, **error.to_wire()}) from None
    if uri == REPOSITORIES:
        shown = TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(body, ensure_ascii=False))
        return ReadResourceResult(contents=[shown])
    about = {name: body[name] for name in ("citation", "version_id", "element_name", "current", "read_context")}
    mime_type = MIME_TYPES.get(body["file_type"] or "", "text/plain")
    shown = TextResourceContents(uri=uri, mime_type=mime_type, text=body["content"], _meta=about)
    return ReadResourceResult(contents=[shown])


def request_behind(uri: str) -> tuple[str, dict[str, object]]:
    """The operation a URI asks for, and its arguments."""
    if uri == REPOSITORIES:
        return "listRepositories", {}
    path, _, rest = uri.partition("?")
    if path.startswith(ELEMENTS):
        repository, element = _parts(uri, path.removeprefix(ELEMENTS), 2)
        return "getElement", {"repository_id": repository, "element": element, **_options(rest, FIELDS)}
    if path.startswith(VERSIONS):
        repository, version, element = _parts(uri, path.removeprefix(VERSIONS), 3)
        pinned = {"repository_id": repository, "version_id": version, "element": element}
        return "getElement", {**pinned, **_options(rest, FIELDS[:1])}
    if uri.startswith(CITATION) and not uri.startswith("pincite://"):
        return "getElement", {"element": uri}
    raise InvalidArgument(
        f"{uri!r:.200} is not a URI of this server; use {REPOSITORIES}, {ELEMENT_TEMPLATE}, {VERSION_TEMPLATE}"
        " or a citation",
        field="uri",
    )


def _parts(uri: str, path: str, count: int) -> list[str]:
    parts = [unquote(part) for part in path.split("/", count - 1)]
    if len(parts) < count or not all(parts):
        raise InvalidArgument(f"{uri!r:.200} is incomplete; see the resource templates", field="uri")
    return parts


def _options(query: str, known: tuple[str, ...]) -> dict[str, str]:
    options = dict(parse_qsl(query))
    for name in options:
        if name not in known:
            raise UnknownArgument.named("URI parameter", name, known, field="uri")
    return options
