"""The MCP Inspector from npm drives every tool. It is no dependency: where it is absent, this is skipped and says so.

.ci/run                                                     # puts it into .inspector/, where npm is there
npm install --global @modelcontextprotocol/inspector        # 2.x needs Node 22; older ones serve as well
MCP_INSPECTOR="node …/mcp-inspector" pytest tests/serve/mcp/test_mcp_inspector.py     # where it is elsewhere
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import SAMPLES
from pincite.serve.mcp.tools import TOOLS

INSTALLED = Path(__file__).parents[3] / ".inspector" / "node_modules" / ".bin"
"""Where `.ci/run` puts it."""
CALLS: dict[str, tuple[str, ...]] = {
    "semanticSearch": ("query=carry over annual leave",),
    "getContext": ("query=carry over annual leave",),
    "getElement": ("element=company/leave.md", "section=4.2.2"),
    "verifyCitations": ('text=It says "Up to eight unused days move into the next leave year."',),
    "compareBaselines": ("query=leave", "from=baseline:first"),
    "listRepositories": (),
    "indexHealth": (),
    "search": ("query=annual leave",),
    "fetch": ("id=company/leave.md",),
}


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    """How it is started; skips where it is not there."""
    given = os.environ.get("MCP_INSPECTOR", "")
    if given:
        return shlex.split(given)
    if found := shutil.which("mcp-inspector-cli", path=INSTALLED) or shutil.which("mcp-inspector"):
        return [found]
    if shutil.which("npx") is None:
        pytest.skip("no Node here: the MCP Inspector was not run")
    command = ["npx", "--no-install", "@modelcontextprotocol/inspector"]
    if subprocess.run([*command, "--cli", "--help"], capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("no @modelcontextprotocol/inspector here: the MCP Inspector was not run")
    return command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("inspector")
    with pincite.open(root / ".pincite") as library:
        library.ingest(SAMPLES)
        library.baselines.create("first")
    return root


def inspect(inspector: list[str], folder: Path, *arguments: str) -> tuple[int, Any]:
    target = [sys.executable, "-m", "pincite", "--library", str(folder / ".pincite"), "mcp"]
    command = [*inspector, "--cli", "-e", "PINCITE_DENSE=off", *target, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.strip().startswith("{") else done.stderr


@pytest.mark.slow
def test_the_inspector_lists_the_tools(inspector: list[str], folder: Path) -> None:
    code, listed = inspect(inspector, folder, "--method", "tools/list")
    assert code == 0, listed
    assert [tool["name"] for tool in listed["tools"]] == list(TOOLS) == list(CALLS)


@pytest.mark.slow
@pytest.mark.parametrize("tool", CALLS)
def test_the_inspector_calls_every_tool(inspector: list[str], folder: Path, tool: str) -> None:
    pairs = [part for argument in CALLS[tool] for part in ("--tool-arg", argument)]
    code, result = inspect(inspector, folder, "--method", "tools/call", "--tool-name", tool, *pairs)
    assert code == 0, result
    assert not result.get("isError"), result
    assert len(result["content"]) == 1
    assert result["structuredContent"]
