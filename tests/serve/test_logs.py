"""Log lines: JSON that programs read, with trace ids, without what was asked; and never on standard output."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import SAMPLES
from pincite import telemetry
from pincite.errors import UnknownArgument
from pincite.serve.audit import Served
from pincite.serve.callers import local_caller
from pincite.serve.logs import JsonLines
from pincite.serve.request_log import RequestLog
from pincite.settings import load_config
from pincite.settings.serve import Log, log_settings
from serve.http.real_server import RealServer

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def served(outcome: str = "ok", **arguments: object) -> Served:
    return Served("http", "semanticSearch", local_caller(load_config({})), outcome, 0.0123, arguments)


def logged(caplog: pytest.LogCaptureFixture, told: Served, **settings: Any) -> dict[str, Any]:
    with caplog.at_level(logging.INFO, "pincite"):
        RequestLog(load_config(settings))(told)
    found: dict[str, Any] = json.loads(JsonLines().format(caplog.records[-1]))
    return found


def test_a_request_is_one_object_with_its_trace(caplog: pytest.LogCaptureFixture) -> None:
    with telemetry.request({"traceparent": PARENT}):
        line = logged(caplog, served(query="zebrafish"))
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "pincite.requests",
        "message": "http semanticSearch ok 12.3 ms",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "door": "http",
        "operation": "semanticSearch",
        "outcome": "ok",
        "ms": 12.3,
        "tenant": "default",
        "subject": "local",
        "issuer": None,
    }


def test_what_is_asked_is_logged_only_where_the_settings_say_so(caplog: pytest.LogCaptureFixture) -> None:
    assert "zebrafish" not in json.dumps(logged(caplog, served(query="zebrafish")))
    assert logged(caplog, served(query="zebrafish"), telemetry={"query_text": True})["query"] == "zebrafish"


def test_a_failure_of_ours_is_a_warning_and_a_mistake_of_the_caller_is_not(caplog: pytest.LogCaptureFixture) -> None:
    assert logged(caplog, served("unavailable"))["level"] == "warning"
    assert logged(caplog, served("invalid_argument"))["level"] == "info"


def test_a_crash_is_one_line_too() -> None:
    try:
        raise RuntimeError("two\nlines")
    except RuntimeError:
        record = logging.LogRecord("pincite.http", logging.ERROR, "", 0, "it \ud800 %s", ("broke",), sys.exc_info())
    text = JsonLines().format(record)
    assert "\n" not in text
    assert "RuntimeError: two" in json.loads(text)["exception"]


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    assert log_settings(Log(), "json").format == "json"
    assert log_settings(Log(format="json"), "").format == "json"
    with pytest.raises(UnknownArgument, match="json"):
        log_settings(Log(), "jsn")


def written(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("Log()", ["hello", "pincite: careful"]),
        ("Log(level='info')", ["hello", "pincite: asked", "pincite: careful"]),
        ("Log(format='json', level='error')", ["hello"]),
        ("Log(format='json')", ["hello", "asked", "careful"]),
    ],
)
def test_levels_decide_what_is_written_and_all_of_it_on_standard_error(log: str, expected: list[str]) -> None:
    done = written(
        "import logging; from pincite.serve.logs import configure, say; from pincite.settings.serve import Log;"
        f"configure({log}); say('hello'); logging.getLogger('pincite.x').info('asked');"
        "logging.getLogger('pincite.x').warning('careful'); logging.getLogger('httpx2').info('POST http://secret')"
    )
    said = done.stderr.splitlines()
    assert [json.loads(line)["message"] if line.startswith("{") else line for line in said] == expected
    assert done.stdout == ""


def test_over_stdio_standard_output_belongs_to_the_protocol(tmp_path: Path) -> None:
    with pincite.open(tmp_path / ".pincite") as library:
        library.ingest(SAMPLES)
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = {"name": "semanticSearch", "arguments": {"query": "zebrafish"}}
    process = subprocess.Popen(
        [sys.executable, "-m", "pincite", "mcp", "--log-format", "json"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    for number, (method, params) in enumerate((("initialize", client), ("tools/call", asked)), start=1):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == number
        if number == 1:
            process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    out, err = process.communicate(timeout=60)
    assert out == ""
    told = [line for line in lines(err) if line["logger"] == "pincite.requests"]
    assert [(line["door"], line["operation"], line["outcome"]) for line in told] == [("mcp", "semanticSearch", "ok")]
    assert len(told[0]["trace_id"]) == 32
    assert "zebrafish" not in err


@pytest.mark.slow
def test_a_server_writes_nothing_but_json_with_the_callers_trace(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library") as library:
        library.ingest(SAMPLES)
    server = RealServer(tmp_path / "library", ("--log-format", "json"))
    with server:
        server.client.get("/v1/search?q=zebrafish", headers={"traceparent": PARENT})
        server.client.get("/v1/search?q=leave&nope=1")
    told = lines("".join(server.said))
    asked = [line for line in told if line.get("operation") == "semanticSearch"]
    assert [line["outcome"] for line in asked] == ["ok", "unknown_argument"]
    assert asked[0]["trace_id"] == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert len(asked[1]["trace_id"]) == 32 and asked[1]["trace_id"] != asked[0]["trace_id"]
    assert "zebrafish" not in "".join(server.said)
