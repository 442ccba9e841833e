"""Tools of agents, ranked for a request: the right one first, the same order every time, changes taken up."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pincite import ToolIndex
from pincite.errors import InvalidArgument, NotFound
from pincite.tool_index import read_tools
from terminal import Run

SERVER = Path(__file__).parents[1] / "kinds" / "mcp_servers.py"
TOOLS = [
    {"name": "get_weather", "title": "Forecast", "description": "Rain, snow and temperature of the coming days."},
    {"name": "sendInvoice", "description": "Send an invoice to a customer."},
    {"name": "book_train", "description": "Reserve a seat on a train."},
    {"name": "translate", "description": "Turn a text into another language."},
]


def test_the_tool_that_fits_comes_first() -> None:
    with ToolIndex(TOOLS) as index:
        found = index.search("will there be snow tomorrow?", limit=2)
        assert found[0].name == "get_weather"
        assert found[0].why == "words: snow"
        assert 0 < found[0].score <= 1
        assert (found[0].title, found[0].definition) == ("Forecast", TOOLS[0])
        assert found[0].scores["keyword"] is not None and found[0].scores["semantic"] is None
        assert len(found) == 1


def test_a_tool_is_found_by_its_name_in_any_spelling() -> None:
    with ToolIndex(TOOLS) as index:
        for spelling in ("sendInvoice", "send_invoice", "send invoice"):
            found = index.search(spelling)
            assert found[0].name == "sendInvoice"
            assert "the request names it" in found[0].why


def test_the_words_of_a_name_and_of_parameters_count() -> None:
    properties = {"currency": {"description": "Three letters, like CHF"}}
    tool = {"name": "convertMoney", "inputSchema": {"type": "object", "properties": properties}}
    with ToolIndex([*TOOLS, tool]) as index:
        assert index.search("how to convert this?")[0].name == "convertMoney"
        assert index.search("which currency")[0].name == "convertMoney"


def test_order_and_scores_do_not_depend_on_the_order_of_the_list() -> None:
    def asked(tools: list[dict[str, str]]) -> list[tuple[str, float]]:
        with ToolIndex(tools, dense="auto", embedding_model="hashing:128") as index:
            return [(m.name, m.score) for m in index.search("a text about a seat on a train in snow", limit=10)]

    assert asked(TOOLS) == asked(TOOLS[::-1])
    assert len(asked(TOOLS)) >= 3


def test_tools_come_and_go() -> None:
    with ToolIndex(TOOLS[:2]) as index:
        assert list(index) == ["get_weather", "sendInvoice"]
        assert index.add(TOOLS) == 2
        assert index.add([{**TOOLS[1], "description": "Pay a bill."}]) == 1
        assert index.search("pay")[0].name == "sendInvoice"
        index.remove("book_train")
        assert len(index) == 3
        assert not index.search("train")
        with pytest.raises(NotFound, match="no tool 'book_train'"):
            index.remove("book_train")


def test_a_folder_is_kept_and_brought_in_line(tmp_path: Path) -> None:
    with ToolIndex(TOOLS, folder=tmp_path / "tools"):
        pass
    with ToolIndex(folder=tmp_path / "tools") as index:
        assert len(index) == 4
    with ToolIndex(TOOLS[:1], folder=tmp_path / "tools") as index:
        assert list(index) == ["get_weather"]


def test_a_temporary_index_is_removed() -> None:
    index = ToolIndex(TOOLS)
    assert index.library.path.exists()
    index.close()
    assert not index.library.path.exists()
    with pytest.raises(InvalidArgument, match="not a list of tools"):
        ToolIndex("tools.json")


def test_several_places_keep_tools_of_one_name_apart(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps({"tools": TOOLS}))
    places = [str(tmp_path / "mine.json"), f"{sys.executable} {SERVER}"]
    with ToolIndex(read_tools(places)) as index:
        assert {"mine/get_weather", "office/get_weather"} <= set(index)
        found = index.search("snow", limit=10)
        assert {(match.server, match.name) for match in found} == {("mine", "get_weather"), ("office", "get_weather")}
    assert {tool.server for tool in read_tools(places[:1])} == {""}
    with pytest.raises(InvalidArgument, match="two tools are called 'mine/get_weather'"):
        read_tools(places[:1] * 2)


def test_the_commands_rank_and_list(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": TOOLS}))
    done = run("tools", "search", "snow", "tomorrow?", "--tools", "tools.json")
    assert done.returncode == 0
    assert done.stdout.startswith("1. get_weather")
    found = json.loads(run("tools", "search", "snow", "--tools", "tools.json", "--json", "--limit", "1").stdout)
    assert [match["name"] for match in found["results"]] == ["get_weather"]
    assert run("tools", "search", "xylophone", "--tools", "tools.json").stdout == "no tool fits\n"
    listed = run("tools", "list", "--tools", f"{sys.executable} {SERVER}")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["get_weather", "sendInvoice", "book_train"]
    assert run("tools", "list", "--tools", "nowhere.json").returncode == 3
    done = run("tools", "list", "--tools", "http://127.0.0.1:9/mcp", "--header", "secret", "--timeout", "2")
    assert done.returncode == 2
    assert "secret" not in done.stderr
