"""Render: a tool as the passage that the legs read — what it is called in words, what it does, what it takes."""

from __future__ import annotations

import re

from pincite.kinds.tools.tool import Parameter, Tool

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
MAX_VALUES = 12
"""Of the values that a parameter is limited to; more say little about what the tool does."""


def name_in_words(name: str) -> str:
    """`getWeatherForecast`, `get_weather-forecast` → `get weather forecast`."""
    parts = (part for word in _WORD.findall(name) for part in _HUMPS.split(word))
    return " ".join(part.lower() if not part.isupper() or len(part) == 1 else part for part in parts)


def render(tool: Tool) -> str:
    """The passage of a tool."""
    words = name_in_words(tool.name)
    title = tool.title if tool.title.casefold() not in ("", words.casefold(), tool.name.casefold()) else ""
    head = " – ".join(filter(None, (words or tool.name, title)))
    takes = "\n".join(f"- {_line(parameter)}" for parameter in tool.parameters)
    return "\n\n".join(filter(None, (head, tool.description, takes and f"Parameters:\n{takes}")))


def _line(parameter: Parameter) -> str:
    values = ", ".join(parameter.values[:MAX_VALUES])
    said = " ".join(parameter.description.split())
    line = f"{name_in_words(parameter.name) or parameter.name}{f': {said}' if said else ''}"
    return f"{line} ({values})" if values else line
