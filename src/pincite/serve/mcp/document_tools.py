"""Document tools of an agent.yaml, served under their own names and descriptions.

They belong to the operator, not to a tenant: over HTTP they are open to callers of the configured tenant and
organization who are not limited to roles or other repositories. For everyone else they do not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, Tool
from pydantic import Field

from pincite.document_tools.config import DocumentToolConfig, load_agent_file
from pincite.document_tools.tool import DocumentTool
from pincite.errors import Conflict, InvalidArgument, PinciteError
from pincite.serve.mcp import fit, guidance, schemas, text
from pincite.serve.mcp.calls import DOOR, Progress, caller_of, on_thread, refusal, result
from pincite.serve.mcp.schemas import Json
from pincite.serve.mcp.tools import TOOLS, listed
from pincite.serve.operations import READ, Operation, parse
from pincite.serve.requests import Request, names_of

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from pincite.library import Library
    from pincite.serve.callers import Caller
    from pincite.serve.desk import Desk

TOOL_OUTPUT = {**schemas.SEARCH, "properties": {"tool": schemas.TEXT, **schemas.SEARCH["properties"]}}


class AskTool(Request):
    """A question to a document tool."""

    query: str = Field(min_length=1, max_length=4_000, description="Words or a question, in any language.")
    top_k: int = Field(default=0, ge=0, le=100, description="How many passages; absent: as configured.")


class ServedTools:
    """The tools in a file. Nothing is read before `start` or the first question. Close them when done."""

    def __init__(self, file: str | Path) -> None:
        where = Path(file).expanduser()
        configured: list[DocumentToolConfig] = list(load_agent_file(where).tools)
        taken = sorted({tool.name for tool in configured} & set(TOOLS))
        if taken:
            raise Conflict(
                f"the tool {taken[0]!r} in {where.name} has the name of a built-in tool; choose another name",
                field="name",
            )
        if not configured:
            raise InvalidArgument(f"{where.name} has no tools", field="config")
        self._tools = {config.name: DocumentTool(config, where.parent) for config in configured}
        self._threads: list[threading.Thread] = []

    @property
    def names(self) -> list[str]:
        return list(self._tools)

    def start(self) -> None:
        """Read the sources in the background, except those configured to wait for a question."""
        for tool in self._tools.values():
            if not tool.config.defer_loading:
                thread = threading.Thread(target=_read, args=(tool,), name=f"pincite-{tool.name}", daemon=True)
                self._threads.append(thread)
                thread.start()

    def close(self) -> None:
        for thread in self._threads:
            thread.join()
        for tool in self._tools.values():
            tool.close()

    def listed(self) -> list[Tool]:
        """The tools for `tools/list`, each beginning with the author's description."""
        out = []
        for name, tool in self._tools.items():
            about = " ".join(filter(None, (tool.description.strip(), guidance.DOCUMENT_TOOL)))
            arguments = schemas.input_schema(AskTool, {"top_k": tool.config.top_k})
            out.append(listed(name, name, about, arguments, TOOL_OUTPUT))
        return out

    def may_use(self, caller: Caller, desk: Desk, name: str) -> bool:
        """Whether a caller may use a tool; its source is one repository with the tool's name."""
        config = desk.library.config
        at_home = (caller.tenant, caller.organization) == (config.tenant, config.organization)
        named = caller.repositories is None or name in caller.repositories
        return at_home and named and caller.roles is None

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        desk: Callable[[], Desk] | None,
        context: ServerRequestContext[Any, Any],
    ) -> CallToolResult:
        """The result of a tool: the text that `pincite tool run` prints, and the usual wire format."""
        tool, report = self._tools[name], Progress(context)
        operation = _operation(tool)

        def ask() -> Json:
            if desk is None:  # no library, so no desk: only on stdio, without rate limits
                return operation.run(tool.library, parse(operation, arguments))
            opened = desk()
            return opened.run(operation, arguments, caller_of(context, opened), door=DOOR)

        try:
            await report.say("asking the tool" if tool.report else "reading the documents of the tool")
            body = await on_thread(desk, context, ask, (operation, arguments))
            await report.say("done", done=True)
        except PinciteError as error:
            return refusal(error, f"Arguments of {name}: {', '.join(names_of(AskTool))}")
        return result(body, text.search(body))


def _operation(tool: DocumentTool) -> Operation:
    """Ask the tool. The question is counted and logged like any other, but reads the tool's own library."""

    def run(_library: Library, asked: AskTool) -> Json:
        def ask(top_k: int) -> Json:
            return tool.to_wire(tool.answer(asked.query, top_k))

        return fit.search(ask(asked.top_k), lambda changed: ask(int(str(changed["top_k"]))), text.search)

    return Operation(tool.name, READ, AskTool, run)


def _read(tool: DocumentTool) -> None:
    with suppress(PinciteError):  # the first question gets the same error and reports it
        _ = tool.library
