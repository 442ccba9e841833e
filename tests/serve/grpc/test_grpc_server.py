"""The server itself: deadlines, cancelled calls, health, reflection, TLS, and how it stops."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

import pincite
from desk import SAMPLES
from grpc_client import Served, refused, serving
from pincite import extras
from pincite.errors import InvalidArgument, MissingExtra, Unavailable
from pincite.serve.desk import Desk
from pincite.serve.grpc import calls
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.running import SERVICE
from pincite.serve.grpc.senders import is_trusted
from pincite.serve.grpc.server import start
from pincite.serve.turns import WAITING
from pincite.settings.serve import ServeSettings
from self_signed import self_signed

StatusCode = grpc.StatusCode
Health = health_pb2.HealthCheckResponse
LEAVE = pb.SearchRequest(query="leave")


class Held(Desk):
    """A desk that is busy until it is released."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.begun, self.release = threading.Event(), threading.Event()
        self.budgets: list[float | None] = []
        self.events: list[Any] = []

    def run(self, *arguments: Any, **options: Any) -> Any:
        self.budgets.append(options.get("deadline_seconds"))
        self.begun.set()
        assert self.release.wait(60)
        return super().run(*arguments, **options)

    def stream(self, arguments: Mapping[str, object], *_: Any, **__: Any) -> Iterator[Any]:
        """The words at once; the rest when released."""
        keyword = super().run("semanticSearch", arguments, self.local(), door="test")
        for rank, hit in enumerate(keyword["results"], start=1):
            self.events.append(rank)
            yield {"event": "hit", "stage": "keyword", "rank": rank, "hit": hit}
            self.begun.set()
            assert self.release.wait(60)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pincite.Library]:
    with pincite.open(tmp_path_factory.mktemp("grpc-server") / "library") as opened:
        opened.ingest(SAMPLES)
        yield opened


@pytest.fixture
def held(library: pincite.Library) -> Iterator[Served]:
    yield from _held(library, 60)


@pytest.fixture
def hurried(library: pincite.Library) -> Iterator[Served]:
    """The same with little time for a request."""
    yield from _held(library, 1)


def _held(library: pincite.Library, request_seconds: float) -> Iterator[Served]:
    desk = Held(library, ServeSettings(request_seconds=request_seconds))
    with serving(desk) as served:
        yield served
        desk.release.set()


def eventually(check: Any, seconds: float = 40.0) -> None:
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


# --- deadlines ------------------------------------------------------------------------------------------------


def test_the_time_that_a_client_gives_is_the_budget_of_the_engine(held: Served) -> None:
    assert isinstance(held.desk, Held)
    held.desk.release.set()
    held.ask("Search", LEAVE, timeout=30)
    held.ask("Search", LEAVE, timeout=500)
    held.ask("Reindex", pb.ReindexRequest(), timeout=500)
    given, from_settings, long = held.desk.budgets
    assert given is not None and 0 < given < 31  # both sides read their clocks
    assert from_settings is not None and 30 < from_settings <= 60
    assert long is not None and 490 < long <= 505


def test_a_client_that_waits_no_longer_is_told_so(held: Served) -> None:
    assert refused(lambda: held.ask("Search", LEAVE, timeout=0.3)).code is StatusCode.DEADLINE_EXCEEDED
    assert isinstance(held.desk, Held)
    assert not held.desk.release.is_set()


def test_the_settings_limit_a_call_without_a_deadline(hurried: Served) -> None:
    refusal = refused(lambda: hurried.ask("Search", LEAVE, timeout=None))
    assert refusal.code is StatusCode.DEADLINE_EXCEEDED
    assert refusal.error.code == "deadline_exceeded"
    stream = pb.SearchStreamRequest(search=LEAVE)
    assert refused(lambda: hurried.ask("SearchStream", stream, timeout=None)).code is StatusCode.DEADLINE_EXCEEDED


def test_reindex_may_take_longer_than_a_request(hurried: Served) -> None:
    assert isinstance(hurried.desk, Held)
    threading.Timer(1.5, hurried.desk.release.set).start()
    assert hurried.ask("Reindex", pb.ReindexRequest(), timeout=None).rebuilt
    assert hurried.desk.budgets == [None]


# --- cancelled calls ------------------------------------------------------------------------------------------


def test_a_cancelled_stream_is_not_continued(held: Served) -> None:
    assert isinstance(held.desk, Held)
    stream = held.stub.SearchStream(pb.SearchStreamRequest(search=LEAVE))
    assert next(stream).hit.rank == 1
    assert held.desk.begun.wait(40)
    stream.cancel()
    eventually(lambda: held.running._calls.idle.is_set())
    held.desk.release.set()
    assert held.ask("Search", LEAVE).results, "the server goes on"
    assert held.desk.events == [1, 2], "the step under way was the last one"


