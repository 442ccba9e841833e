"""`pincite mcp` as a client starts it: a real process, standard input and output, both eras."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

import pincite
from desk import SAMPLES
from mcp_client import MODES, text_of, with_client
from pincite.serve.mcp.tools import TOOLS

PROGRAM = [sys.executable, "-m", "pincite"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def server(*arguments: str, cwd: Path, **environ: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=PROGRAM[0],
        args=[*PROGRAM[1:], *arguments],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "PINCITE_DENSE": "off", **environ},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("stdio")
    with pincite.open(root / ".pincite") as library:
        library.ingest(SAMPLES)
        library.baselines.create("first")
    return root


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_answers_a_real_client(folder: Path, mode: str) -> None:
    async def work(client: Client) -> dict[str, Any]:
        found: dict[str, Any] = {"version": client.protocol_version}
        for name, arguments in (
            ("semanticSearch", {"query": "carry over annual leave"}),
            ("getContext", {"query": "carry over annual leave"}),
            ("getElement", {"element": "company/leave.md", "section": "4.2.2"}),
            ("verifyCitations", {"quotes": [{"quote": "Up to eight unused days move into the next leave year."}]}),
            ("compareBaselines", {"query": "leave", "from": "baseline:first"}),
            ("listRepositories", {}),
            ("indexHealth", {}),
            ("search", {"query": "annual leave"}),
        ):
            found[name] = await client.call_tool(name, arguments)
        first = found["search"].structured_content["results"][0]["id"]
        found["fetch"] = await client.call_tool("fetch", {"id": first})
        return found

    found = with_client(server("mcp", cwd=folder), work, mode)
    assert found.pop("version") == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
    assert set(found) == set(TOOLS)
    for name, result in found.items():
        assert not result.is_error, f"{name}: {text_of(result)}"
        assert result.structured_content
    assert found["verifyCitations"].structured_content["all_verified"] is True
    assert "eight unused days" in found["getElement"].structured_content["content"]


def test_progress_reaches_a_modern_client(folder: Path) -> None:
    told: list[str | None] = []

    async def note(_progress: float, _total: float | None, message: str | None) -> None:
        told.append(message)

    asked = {"element": "company/leave.md"}
    with_client(server("mcp", cwd=folder), lambda c: c.call_tool("getElement", asked, progress_callback=note))
    assert told == ["reading", "done"]


def test_a_client_that_says_everything_at_once_gets_the_list_and_a_clean_end(folder: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "PINCITE_DENSE": "off"}
    with subprocess.Popen(
        [*PROGRAM, "mcp"], cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        for message in (HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}, listing):
            process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        process.stdout.readline()
        listed = json.loads(process.stdout.readline())
        assert len(listed["result"]["tools"]) == len(TOOLS)
        process.stdin.close()
        assert process.wait(30) == 0


def test_nothing_of_the_engine_is_imported_before_the_list() -> None:
    code = (
        "import sys; import pincite.serve.mcp.server, pincite.cli.mcp; from pincite.serve.mcp.tools import TOOLS;"
        "[tool.listed() for tool in TOOLS.values()];"
        "print([name for name in ('pincite.library', 'pincite.settings', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_library_is_said_by_the_tool_and_found_once_it_is_there(tmp_path: Path) -> None:
    async def run() -> Iterator[Any]:
        async with Client(server("mcp", cwd=tmp_path), read_timeout_seconds=60) as client:
            assert len((await client.list_tools()).tools) == len(TOOLS)
            before = await client.call_tool("semanticSearch", {"query": "leave"})
            with pincite.open(tmp_path / ".pincite") as library:
                library.ingest(SAMPLES)
            return iter((before, await client.call_tool("semanticSearch", {"query": "leave"})))

    before, after = anyio.run(run)
    assert before.is_error
    assert "there is no library at" in text_of(before)
    assert "pincite ingest FOLDER" in text_of(before)
    assert not after.is_error
    assert after.structured_content["results"]


def test_roles_of_the_command_line_limit_what_agents_read(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "open.md").write_text("# Open\n\nLeave for all.\n")
    (tmp_path / "source" / "board.md").write_text("---\nroles: [board]\n---\n# Board\n\nLeave for the board.\n")
    with pincite.open(tmp_path / ".pincite") as library:
        library.ingest(tmp_path / "source")

    def ids(*roles: str) -> set[str]:
        options = [part for role in roles for part in ("--role", role)]
        asked = {"query": "leave"}
        result = with_client(server(*options, "mcp", cwd=tmp_path), lambda c: c.call_tool("semanticSearch", asked))
        assert result.structured_content is not None
        return {hit["element_id"] for hit in result.structured_content["results"]}

    assert ids("board") == {"open.md", "board.md"}
    assert ids("staff") == {"open.md"}


def test_options_for_http_need_http(run: Any) -> None:
    done = run("mcp", "--port", "9000")
    assert done.returncode == 2
    assert "--http" in done.stderr


# --- document tools -------------------------------------------------------------------------------------------

AGENT = """
tools:
  - name: handbook
    description: Rules of the company, for questions about leave and travel.
    source: docs
    search_mode: keyword
    top_k: 3
  - name: archive
    description: Old rules.
    source: docs
    search_mode: keyword
    defer_loading: true
