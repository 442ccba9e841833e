"""Listing: say hello as the server expects it, then `tools/list`, page after page."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.errors import InvalidArgument, NotFound, Unavailable
from pincite.kinds.tools.live.connection import LEGACY, MODERN, Connection, ServerSaid
from pincite.kinds.tools.live.http import HttpConnection
from pincite.kinds.tools.live.stdio import StdioConnection
from pincite.kinds.tools.read import parse_tools
from pincite.kinds.tools.tool import Tool

CLIENT = {"name": "pincite", "version": "1"}
MAX_PAGES = 1_000
NO_HANDSHAKE = frozenset({-32601, -32602, -32020, -32021, -32022})
"""Codes with which a server that knows no `initialize`, or not ours, refuses it."""


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """What a server offers."""

    server: str
    """As it calls itself; "" if it does not say."""
    tools: tuple[Tool, ...]


def list_tools(where: str, *, headers: Mapping[str, str] | None = None, timeout_seconds: float = 30.0) -> OfferedTools:
    """The tools of the server at a URL, or of the one that a command starts and that is stopped afterwards."""
    connection = _connect(where, headers or {}, timeout_seconds)
    try:
        server, meta = _hello(connection)
        tools = _all_pages(connection, meta)
    finally:
        connection.close()
    return OfferedTools(server, parse_tools(tools))


def _connect(where: str, headers: Mapping[str, str], timeout_seconds: float) -> Connection:
    if where.startswith(("http://", "https://")):
        return HttpConnection(where, headers, timeout_seconds)
    if "://" in where:
        raise InvalidArgument(f"{where!r}: an MCP server is reached by http, https or a command", field="tools")
    try:
        command = shlex.split(where)
    except ValueError as error:
        raise InvalidArgument(f"{where!r} is not a command: {error}", field="tools") from error
    if not command or not (shutil.which(command[0]) or Path(command[0]).is_file()):
        raise NotFound(
            f"{where!r} is neither a file with a list of tools, nor a URL, nor a command that can be started",
            field="tools",
        )
    return StdioConnection(command, timeout_seconds)


def _hello(connection: Connection) -> tuple[str, dict[str, Any]]:
    """The server's name and what each request must carry: nothing after a handshake, who asks where there is none."""
    try:
        answer = connection.request("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT})
    except ServerSaid as refusal:
        if refusal.number not in NO_HANDSHAKE:
            raise
        connection.agree(MODERN)
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": CLIENT,
        }
        found = connection.request("server/discover", {"_meta": meta})
        stated = found.get("_meta")
        info = stated.get("io.modelcontextprotocol/serverInfo") if isinstance(stated, dict) else None
        return _name(info), {"_meta": meta}
    connection.agree(str(answer.get("protocolVersion") or LEGACY))
    connection.notify("notifications/initialized")
    return _name(answer.get("serverInfo")), {}


def _all_pages(connection: Connection, meta: Mapping[str, Any]) -> list[object]:
    tools: list[object] = []
    cursor, seen = "", set[str]()
    for _ in range(MAX_PAGES):
        page = connection.request("tools/list", {**meta, **({"cursor": cursor} if cursor else {})})
        listed = page.get("tools")
        if not isinstance(listed, list):
            raise Unavailable(f"{connection.where} answered tools/list without a list of tools", field="tools")
        tools += listed
        cursor = str(page.get("nextCursor") or "")
        if not cursor:
            return tools
        if cursor in seen:
            raise Unavailable(f"{connection.where} keeps returning the same page of its tools", field="tools")
        seen.add(cursor)
    raise Unavailable(f"{connection.where} has more than {MAX_PAGES:,} pages of tools", field="tools")


def _name(info: object) -> str:
    return str(info.get("name") or "") if isinstance(info, dict) else ""