def test_what_waits_for_a_thread_when_it_is_cancelled_is_never_begun(held: Served) -> None:
    assert isinstance(held.desk, Held)
    calls = [held.stub.Search.future(LEAVE) for _ in range(WAITING)]
    eventually(lambda: len(held.desk.budgets) == WAITING)  # type: ignore[attr-defined]
    waiting = held.stub.Search.future(LEAVE)
    eventually(lambda: held.running._calls._calls == WAITING + 1)
    waiting.cancel()
    eventually(lambda: held.running._calls._calls == WAITING)
    held.desk.release.set()
    for call in calls:
        assert call.result(30).results
    assert len(held.desk.budgets) == WAITING


def _audited(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(line["operation"], line["outcome"]) for line in map(json.loads, lines)]


class Busy(Desk):
    """A desk whose first question keeps its turn until it is released."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.begun, self.release = list[str](), threading.Event()

    def library_for(self, *arguments: Any, **options: Any) -> pincite.Library:
        self.begun.append("one")
        if len(self.begun) == 1:
            assert self.release.wait(60)
        return super().library_for(*arguments, **options)


@pytest.mark.parametrize("method", ["Search", "SearchStream"])
def test_what_waits_for_its_turn_when_it_is_cancelled_is_never_begun(
    library: pincite.Library, tmp_path: Path, method: str
) -> None:
    path = tmp_path / "audit.jsonl"
    desk = Busy(library, ServeSettings.model_validate({"audit": {"file": str(path)}}))
    with serving(desk) as served:
        first = served.stub.Search.future(LEAVE)
        eventually(lambda: desk.begun)
        asked = LEAVE if method == "Search" else pb.SearchStreamRequest(search=LEAVE)
        second = served.stub.Search.future(asked) if method == "Search" else served.stub.SearchStream(asked)
        eventually(lambda: desk._turns._threads._work_queue.qsize())
        second.cancel()
        eventually(lambda: _audited(path) == [("semanticSearch", "cancelled")])
        desk.release.set()
        assert first.result(30).results
        assert len(desk.begun) == 1
    desk.close()


def test_what_waits_for_a_thread_until_its_time_is_over_is_in_the_audit_log(
    library: pincite.Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "WAITING", 1)
    path = tmp_path / "audit.jsonl"
    desk = Busy(library, ServeSettings.model_validate({"audit": {"file": str(path)}}))
    with serving(desk) as served:
        first = served.stub.Search.future(LEAVE)
        eventually(lambda: desk.begun)
        for method, asked in (("Search", LEAVE), ("SearchStream", pb.SearchStreamRequest(search=LEAVE))):
            refusal = refused(lambda: served.ask(method, asked, timeout=0.3))  # noqa: B023 - asked at once
            assert refusal.code is StatusCode.DEADLINE_EXCEEDED
        eventually(lambda: len(_audited(path)) == 2)
        desk.release.set()
        assert first.result(30).results
    desk.close()
    assert {outcome for _, outcome in _audited(path)[:2]} <= {"deadline_exceeded", "cancelled"}


# --- health and reflection ------------------------------------------------------------------------------------


def test_health_answers_whoever_asks(library: pincite.Library) -> None:
    desk = Desk(library, ServeSettings.model_validate({"auth": {"mode": "required"}}))
    with serving(desk) as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        for name in ("", SERVICE):
            assert stub.Check(health_pb2.HealthCheckRequest(service=name)).status == Health.SERVING
        with pytest.raises(grpc.RpcError) as unknown:
            stub.Check(health_pb2.HealthCheckRequest(service="pincite.Nothing"))
        assert unknown.value.code() is StatusCode.NOT_FOUND  # type: ignore[attr-defined]
        assert refused(lambda: served.ask("Search", LEAVE)).code is StatusCode.UNAUTHENTICATED


def test_who_watches_is_told_that_the_server_stops_and_does_not_hold_it_up(library: pincite.Library) -> None:
    with serving(Desk(library)) as served:
        watched = health_pb2_grpc.HealthStub(served.channel).Watch(health_pb2.HealthCheckRequest(service=SERVICE))
        assert next(watched).status == Health.SERVING
        stopping = threading.Thread(target=served.running.stop, kwargs={"grace_seconds": 3_600}, daemon=True)
        stopping.start()
        assert next(watched).status == Health.NOT_SERVING
        stopping.join(60)
        assert not stopping.is_alive(), "the whole hour is waited for"


def _services(served: Served) -> list[str]:
    stub = reflection_pb2_grpc.ServerReflectionStub(served.channel)
    asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    (answer,) = stub.ServerReflectionInfo(asked)
    return [service.name for service in answer.list_services_response.service]


def test_reflection_is_off_unless_asked_for(library: pincite.Library) -> None:
    with serving(Desk(library)) as served, pytest.raises(grpc.RpcError) as unknown:
        _services(served)
    assert unknown.value.code() is StatusCode.UNIMPLEMENTED  # type: ignore[attr-defined]
    with serving(Desk(library), reflection=True) as served:
        assert SERVICE in _services(served)
        stub = reflection_pb2_grpc.ServerReflectionStub(served.channel)
        asked = iter([reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE)])
        (answer,) = stub.ServerReflectionInfo(asked)
        assert pb.DESCRIPTOR.serialized_pb in answer.file_descriptor_response.file_descriptor_proto


# --- addresses ------------------------------------------------------------------------------------------------


def test_others_are_served_only_when_they_must_say_who_they_are(library: pincite.Library) -> None:
    with pytest.raises(InvalidArgument, match="no authentication is configured"):
        start(Desk(library), "0.0.0.0:0")
    desk = Desk(library, ServeSettings.model_validate({"auth": {"mode": "required"}}))
    start(desk, "0.0.0.0:0").stop()


def test_a_port_that_is_taken_is_an_error(library: pincite.Library) -> None:
    with serving(Desk(library)) as served, pytest.raises(Unavailable, match="cannot be served"):
        start(Desk(library), f"127.0.0.1:{served.running.port}")


def test_workers_share_a_port(library: pincite.Library) -> None:
    with serving(Desk(library), shared=True) as served:
        other = start(Desk(library), f"127.0.0.1:{served.running.port}", shared=True)
        assert other.port == served.running.port
        other.stop()
        assert served.ask("Search", LEAVE, wait_for_ready=True).results


def test_in_production_nothing_goes_over_a_plain_connection(library: pincite.Library) -> None:
    with pytest.raises(InvalidArgument, match="pass a certificate"):
        start(Desk(library, ServeSettings(production=True)), "127.0.0.1:0")
    settings = ServeSettings(production=True, trusted_proxies=("127.0.0.0/8",))
    with serving(Desk(library, settings)) as served:
        for metadata in ((), (("x-forwarded-proto", "http"),)):
            call = lambda metadata=metadata: served.stub.Search(LEAVE, metadata=metadata)  # noqa: E731
            assert refused(call).code is StatusCode.PERMISSION_DENIED
        assert served.stub.Search(LEAVE, metadata=(("x-forwarded-proto", "https"),)).results
    elsewhere = ServeSettings(production=True, trusted_proxies=("10.0.0.1",))
    with serving(Desk(library, elsewhere)) as served:
        call = lambda: served.stub.Search(LEAVE, metadata=(("x-forwarded-proto", "https"),))  # noqa: E731
        assert refused(call).code is StatusCode.PERMISSION_DENIED


def test_a_proxy_is_known_by_its_address() -> None:
    assert is_trusted("ipv4:10.0.0.7:4711", ("10.0.0.0/24",))
    assert is_trusted("ipv6:[::1]:4711", ("::1",))
    for peer in ("ipv4:10.0.1.7:4711", "unix:/tmp/x", "ipv4:nonsense", ""):
        assert not is_trusted(peer, ("10.0.0.0/24", "::1"))


def test_with_a_certificate_it_speaks_tls_alone(library: pincite.Library, tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    desk = Desk(library, ServeSettings(production=True))
    with serving(desk, certificate=str(certificate), key=str(key)) as served:
        trusted = grpc.ssl_channel_credentials(certificate.read_bytes())
        with grpc.secure_channel(f"localhost:{served.running.port}", trusted) as channel:
            assert Served(desk, served.running, channel).ask("Search", LEAVE).results
        assert refused(lambda: served.ask("Search", LEAVE, timeout=5)).code is StatusCode.UNAVAILABLE
    with pytest.raises(InvalidArgument, match="must be given together"):
        start(desk, "127.0.0.1:0", certificate=str(certificate))
    with pytest.raises(InvalidArgument, match="pass a PEM file"):
        start(desk, "127.0.0.1:0", certificate=str(tmp_path / "none.pem"), key=str(key))


# --- stopping -------------------------------------------------------------------------------------------------


def test_a_call_under_way_is_finished_and_a_new_one_refused(held: Served) -> None:
    assert isinstance(held.desk, Held)
    under_way = held.stub.Search.future(LEAVE)
    assert held.desk.begun.wait(40)
    with ThreadPoolExecutor(1) as pool:
        stopping = pool.submit(held.running.stop, 20)
        eventually(lambda: refused(lambda: held.ask("Search", LEAVE, timeout=0.5)).code is StatusCode.UNAVAILABLE)
        assert not stopping.done()
        held.desk.release.set()
        assert under_way.result(40).results
        stopping.result(40)
    held.running.stop()


def test_after_its_time_a_call_is_given_up(library: pincite.Library) -> None:
    desk = Held(library)
    with serving(desk) as served:
        call = served.stub.Search.future(LEAVE)
        assert desk.begun.wait(40)
        with ThreadPoolExecutor(1) as pool:
            stopping = pool.submit(served.running.stop, 0.3)
            assert call.exception(40) is not None
            assert not stopping.done(), "the library must not be closed under the thread"
            desk.release.set()
            stopping.result(40)


def test_without_the_extra_it_says_what_to_install(library: pincite.Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "grpc_health" else object())
    with pytest.raises(MissingExtra, match=r'pip install "pincite\[grpc\]"'):
        start(Desk(library), "127.0.0.1:0")
