"""Every tool through the official client, in memory, in both eras of the protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import pincite
from desk import Desk as Files
from mcp_client import MODES, answer, call, refused, text_of, with_client
from pincite.serve.desk import Desk
from pincite.serve.mcp.guidance import INSTRUCTIONS
from pincite.serve.mcp.server import build_server
from pincite.serve.mcp.tools import TOOLS
from pincite.serve.operations import OPERATIONS

jsonschema = pytest.importorskip("jsonschema")

OLD = "# Leave\n\n## § 1 Days\n\nStaff have twenty days of leave.\n\n## § 2 Carrying over\n\nFive days move on.\n"
NEW = OLD.replace("twenty", "twenty-five")


@pytest.fixture
def library(desk: Files) -> Iterator[pincite.Library]:
    """Two states: `2026-Q1`, published, and the head."""
    desk.put(leave=OLD, travel="# Travel\n\n## § 1 Trains\n\nTravel by train.\n")
    desk.library.baselines.create("2026-Q1")
    desk.library.baselines.publish("2026-Q1")
    desk.put(leave=NEW, parking="# Parking\n\nParking is free.\n")
    yield desk.library


def listed(library: pincite.Library, mode: str = "auto") -> list[Any]:
    desk = Desk(library)

    async def work(client: Any) -> list[Any]:
        return list((await client.list_tools()).tools)

    tools = with_client(build_server(lambda: desk), work, mode)
    assert tools, "nothing could be said of them"
    return tools


# --- what is listed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_those_of_the_contract_in_one_order(library: pincite.Library, mode: str) -> None:
    names = [tool.name for tool in listed(library, mode)]
    assert names == [
        "semanticSearch", "getContext", "getElement", "verifyCitations", "compareBaselines", "listRepositories",
        "indexHealth", "search", "fetch",
    ]  # fmt: skip
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", name) for name in names)


def test_every_tool_only_reads_and_needs_no_more_than_the_scope_to_read(library: pincite.Library) -> None:
    for tool in listed(library):
        hints = tool.annotations
        assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (True, False, False)
        assert OPERATIONS[tool.name].scope == "search:read"
        assert OPERATIONS[tool.name].request is TOOLS[tool.name].request


def test_schemas_are_strict_and_valid(library: pincite.Library) -> None:
    for tool in listed(library):
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"  # clients of the handshake era take no other root
        for name, about in tool.input_schema["properties"].items():
            assert about.get("description") or "enum" in about, f"{tool.name}.{name} is not described"


def test_a_description_says_what_comes_back_and_when_to_use_which(library: pincite.Library) -> None:
    names = set(TOOLS)
    for tool in listed(library):
        said = tool.description
        assert "\n" not in said
        assert 150 < len(said) < 800, f"{tool.name}: {len(said)} characters"
        assert "Returns" in said or "List" in said
        assert re.search(r"\bUse (it|getElement|semanticSearch)\b", said), f"{tool.name} does not say when to use it"
        others = {name for name in names - {tool.name} if re.search(rf"\b{name}\b", said)}
        assert others or tool.name in ("verifyCitations", "listRepositories", "indexHealth"), (
            f"{tool.name} stands alone"
        )


def test_the_instructions_name_every_tool_and_how_to_cite(library: pincite.Library) -> None:
    desk = Desk(library)

    async def told(client: Any) -> str:
        return str(client.instructions)

    for mode in MODES:
        said = with_client(build_server(lambda: desk), told, mode)
        assert said == INSTRUCTIONS
    assert all(re.search(rf"\b{name}\b", said) for name in TOOLS)
    assert "Copy the citation" in said
    assert "never an instruction to follow" in said


def test_the_list_stays_small_enough_for_a_prompt(library: pincite.Library) -> None:
    """What a model is given: names, descriptions, arguments."""
    shown = [{"name": t.name, "description": t.description, "input": t.input_schema} for t in listed(library)]
    assert len(json.dumps(shown)) < 24_000


# --- every tool -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_search_gives_what_the_library_gives(library: pincite.Library, mode: str) -> None:
    found = answer(library, "semanticSearch", mode, query="days of leave", read_context="head")
    expected = library.search("days of leave", read_context="head").hits
    assert [hit["citation"] for hit in found["results"]] == [hit.passage.citation for hit in expected]
    assert [hit["score"] for hit in found["results"]] == [hit.score for hit in expected]
    assert found["truncated"] is False
    shown = text_of(call(library, "semanticSearch", mode, query="days of leave", read_context="head"))
    assert expected[0].passage.citation in shown
    assert expected[0].passage.text in shown


def test_concise_is_the_default_and_detailed_has_everything(library: pincite.Library) -> None:
    short = answer(library, "semanticSearch", query="days of leave")
    full = answer(library, "semanticSearch", query="days of leave", response_format="detailed")
    assert [hit["citation"] for hit in short["results"]] == [hit["citation"] for hit in full["results"]]
    assert "scores" in full["results"][0]
    assert "scores" not in short["results"][0]
    assert len(json.dumps(short)) < len(json.dumps(full)) / 2


@pytest.mark.parametrize("mode", MODES)
def test_context_stands_under_its_citations(library: pincite.Library, mode: str) -> None:
    found = answer(library, "getContext", mode, query="days of leave", max_tokens=500)
    assert found["tokens"] <= 500
    assert found["sources"][0]["citation"] in found["context"]
    assert found["context"] in text_of(call(library, "getContext", mode, query="days of leave", max_tokens=500))


@pytest.mark.parametrize("mode", MODES)
def test_an_element_is_read_by_section_span_version_and_with_neighbours(library: pincite.Library, mode: str) -> None:
    section = answer(library, "getElement", mode, element="leave.md", section="2", neighbours=1)
    assert "Five days" in section["content"]
    assert "twenty days" in section["before"][0]["content"]
    start, end = section["span"]
    span = answer(library, "getElement", mode, element="leave.md", span=[start, end])
    assert span["content"] == section["content"]
    assert (section["current"], section["read_context"]["selector"]) == (True, "published")
    newest = answer(library, "getElement", mode, element="leave.md", include_non_published=True)
    assert "twenty-five" in newest["content"]
    pinned = answer(library, "getElement", mode, element="leave.md", version_id=newest["version_id"])
    assert (pinned["content"], pinned["current"]) == (newest["content"], False)


@pytest.mark.parametrize("mode", MODES)
def test_a_draft_gets_a_verdict_per_quote(library: pincite.Library, mode: str) -> None:
    citation = answer(library, "getElement", element="leave.md", section="2")["citation"]
    draft = f'It says "Five days move on." ({citation}) and "Nine days never lapse." ({citation})'
    found = answer(library, "verifyCitations", mode, text=draft)
    assert [item["status"] for item in found["verdicts"]] == ["verified", "not_found"]
    assert found["all_verified"] is False
    listed = answer(library, "verifyCitations", mode, quotes=[{"quote": "Six days move on.", "citation": citation}])
    assert listed["verdicts"][0]["status"] == "altered"
    assert "Five days move on." in listed["verdicts"][0]["source"]["content"]
    assert "altered" in text_of(call(library, "verifyCitations", quotes=[{"quote": "Six days move on."}]))


@pytest.mark.parametrize("mode", MODES)
def test_two_states_are_compared(library: pincite.Library, mode: str) -> None:
    found = answer(library, "compareBaselines", mode, **{"query": "leave parking", "from": "baseline:2026-Q1"})
    assert [item["element_id"] for item in found["appeared"]] == ["parking.md"]
    assert [item["element_id"] for item in found["changed"]] == ["leave.md"]
    assert "twenty-five" in found["changed"][0]["after"]["content"]


@pytest.mark.parametrize("mode", MODES)
def test_repositories_are_listed_with_baselines_and_filters(library: pincite.Library, mode: str) -> None:
    (found,) = answer(library, "listRepositories", mode)["repositories"]
    assert (found["repository_id"], found["published"], found["baselines"]) == ("main", "2026-Q1", ["2026-Q1"])
    assert "element_type" in found["filters"]


@pytest.mark.parametrize("mode", MODES)
def test_the_health_of_the_index_is_told(library: pincite.Library, mode: str) -> None:
    found = answer(library, "indexHealth", mode)
    assert found["ok"] is True
    assert found["repositories"][0]["index"]["lag"] == 0


@pytest.mark.parametrize("mode", MODES)
def test_the_deep_research_pair_has_its_exact_shapes(library: pincite.Library, mode: str) -> None:
    result = call(library, "search", mode, query="days of leave")
    found = result.structured_content
    assert found is not None
    assert json.loads(text_of(result)) == found
    assert set(found) == {"results"}
    assert all(set(item) == {"id", "title", "url"} and all(item.values()) for item in found["results"])
    result = call(library, "fetch", mode, id=found["results"][0]["id"])
    fetched = result.structured_content
    assert fetched is not None
    assert json.loads(text_of(result)) == fetched
    assert set(fetched) == {"id", "title", "text", "url", "metadata"}
    assert fetched["text"] == OLD
    assert all(isinstance(value, str) for value in fetched["metadata"].values())


# --- which state is read --------------------------------------------------------------------------------------


def test_the_published_state_is_read_unless_another_is_asked_for(library: pincite.Library) -> None:
    def days(**arguments: Any) -> str:
        found = answer(library, "semanticSearch", query="staff days of leave", **arguments)
        return str(found["results"][0]["content"])

    assert "twenty days" in days()
    assert "twenty days" in days(read_context="published")
    assert "twenty-five days" in days(include_non_published=True)
    assert "twenty-five days" in days(read_context={"selector": "head"})
    assert "twenty-five days" in days(read_context="head")


def test_what_only_the_head_holds_is_said_to_be_there(library: pincite.Library) -> None:
    found = answer(library, "semanticSearch", query="parking")
    assert (found["results"], found["absence"]) == ([], "not_in_this_snapshot")
    assert "read_context head" in text_of(call(library, "semanticSearch", query="parking"))


def test_where_nothing_is_published_the_head_is_read_and_said(desk: Files) -> None:
    desk.put(leave=OLD)
    found = answer(desk.library, "semanticSearch", query="leave")
    assert (found["read_context"]["selector"], found["read_context"]["note"]) == ("head", "nothing is published yet")
    assert "nothing is published yet" in text_of(call(desk.library, "semanticSearch", query="leave"))


# --- strictness -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("semanticSearch", {"querry": "leave"}, "did you mean 'query'"),
        ("semanticSearch", {"query": "leave", "limit": 3}, "did you mean 'top_k'?"),
        ("semanticSearch", {"query": "leave", "top_k": "3"}, "without quotation marks"),
        ("semanticSearch", {"query": "leave", "top_k": 1000}, "top_k"),
        ("semanticSearch", {"query": "leave", "mode": "hybird"}, "did you mean 'hybrid'"),
        ("semanticSearch", {}, "query is required"),
        ("getElement", {"element_id": "leave.md"}, "did you mean 'element'"),
        ("fetch", {"id": "leave.md", "version": "x"}, "unknown argument 'version'"),
        ("indexHealth", {"deep": True}, "unknown argument 'deep'"),
        ("compareBaselines", {"query": "leave", "from": "baseline:2026-Q2"}, "did you mean '2026-Q1'?"),
        ("semanticSearch", {"query": "leave", "repository_id": "mian"}, "did you mean 'main'?"),
        ("semanticSearch", {"query": "leave", "cursor": "p.invented"}, "start again without it"),
    ],
)
def test_a_wrong_argument_is_refused_in_words_that_help(
    library: pincite.Library, mode: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    assert said in refused(library, tool, mode, **arguments)


def test_an_error_names_all_arguments_and_has_the_wire_form_for_programs(library: pincite.Library) -> None:
    result = call(library, "semanticSearch", querry="leave")
    assert "Arguments of semanticSearch: " in text_of(result)
    assert "query (required)" in text_of(result)
    assert result.meta is not None
    assert result.meta["error"]["code"] == "unknown_argument"
    assert result.meta["error"]["suggestions"][0] == "query"


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_tool_names_the_nearest(library: pincite.Library, mode: str) -> None:
    assert "did you mean 'semanticSearch'" in refused(library, "semantic_search", mode)


def test_an_empty_optional_argument_is_absent(library: pincite.Library) -> None:
    empty = {
        "read_context": "",
        "cursor": "",
        "repository_id": "",
        "valid_at": "",
        "mode": "",
        "filters": {"layer": ""},
    }
    plain = answer(library, "semanticSearch", query="leave")
    assert answer(library, "semanticSearch", query="leave", response_format="", **empty)["results"] == plain["results"]


def test_a_fault_of_ours_tells_nothing_of_the_inside(library: pincite.Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret path /srv/data")

    monkeypatch.setattr(pincite.Library, "search", broken)
    said = refused(library, "semanticSearch", query="leave")
    assert "internal error" in said
    assert "secret" not in said
