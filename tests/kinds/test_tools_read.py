"""Lists of tools in every shape that agents use become the same tools, and one passage each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import InvalidArgument, NotFound
from pincite.kinds.tools import Tool, element, load_tools_file, parse_tools
from pincite.kinds.tools.render import name_in_words, render

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Name of a\n town"},
        "unitSystem": {"enum": ["metric", "imperial", None]},
        "options": {"type": "object", "properties": {"days": {"description": "How many days"}}},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"at": {"description": "Station"}}}},
        "odd": True,
    },
}
PLAIN = {"name": "get_weather", "description": "Rain and snow."}

SHAPES: list[Any] = [
    {"tools": [{**PLAIN, "inputSchema": SCHEMA}]},
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**PLAIN, "inputSchema": SCHEMA}]}},
    [{**PLAIN, "inputSchema": SCHEMA}],
    [{"type": "function", "function": {**PLAIN, "parameters": SCHEMA}}],
    {"tools": [{"type": "function", **PLAIN, "parameters": SCHEMA}]},
    {"functions": [{**PLAIN, "parameters": SCHEMA}]},
    [{**PLAIN, "input_schema": SCHEMA}],
    {**PLAIN, "parameters": SCHEMA},
]


@pytest.mark.parametrize("given", SHAPES, ids=range(len(SHAPES)))
def test_every_shape_gives_the_same_passage(given: Any) -> None:
    (tool,) = parse_tools(given)
    assert (tool.name, tool.description) == ("get_weather", "Rain and snow.")
    assert render(tool) == (
        "get weather\n\nRain and snow.\n\nParameters:\n- city: Name of a town\n- unit system (metric, imperial)"
        "\n- options\n- options days: How many days\n- stops\n- stops at: Station"
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getWeatherForecast", "get weather forecast"),
        ("get_weather-forecast.v2", "get weather forecast v 2"),
        ("parseHTTPResponse", "parse HTTP response"),
        ("mcp__server__tool", "mcp server tool"),
        ("größe_ändern", "größe ändern"),
        ("___", ""),
    ],
)
def test_a_name_is_read_as_words(name: str, words: str) -> None:
    assert name_in_words(name) == words


def test_a_title_that_only_repeats_the_name_is_left_out() -> None:
    assert render(Tool("get_weather", title="Get weather")) == "get weather"
    assert render(Tool("get_weather", title="Forecast")) == "get weather – Forecast"
    assert render(Tool("___")) == "___"


def test_a_title_may_stand_in_the_annotations() -> None:
    (tool,) = parse_tools([{"name": "x", "annotations": {"title": "Ex", "readOnlyHint": True, "note": "n"}}])
    assert (tool.title, tool.hints) == ("Ex", {"readOnlyHint": True})


def test_any_change_of_a_definition_is_another_version() -> None:
    first, second = (parse_tools([{**PLAIN, "inputSchema": {"a": n}}])[0] for n in (1, 2))
    assert element(first).states[0].content != element(second).states[0].content
    assert element(first).states[0].derivation == element(second).states[0].derivation
    assert json.loads(element(first).states[0].content.text) == {**PLAIN, "inputSchema": {"a": 1}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("tools", "not a list of tools"),
        (3, "not a list of tools"),
        ({"servers": []}, "not a list of tools"),
        ([3], "tool 1 is int"),
        ([PLAIN, {"description": "x"}], "tool 2 has no name"),
        ([{"name": " "}], "tool 1 has no name"),
        ([PLAIN, PLAIN], "two tools are called 'get_weather'"),
    ],
)
def test_what_is_no_list_of_tools_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        parse_tools(given)


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"tools\.json"):
        load_tools_file(tmp_path / "tools.json")
    (tmp_path / "server.py").write_text("import mcp")
    with pytest.raises(InvalidArgument, match=r"not JSON.*--tools 'python server\.py'"):
        load_tools_file(tmp_path / "server.py")
    (tmp_path / "bom.json").write_text('\ufeff[{"name": "x"}]', encoding="utf-8")
    assert load_tools_file(tmp_path / "bom.json")[0].name == "x"
