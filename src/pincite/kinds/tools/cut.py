"""Cut: a tool is one element with one passage, rendered from its definition."""

from __future__ import annotations

import json

from pincite.ids import normalise_id
from pincite.kinds.tools.render import name_in_words, render
from pincite.kinds.tools.tool import Tool
from pincite.text.language import identify
from pincite.types import Alias, Chunk, Content, Derivation, JsonValue, PutElement, State

RECIPE = "tools/1"
"""Bump when the same definition gives another passage than before."""
MIN_LANGUAGE_CHARS = 40
"""Shorter descriptions are too little to tell a language from; names of tools are mostly English."""


def element_id(tool: Tool) -> str:
    """Its name, under its server where there are several."""
    return normalise_id(f"{tool.server}/{tool.name}" if tool.server else tool.name)


def element(tool: Tool) -> PutElement:
    """The tool as the catalog takes it."""
    content = content_of(tool)
    return PutElement(element_id(tool), (State(content, derivation_of(tool, content.language)),))


def content_of(tool: Tool) -> Content:
    """The stored text is the tool's definition: any change of it is a new version."""
    text = json.dumps(tool.definition, ensure_ascii=False, sort_keys=True, indent=2)
    language = identify(tool.description, default="en") if len(tool.description) >= MIN_LANGUAGE_CHARS else "en"
    metadata: dict[str, JsonValue] = dict(tool.hints)
    metadata |= {"server": tool.server} if tool.server else {}
    return Content("tool", "tool", tool.name, text, language, metadata)


def derivation_of(tool: Tool, language: str) -> Derivation:
    """Its one passage, and the names by which it is found."""
    passage = Chunk(0, rendered=render(tool), language=language, parent_chain=(name_in_words(tool.name) or tool.name,))
    names = dict.fromkeys(filter(None, (name_in_words(tool.name), tool.title)))
    return Derivation(RECIPE, (passage,), aliases=tuple(map(Alias, names)))
