"""Read: MCP's `tools/list`, function lists of OpenAI, and the tools of Anthropic's messages, into `Tool`s.

    {"tools": [{"name": …, "title": …, "description": …, "inputSchema": {…}, "annotations": {…}}]}     MCP
    [{"type": "function", "function": {"name": …, "description": …, "parameters": {…}}}]               OpenAI, chat
    [{"type": "function", "name": …, "description": …, "parameters": {…}}]                             OpenAI, responses
    [{"name": …, "description": …, "input_schema": {…}}]                                               Anthropic

A list may stand alone, under `tools` or `functions`, or under the `result` of a JSON-RPC response.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pincite.errors import InvalidArgument, NotFound
from pincite.kinds.tools.tool import Parameter, Tool

MAX_BYTES = 50_000_000
MAX_DEPTH = 3
"""Objects within objects whose parameters are named too."""
SCHEMAS = ("inputSchema", "input_schema", "parameters")
EXPECTED = "expected an MCP tools/list result, or a list of functions in OpenAI's format"


def load_tools_file(path: Path, server: str = "") -> tuple[Tool, ...]:
    """The tools in a JSON file."""
    return parse_tools(tools_in_file(path), server)


def tools_in_file(path: Path) -> Sequence[object]:
    """What the list in a JSON file holds, as it stands there."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InvalidArgument(f"{path} has {size:,} bytes, too many for a list of tools", field="tools")
        given = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {str(path)!r}", field="tools") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}", field="tools") from error
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(
            f"{path} is not JSON: {error}. A server is started by its command: --tools 'python {path.name}'",
            field="tools",
        ) from error
    return _items(given)


def parse_tools(given: object, server: str = "") -> tuple[Tool, ...]:
    """Tools in the order given. Two of one name are an error: an agent could not call both."""
    tools = tuple(parse_tool(item, number, server) for number, item in enumerate(_items(given), start=1))
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise InvalidArgument(f"two tools are called {tool.name!r}; names must differ", field="tools")
        seen.add(tool.name)
    return tools


def parse_tool(given: object, number: int, server: str = "") -> Tool:
    """One tool of a list; `number` is its place, for the person who has to fix it."""
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"tool {number} is {type(given).__name__}, not an object; {EXPECTED}", field="tools")
    inner = given.get("function")
    body = inner if isinstance(inner, Mapping) else given
    name = body.get("name")
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(f"tool {number} has no name; {EXPECTED}", field="tools")
    annotations = body.get("annotations")
    annotations = annotations if isinstance(annotations, Mapping) else {}
    schema: Mapping[str, Any] = next((body[key] for key in SCHEMAS if isinstance(body.get(key), Mapping)), {})
    return Tool(
        name=name.strip(),
        title=_text(body.get("title")) or _text(annotations.get("title")),
        description=_text(body.get("description")),
        parameters=tuple(_parameters(schema)),
        hints={str(key): value for key, value in annotations.items() if isinstance(value, bool)},
        server=server,
        definition=dict(given),
    )


def _items(given: object) -> Sequence[object]:
    if isinstance(given, Mapping):
        for key in ("result", "tools", "functions"):
            if key in given:
                return _items(given[key])
        if isinstance(given.get("name"), str) or isinstance(given.get("function"), Mapping):
            return (given,)
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return given
    raise InvalidArgument(f"this is not a list of tools; {EXPECTED}", field="tools")


def _parameters(schema: Mapping[str, Any], above: str = "", depth: int = 1) -> Iterator[Parameter]:
    """The properties of a JSON Schema, those of objects and lists in it under the name of their parent."""
    properties = schema.get("properties")
    for name, body in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(body, Mapping):
            continue
        path = f"{above}.{name}" if above else str(name)
        listed = body.get("enum")
        values = tuple(str(value) for value in listed if value is not None) if isinstance(listed, list) else ()
        yield Parameter(path, _text(body.get("description")), values)
        inner = body.get("items") if isinstance(body.get("items"), Mapping) else body
        if depth < MAX_DEPTH and isinstance(inner, Mapping):
            yield from _parameters(inner, path, depth + 1)


def _text(given: object) -> str:
    return given.strip() if isinstance(given, str) else ""
