"""Calls: from a tool call to its result, or to an error that helps a model correct itself.

A result has exactly one text block and the structured content. An error has only the text, because a client may check
structured content against the output schema even then. Its wire form is in `_meta`, for programs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import from_thread
from mcp.types import CallToolResult, TextContent

from pincite.errors import PinciteError, Unauthenticated, UnknownArgument
from pincite.serve import threads
from pincite.serve.callers import Caller
from pincite.serve.mcp.schemas import Json
from pincite.serve.mcp.tools import ServedTool

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from pincite.serve.desk import Desk
    from pincite.serve.operations import Operation

    Asked = tuple[str | Operation, Mapping[str, object]]

DOOR = "mcp"
log = logging.getLogger("pincite.mcp")
T = TypeVar("T")


def caller_of(context: ServerRequestContext[Any, Any], desk: Desk) -> Caller:
    """The caller: over HTTP the one the gate admitted, on stdio and in memory the local user."""
    if context.request is None:
        return desk.local()
    from pincite.serve.mcp.gate import CALLER

    found = context.request.scope.get(CALLER)
    if not isinstance(found, Caller):  # mounted without its gate: admit nobody by mistake
        raise Unauthenticated("authentication required")
    return found


async def on_thread(
    desk: Callable[[], Desk] | None,
    context: ServerRequestContext[Any, Any],
    work: Callable[[], T],
    asked: Asked | None = None,
) -> T:
    """Run blocking work on a thread; over HTTP within the time limit of a request.

    `asked`, the operation and its arguments, is logged if no thread has started it by then.
    """
    if context.request is None or desk is None:
        return await threads.on_thread(work, None, late="")
    opened = desk()

    def gave_up(error: PinciteError) -> None:
        if asked is not None:
            opened.gave_up(*asked, lambda: caller_of(context, opened), error, door=DOOR)

    seconds = opened.settings.request_seconds
    late = f"the request took longer than the limit of {seconds:g} s; ask for less"
    return await threads.on_thread(work, seconds, late=late, gave_up=gave_up)


async def call(
    tool: ServedTool,
    arguments: Mapping[str, object],
    desk: Callable[[], Desk],
    context: ServerRequestContext[Any, Any],
) -> CallToolResult:
    """The result of a tool."""
    report = Progress(context)
    try:
        await report.say(tool.doing)
        ask = partial(answer, tool, arguments, desk, context, report)
        body = await on_thread(desk, context, ask, (tool.name, arguments))
        await report.say("done", done=True)
    except PinciteError as error:
        return refusal(error, argument_names(tool))
    except Exception:
        log.exception("the tool %s failed", tool.name)  # unexpected: the caller only learns that it happened
        return refusal(PinciteError("internal error; the server's log has the details"))
    return result(body, tool.render(body))


def answer(
    tool: ServedTool,
    arguments: Mapping[str, object],
    opened: Callable[[], Desk],
    context: ServerRequestContext[Any, Any],
    report: Progress,
) -> Json:
    """The wire answer, kept within the character limit."""
    desk = opened()
    caller = caller_of(context, desk)
    asked = {**arguments, **{name: value for name, value in tool.defaults.items() if not arguments.get(name)}}
    seconds = None if context.request is None else desk.settings.request_seconds
    ask = partial(desk.run, door=DOOR, default_read_context="published", deadline_seconds=seconds)
    if tool.name == "semanticSearch" and report.is_wanted:
        body = _by_stages(asked, caller, desk, report, seconds)
    else:
        body = ask(tool.name, asked, caller)

    def again(changed: Mapping[str, object]) -> Json:
        """Part of the same request: not counted or logged again."""
        from pincite.serve.operations import operation_named

        part = {**asked, **changed}
        operation = operation_named(tool.name)
        return desk.answer(operation, part, caller, deadline_seconds=seconds, default_read_context="published")

    return tool.fit(body, again, tool.render)


def _by_stages(
    arguments: Mapping[str, object], caller: Caller, desk: Desk, report: Progress, seconds: float | None
) -> Json:
    """A search that reports what words have found before models answer."""
    hits: list[Json] = []
    options: dict[str, Any] = {"door": DOOR, "default_read_context": "published", "deadline_seconds": seconds}
    for event in desk.stream(arguments, caller, **options):
        match event["event"]:
            case "stage":
                hits.clear()
                if event["stage"] != "final":
                    report.say_from_thread(f"found by words: {event['results']}; asking for meaning")
            case "hit":
                hits.append(event["hit"])
            case "error":
                raise _Told(event["error"])
            case "done":
                return {"results": list(hits), **event["answer"]}
    raise _Told({"code": "internal", "message": "the search ended early; ask again", "field": None, "suggestions": []})


class Progress:
    """Progress for clients that ask for it. Numbers only rise; the total is not known in advance."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._session = context.session
        self._steps = 0
        self.is_wanted = bool(context.meta and context.meta.get("progress_token") is not None)

    async def say(self, message: str, *, done: bool = False) -> None:
        self._steps += 1
        await self._session.report_progress(self._steps, self._steps if done else None, message)

    def say_from_thread(self, message: str) -> None:
        from_thread.run(self.say, message)


class _Told(PinciteError):
    """An error received as an event, in its wire form."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        super().__init__(told["message"], field=told["field"] or "", suggestions=told["suggestions"])
        self.code = told["code"]


# --- results --------------------------------------------------------------------------------------------------


def result(body: Json, text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=body)


def refusal(error: PinciteError, names: str = "") -> CallToolResult:
    """What went wrong, what to do about it, and the valid choices."""
    told: Json = error.to_wire()["error"]  # type: ignore[assignment]
    lines = [f"{error.message} ({error.code})"]
    if told["suggestions"] and not any(repr(str(item)) in error.message for item in told["suggestions"]):
        lines.append(f"Try: {', '.join(map(str, told['suggestions']))}")
    if names and error.code in ("unknown_argument", "invalid_argument"):
        lines.append(names)
    return CallToolResult(
        content=[TextContent(type="text", text="\n".join(lines))], is_error=True, _meta={"error": told}
    )


def argument_names(tool: ServedTool) -> str:
    """One line that helps to correct a call."""
    schema = tool.listed().input_schema
    needed = schema.get("required", [])
    names = [f"{name} (required)" if name in needed else name for name in schema["properties"]]
    return f"Arguments of {tool.name}: {', '.join(names) or 'none'}"


def unknown_tool(name: str, known: list[str]) -> CallToolResult:
    return refusal(UnknownArgument.named("tool", name, known))
