"""Tools of running MCP servers: over pipes and HTTP, with and without a handshake, page after page."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_servers import TOOLS, over_http

from pincite.errors import InvalidArgument, NotFound, Unavailable
from pincite.kinds.tools.live import list_tools

SERVER = Path(__file__).parent / "mcp_servers.py"
NAMES = [str(tool["name"]) for tool in TOOLS]


def command(*options: str) -> str:
    return shlex.join([sys.executable, str(SERVER), *options])


@pytest.mark.parametrize("options", [(), ("--modern",), ("--chat",), ("--modern", "--chat")])
def test_a_command_is_started_asked_and_stopped(options: tuple[str, ...]) -> None:
    listed = list_tools(command(*options))
    assert listed.server == "office"
    assert [tool.name for tool in listed.tools] == NAMES
    assert listed.tools[0].hints == {"readOnlyHint": True}


def test_what_a_dying_server_said_is_passed_on() -> None:
    with pytest.raises(Unavailable, match="no licence found"):
        list_tools(command("--die"))


def test_a_server_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(*given: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(*given, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(Unavailable, match=r"did not answer initialize within 0\.3 s"):
        list_tools(command("--hang"), timeout_seconds=0.3)
    (process,) = started
    assert process.poll() is not None, "it sleeps for a minute unless it is ended"


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_a_server_is_asked_over_http(modern: bool, stream: bool) -> None:
    with over_http(modern=modern, stream=stream) as (url, server):
        listed = list_tools(url)
    assert listed.server == "office"
    assert [tool.name for tool in listed.tools] == NAMES
    assert "tools/call" not in server.seen
    assert ("DELETE" in server.seen) is not modern


def test_a_header_lets_one_in_and_is_not_repeated_in_errors() -> None:
    with over_http(key="Bearer sesame") as (url, _):
        assert list_tools(url, headers={"Authorization": "Bearer sesame"}).tools
        with pytest.raises(Unavailable, match="HTTP 401") as refused:
            list_tools(url, headers={"Authorization": "Bearer wrong"})
    assert "wrong" not in refused.value.message


def test_what_is_not_a_server_is_reported() -> None:
    with over_http(status=500) as (url, _), pytest.raises(Unavailable, match="HTTP 500"):
        list_tools(url)
    with pytest.raises(Unavailable, match="cannot be reached"):
        list_tools("http://127.0.0.1:9/mcp", timeout_seconds=2)
    with pytest.raises(InvalidArgument, match="http, https or a command"):
        list_tools("ws://host/mcp")
    with pytest.raises(NotFound, match="neither a file"):
        list_tools("no-such-program-anywhere --serve")
    with pytest.raises(InvalidArgument, match="not a command"):
        list_tools("python 'unfinished")
