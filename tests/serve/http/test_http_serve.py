"""`pincite serve` for real: processes, signals, workers, and a stranger's generated requests."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from real_server import RealServer

import pincite
from desk import SAMPLES
from pincite.serve.callers import SCOPES
from pincite.serve.desk import Desk
from pincite.serve.http.run import _listen

pytestmark = pytest.mark.slow
MANY = 400


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with pincite.open(tmp_path / "library", dense="off") as opened:
        opened.ingest(SAMPLES)
    return tmp_path / "library"


def documents(count: int) -> list[tuple[str, tuple[str, bytes]]]:
    """Files that take a while to cut and index."""
    body = "\n\n".join(f"## Section {n}\n\nThe clerk files form {n} with the office before noon." for n in range(60))
    return [("file", (f"many/{n}.md", f"# Paper{n}x\n\n{body}".encode())) for n in range(count)]


def finished(server: RealServer, job_id: str, seconds: float = 90) -> dict[str, object]:
    end = time.monotonic() + seconds
    while (job := server.job(job_id))["state"] in ("queued", "running"):
        assert time.monotonic() < end, job
        time.sleep(0.05)
    return job


def test_it_serves_says_what_is_missing_and_stops_cleanly(library: Path) -> None:
    with RealServer(library) as server:
        assert server.client.get("/healthz").json() == {"status": "ok"}
        assert server.found("annual leave")[0] == "company/leave.md"
        assert "server" not in server.client.get("/healthz").headers
        assert server.stop() == 0
    assert any("stopped; everything acknowledged is on disk" in line for line in server.said)
    assert not any("Traceback" in line for line in server.said)


def test_answers_do_not_wait_for_the_acknowledgement_of_their_headers() -> None:
    """Without TCP_NODELAY each waits for the client's delayed ACK, 40 ms or more."""

    async def accepted_socket() -> int:
        made: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            made.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = _listen("127.0.0.1", 0)
        async with await asyncio.start_server(note, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            sends_at_once = await made
            writer.close()
            await writer.wait_closed()
            return sends_at_once

    assert asyncio.run(accepted_socket())


def test_what_was_acknowledged_before_a_sigterm_is_there_afterwards(library: Path) -> None:
    """A job under way is finished; its files are found by the next server."""
    server = RealServer(library).start()
    job = server.client.post("/v1/ingest", files=documents(MANY)).json()["job_id"]
    while server.job(job)["state"] == "queued":
        time.sleep(0.005)
    state = server.job(job)["state"]
    assert server.stop() == 0
    assert state == "running", "the test must stop it in the middle"
    with RealServer(library) as again:
        assert again.job(job)["state"] == "succeeded"
        assert again.job(job)["result"]["added"] == MANY
        assert again.found(f"Paper{MANY - 1}x") == [f"many/{MANY - 1}.md"]


def test_a_job_that_may_not_take_its_time_is_interrupted_and_can_be_sent_again(library: Path) -> None:
    server = RealServer(library, ("--shutdown-seconds", "0")).start()
    job = server.client.post("/v1/ingest", files=documents(MANY)).json()["job_id"]
    while server.job(job)["state"] == "queued":
        time.sleep(0.005)
    assert server.stop() == 0
    with RealServer(library) as again:
        told = again.job(job)
        assert told["state"] in ("interrupted", "succeeded")
        if told["state"] == "interrupted":
            assert "Send it again" in told["error"]["message"]
        sent = again.client.post("/v1/ingest", files=documents(MANY)).json()["job_id"]
        result = finished(again, sent)["result"]
        assert result["added"] + result["unchanged"] == MANY
        assert not result["failed"]
        assert again.client.get("/v1/health/doctor").json()["ok"]


@pytest.mark.crash
def test_a_killed_server_s_job_is_recorded_as_interrupted(library: Path) -> None:
    server = RealServer(library).start()
    job = server.client.post("/v1/ingest", files=documents(MANY)).json()["job_id"]
    waiting = server.client.post("/v1/ingest", files=[("file", ("late.md", b"# Latecomer"))]).json()["job_id"]
    while server.job(job)["state"] == "queued":
        time.sleep(0.005)
    server.kill()
    with RealServer(library) as again:
        ended = finished(again, job)
        assert ended["state"] in ("interrupted", "succeeded")
        if ended["state"] == "interrupted":
            assert "died while this ran: it was killed, crashed or ran out of memory" in ended["error"]["message"]
            assert "Find out why before sending it again" in ended["error"]["message"]
        assert finished(again, waiting)["state"] == "succeeded", "what was promised is done after the restart"
        assert again.found("latecomer") == ["late.md"]
        assert again.client.get("/v1/health/doctor").json()["ok"]


def test_workers_see_one_another_s_commits_and_jobs(library: Path) -> None:
    with RealServer(library, ("--workers", "2")) as server, ThreadPoolExecutor(8) as pool:
        url = str(server.client.base_url)

        def asked(number: int) -> tuple[list[str], int]:
            """On a connection of its own, which either worker takes."""
            answer = httpx2.get(f"{url}/v1/search?q=Ticket{number}x", timeout=60).json()
            jobs = httpx2.get(f"{url}/v1/jobs", timeout=60).json()["jobs"]
            return [hit["element_id"] for hit in answer["results"]], len(jobs)

        for number in range(5):
            name = f"note{number}.md"
            upload = [("file", (name, f"# Ticket{number}x".encode()))]
            finished(server, httpx2.post(f"{url}/v1/ingest", files=upload, timeout=60).json()["job_id"])
            assert list(pool.map(asked, [number] * 16)) == [([name], number + 1)] * 16
        counted = 'pincite_search_requests_total{outcome="ok",surface="http"} 80.0'
        assert counted in server.client.get("/metrics").text, "any worker gives the sum"
        assert len(who_counted(server)) == 2, "both must have answered"
        assert server.stop() == 0


def who_counted(server: RealServer) -> set[str]:
    """Processes that have counted a search, by their files in the shared folder of the metrics."""
    environ = Path(f"/proc/{workers_of(server)[0]}/environ").read_bytes().split(b"\0")
    shared = next(entry for entry in environ if entry.startswith(b"PROMETHEUS_MULTIPROC_DIR=")).partition(b"=")[2]
    return {path.name for path in Path(shared.decode()).glob("counter_*.db")}


def test_a_worker_that_dies_is_replaced(library: Path) -> None:
    with RealServer(library, ("--workers", "2")) as server:
        ids = workers_of(server)
        os.kill(ids[0], signal.SIGKILL)
        end = time.monotonic() + 60
        while len(set(workers_of(server)) - {ids[0]}) < 2 and time.monotonic() < end:
            time.sleep(0.2)
        for _ in range(10):
            assert httpx2.get(f"{server.client.base_url}/v1/search?q=leave", timeout=60).status_code == 200
        assert server.stop() == 0


def test_a_job_whose_worker_died_says_what_killed_it_and_is_not_to_be_tried_again(library: Path) -> None:
    with RealServer(library, ("--workers", "2")) as server:
        ids = workers_of(server)
        job = server.client.post("/v1/ingest", files=documents(MANY)).json()["job_id"]
        while server.job(job)["state"] == "queued":
            time.sleep(0.005)
        for pid in ids:  # one of them has it
            os.kill(pid, signal.SIGKILL)
        server.client.close()  # its connection went with a worker
        server.client = httpx2.Client(base_url=server.client.base_url, timeout=60)
        told = finished(server, job)
        if told["state"] == "succeeded":
            pytest.skip("it was faster than the signal")
        assert told["state"] == "interrupted"
        assert "ended by SIGKILL (killed), as systems do when memory runs out" in told["error"]["message"]
        assert "Find out why before sending it again" in told["error"]["message"]
        assert server.stop() == 0
    assert any("a worker died: it was ended by SIGKILL" in line for line in server.said)


def workers_of(server: RealServer) -> list[int]:
    """Processes below the server that answer."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    if not children.exists():
        pytest.skip("needs /proc")
    found = [int(pid) for pid in children.read_text().split()]
    return [pid for pid in found if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes().decode()]


def test_it_refuses_an_address_that_others_reach_without_authentication(library: Path) -> None:
    command = [sys.executable, "-m", "pincite", "--library", str(library), "serve", "--host", "0.0.0.0", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "no authentication is configured" in done.stderr


def test_a_port_in_use_is_said(library: Path) -> None:
    with RealServer(library) as server:
        port = str(server.client.base_url.port)
        command = [sys.executable, "-m", "pincite", "--library", str(library), "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 4
    assert "choose another with --port" in done.stderr


def test_schemathesis_finds_no_server_error(library: Path, tmp_path: Path) -> None:
    """Generated requests, good and bad, to every route; answers have the status and shape that the document states.

    Not asked: whether every null is refused, since an optional argument that is null is absent by contract.
    """
    with pincite.open(library) as opened:
        _, key = Desk(opened).verifier.keys.create("st", tenant="default", organization="default", scopes=tuple(SCOPES))
    with RealServer(library, environ={"PINCITE_SERVE__RATE_LIMIT__REQUESTS_PER_MINUTE": "0"}) as server:
        command = [
            sys.executable, "-m", "schemathesis.cli", "run", f"{server.client.base_url}/openapi.json",
            "-H", f"Authorization: Bearer {key}", "--phases", "examples,coverage,fuzzing", "-n", "3",
            "--max-time", "60", "--seed", "7",
            "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,"
            "response_schema_conformance,response_headers_conformance,ignored_auth,"
            "unsupported_method,allow_header_conformance",
            "--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "60",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
        assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
        assert server.client.get("/healthz").status_code == 200
    assert not any("Traceback" in line for line in server.said)
