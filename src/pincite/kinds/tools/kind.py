"""Tools as a kind: a list in a JSON file holds many, each of them one element with one passage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath

from pincite.errors import InvalidArgument
from pincite.ids import normalise_id
from pincite.kinds.tools.cut import RECIPE, content_of, derivation_of
from pincite.kinds.tools.read import MAX_BYTES, parse_tool, parse_tools, tools_in_file
from pincite.protocols.kind import Declaration, Described
from pincite.reading import Item, Neighbourhood, ReadElement, ReadState, Recognised, Record, Unread
from pincite.types import Chunk, Content, Derivation

DECLARATION = Declaration(
    content_kinds=("tool",),
    suffixes={".json": "json"},
    media_types={"application/json": ".json"},
    max_bytes=MAX_BYTES,
    facets=("server", "readOnlyHint", "destructiveHint"),
)


class ToolsKind:
    """Tools of agents, in the lists that MCP, OpenAI and Anthropic use."""

    name = "tools"
    declares = DECLARATION

    def recipe(self, item_name: str = "") -> str:
        return RECIPE

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        """The tools of a list, each under the name of its file: two lists may have a tool of the same name."""
        server = str(PurePosixPath(item.name).with_suffix(""))
        seen: set[str] = set()
        for number, given in enumerate(tools_in_file(item.path), start=1):
            try:
                tool = parse_tool(given, number, server)
            except InvalidArgument as problem:
                yield Unread(f"tool {number}", problem.message)
                continue
            if tool.name in seen:
                yield Unread(f"tool {number}", f"two tools are called {tool.name!r}; names must differ")
                continue
            seen.add(tool.name)
            element_id = normalise_id(f"{item.prefix}{server}/{tool.name}")
            yield ReadElement(element_id, (ReadState(content_of(tool)),))

    def derive(self, element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        """The one passage, rendered from the definition that is its stored text."""
        (tool,) = parse_tools(json.loads(content.text))
        return derivation_of(tool, content.language)

    def recognise(self, query: str) -> Recognised:
        """Nothing: names of tools are found as every element's name is."""
        return Recognised()

    def interpret(self, record: Record) -> ReadElement | None:
        """A row as a tool that is called by its title and does what its text says."""
        name = " ".join(record.title.split()) or record.record_id
        definition = {"name": name, "description": record.text.strip()}
        return ReadElement(record.record_id, (ReadState(content_of(parse_tool(definition, 1))),))

    def describe(self, content: Content, chunk: Chunk | None, language: str) -> Described:
        """The name, with the server where one is known."""
        server = content.metadata.get("server")
        return Described(f"{content.name} ({server})" if server else content.name)