"""


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text("# Leave\n\n## § 1 Days\n\nStaff have twenty days of leave.\n")
    (tmp_path / "agent.yaml").write_text(AGENT)
    return tmp_path


@pytest.mark.parametrize("mode", MODES)
def test_document_tools_are_served_under_their_own_names(agent: Path, mode: str) -> None:
    async def work(client: Client) -> tuple[list[Any], Any, Any, Any]:
        tools = list((await client.list_tools()).tools)
        found = await client.call_tool("handbook", {"query": "days of leave"})
        later = await client.call_tool("archive", {"query": "days of leave", "top_k": 1})
        return tools, found, later, await client.call_tool("handbook", {"query": "x", "topk": 1})

    tools, found, later, wrong = with_client(server("mcp", "--config", "agent.yaml", cwd=agent), work, mode)
    assert [tool.name for tool in tools] == ["handbook", "archive"]  # there is no library beside them
    assert tools[0].description.startswith("Rules of the company, for questions about leave and travel. Returns ")
    assert tools[0].input_schema["properties"]["top_k"]["default"] == 3
    for result in (found, later):
        assert not result.is_error, text_of(result)
        (hit,) = result.structured_content["results"]
        assert "twenty days" in hit["content"]
        assert hit["citation"].startswith("pincite:") and hit["citation"] in text_of(result)
    assert found.structured_content["tool"] == "handbook"
    assert wrong.is_error
    assert "did you mean 'top_k'?" in text_of(wrong)


def test_a_library_and_document_tools_are_served_together(agent: Path) -> None:
    with pincite.open(agent / ".pincite") as library:
        library.ingest(SAMPLES)

    async def work(client: Client) -> tuple[list[str], Any, Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        own = await client.call_tool("handbook", {"query": "days of leave"})
        return names, own, await client.call_tool("semanticSearch", {"query": "annual leave"})

    names, own, found = with_client(server("mcp", "--config", "agent.yaml", cwd=agent), work)
    assert names == [*TOOLS, "handbook", "archive"]
    assert own.structured_content["results"][0]["repository_id"] == "handbook"
    assert found.structured_content["results"][0]["repository_id"] == "main"


def test_a_document_tool_may_not_take_the_name_of_another(agent: Path, run: Any) -> None:
    (agent / "agent.yaml").write_text(AGENT.replace("name: handbook", "name: search"))
    done = run("mcp", "--config", str(agent / "agent.yaml"))
    assert done.returncode == 1
    assert "'search'" in done.stderr
    assert "choose another name" in done.stderr
