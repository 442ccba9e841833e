"""What is refused over gRPC: the status, and the details from which a program corrects itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo

import pincite
from desk import SAMPLES
from grpc_client import Served, refused, serving
from pincite.errors import Conflict, DeadlineExceeded, PinciteError, Unavailable
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.problems import code_of
from pincite.serve.grpc.running import SERVICE
from pincite.serve.limits import Limiter
from pincite.settings.serve import RateLimit

StatusCode = grpc.StatusCode


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pincite.open(tmp_path_factory.mktemp("grpc-errors") / "library") as library:
        library.ingest(SAMPLES)
        with serving(Desk(library)) as served:
            yield served


def search(**fields: Any) -> pb.SearchRequest:
    return pb.SearchRequest(**{"query": "leave", **fields})


WRONG: dict[str, tuple[pb.SearchRequest, str, str]] = {
    "too many results": (search(top_k=1000), "invalid_argument", "top_k"),
    "none at all": (search(top_k=0), "invalid_argument", "top_k"),
    "a score beyond the scale": (search(min_score=2), "invalid_argument", "min_score"),
    "no query": (search(query=""), "invalid_argument", "query"),
    "an unknown mode": (search(mode=77), "invalid_argument", "mode"),
    "two states": (
        search(read_context=pb.ReadContext(baseline_id="v1", as_of="2026-01-01")), "invalid_argument", "baseline_id",
    ),
    "a filter that does not exist": (
        search(filters={"langage": "en"}), "unknown_argument", "langage",  # type: ignore[arg-type]
    ),
    "a filter that is no number": (search(filters={"language": float("nan")}), "invalid_argument", "filters"),  # type: ignore[arg-type]
    "an infinite filter": (search(filters={"language": [float("inf")]}), "invalid_argument", "filters"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named(here: Served, name: str) -> None:
    request, code, field = WRONG[name]
    refusal = refused(lambda: here.ask("Search", request))
    assert refusal.code is StatusCode.INVALID_ARGUMENT
    assert (refusal.error.code, refusal.error.field) == (code, field)
    assert refusal.error.message == refusal.message
    (violation,) = refusal.detail(BadRequest).field_violations
    assert (violation.field, violation.description) == (field, refusal.message)
    info = refusal.detail(ErrorInfo)
    assert (info.reason, info.domain) == (code.upper(), "pincite")


def test_the_same_error_as_the_desk_gives(here: Served) -> None:
    with pytest.raises(PinciteError) as direct:
        here.desk.run("semanticSearch", {"query": "x", "repository_id": ["mian"]}, here.desk.local(), door="test")
    refusal = refused(lambda: here.ask("Search", search(query="x", repository_id=["mian"])))
    assert refusal.code is StatusCode.NOT_FOUND
    assert refusal.message == direct.value.message
    assert (refusal.error.field, list(refusal.error.suggestions)) == ("repository_id", ["main"])


def test_an_error_in_a_stream_ends_it_with_a_status(here: Served) -> None:
    for request in (search(top_k=1000), search(repository_id=["mian"])):
        streamed = refused(lambda request=request: here.ask("SearchStream", pb.SearchStreamRequest(search=request)))
        direct = refused(lambda request=request: here.ask("Search", request))
        assert (streamed.code, streamed.message, streamed.error) == (direct.code, direct.message, direct.error)
    assert refused(lambda: here.ask("SearchStream", pb.SearchStreamRequest())).error.field == "query"


def test_a_field_of_a_newer_proto_is_refused_rather_than_passed_over(here: Served) -> None:
    newer = b"\xf2\x3e\x01x"  # field 1006, a string
    request = pb.SearchRequest.FromString(search().SerializeToString() + newer)
    inside = search(read_context=pb.ReadContext.FromString(newer))
    for asked in (request, inside):
        refusal = refused(lambda asked=asked: here.ask("Search", asked))
        assert refusal.code is StatusCode.INVALID_ARGUMENT
        assert (refusal.error.code, refusal.error.field) == ("unknown_argument", "1006")


def test_a_long_name_does_not_burst_the_headers_of_a_status(here: Served) -> None:
    refusal = refused(lambda: here.ask("Search", search(repository_id=["ä" * 100_000])))
    assert refusal.code is StatusCode.NOT_FOUND
    assert len(refusal.message) <= 500
    assert refusal.error.code == "not_found"


def test_a_request_that_is_too_large_is_refused(here: Served) -> None:
    refusal = refused(lambda: here.ask("Search", search(query="x" * (5 * 1024 * 1024))))
    assert refusal.code is StatusCode.RESOURCE_EXHAUSTED


def test_every_code_of_the_wire_has_its_status() -> None:
    expected = {
        PinciteError("x"): StatusCode.INTERNAL,
        Conflict("x"): StatusCode.FAILED_PRECONDITION,
        Unavailable("x"): StatusCode.UNAVAILABLE,
        DeadlineExceeded("x"): StatusCode.DEADLINE_EXCEEDED,
    }
    assert {error: code_of(error) for error in expected} == expected


def test_what_nobody_foresaw_is_in_the_log_and_not_in_the_answer(
    here: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a secret of the server")

    monkeypatch.setattr(here.desk, "run", broken)
    calls: list[Callable[[], Any]] = [
        lambda: here.ask("Search", search()),
        lambda: here.ask("SearchStream", pb.SearchStreamRequest(search=search())),
    ]
    for call in calls:
        refusal = refused(call)
        assert refusal.code is StatusCode.INTERNAL
        assert "secret" not in refusal.message
        assert refusal.error.code == "internal"
    assert caplog.text.count("ZeroDivisionError: a secret of the server") == 2


GARBAGE = b"\x0a\xff\xff\xff\xff\x0fno message"
"""A field whose length leads beyond the end."""


def _raw(served: Served, service: str, method: str, **options: Any) -> Any:
    """Call a method with bytes that are no message of it."""
    make = served.channel.unary_stream if method in ("SearchStream", "Watch") else served.channel.unary_unary
    call = make(f"/{service}/{method}", request_serializer=lambda data: data)
    answer = call(GARBAGE, timeout=30, **options)
    return list(answer) if method in ("SearchStream", "Watch") else answer


@pytest.mark.parametrize("method", ["Search", "SearchStream", "GetContext", "Reindex", "GetIndexHealth"])
def test_bytes_that_are_no_message_are_a_wrong_argument(
    here: Served, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = refused(lambda: _raw(here, SERVICE, method))
    assert refusal.code is StatusCode.INVALID_ARGUMENT
    assert f"{SERVICE}/{method} is not a protobuf message" in refusal.message
    assert (refusal.error.code, refusal.error.message) == ("invalid_argument", refusal.message)
    assert refusal.detail(ErrorInfo).reason == "INVALID_ARGUMENT"
    assert caplog.text == "", "whoever sends nonsense does not fill the log"


@pytest.mark.parametrize("method", ["Check", "Watch"])
def test_health_is_not_upset_by_them_either(here: Served, method: str, caplog: pytest.LogCaptureFixture) -> None:
    assert refused(lambda: _raw(here, "grpc.health.v1.Health", method)).code is StatusCode.INVALID_ARGUMENT
    assert caplog.text == ""


# --- who asks -------------------------------------------------------------------------------------------------

EVERY = {
    "Search": search(),
    "SearchStream": pb.SearchStreamRequest(search=search()),
    "GetContext": pb.GetContextRequest(query="leave"),
    "Reindex": pb.ReindexRequest(),
    "GetIndexHealth": pb.GetIndexHealthRequest(),
}


@pytest.fixture
def guarded(tmp_path: Any) -> Iterator[Served]:
    """A server that asks for keys, and lets each ask three times at once."""
    with pincite.open(tmp_path / "library") as library:
        library.ingest(SAMPLES / "company")
        desk = Desk(library, limiter=Limiter(RateLimit(requests_per_minute=1, burst=3)))
        with serving(desk) as served:
            served.token = served.key("reader", scopes=("search:read",))
            yield served


@pytest.mark.parametrize("method", EVERY)
def test_without_a_token_nobody_is_answered(guarded: Served, method: str) -> None:
    refusal = refused(lambda: guarded.ask(method, EVERY[method], token=""))
    assert refusal.code is StatusCode.UNAUTHENTICATED
    assert refusal.message.startswith("authentication required;")
    assert refusal.detail(ErrorInfo).metadata["reason"] == "authentication required"


@pytest.mark.parametrize("method", EVERY)
def test_a_bad_token_is_refused_and_not_explained(guarded: Served, method: str) -> None:
    for token in ("nonsense", guarded.token[:-1], guarded.token + "x"):
        refusal = refused(lambda token=token: guarded.ask(method, EVERY[method], token=token))
        assert refusal.code is StatusCode.UNAUTHENTICATED
        assert refusal.detail(ErrorInfo).metadata["reason"] == "invalid token"


@pytest.mark.parametrize("method", EVERY)
def test_who_sends_nonsense_is_asked_first_who_they_are(guarded: Served, method: str) -> None:
    refusal = refused(lambda: _raw(guarded, SERVICE, method))
    assert refusal.code is StatusCode.UNAUTHENTICATED
    assert refusal.detail(ErrorInfo).metadata["reason"] == "authentication required"
    known = [("authorization", f"Bearer {guarded.token}")]
    assert refused(lambda: _raw(guarded, SERVICE, method, metadata=known)).code is StatusCode.INVALID_ARGUMENT


def test_another_scheme_is_no_token(guarded: Served) -> None:
    metadata = [("authorization", f"Basic {guarded.token}")]
    refusal = refused(lambda: guarded.stub.Search(search(), metadata=metadata, timeout=30))
    assert refusal.detail(ErrorInfo).metadata["reason"] == "authentication required"


def test_a_key_opens_what_its_scopes_say(guarded: Served) -> None:
    assert guarded.ask("Search", search()).results
    assert guarded.ask("GetContext", EVERY["GetContext"]).context
    refusal = refused(lambda: guarded.ask("Reindex", EVERY["Reindex"]))
    assert refusal.code is StatusCode.PERMISSION_DENIED
    info = refusal.detail(ErrorInfo)
    assert (info.reason, info.metadata["scope"]) == ("INSUFFICIENT_SCOPE", "index:write")
    writer = guarded.key("writer", scopes=("index:write",))
    assert guarded.ask("Reindex", EVERY["Reindex"], token=writer).rebuilt
    for method in ("Search", "SearchStream", "GetContext"):
        refusal = refused(lambda method=method: guarded.ask(method, EVERY[method], token=writer))
        assert refusal.detail(ErrorInfo).metadata["scope"] == "search:read"


def test_a_burst_is_told_when_to_come_again(guarded: Served) -> None:
    for method in ("Search", "SearchStream", "GetContext"):
        assert guarded.ask(method, EVERY[method])
    for method in ("Search", "SearchStream", "GetContext", "GetIndexHealth"):
        refusal = refused(lambda method=method: guarded.ask(method, EVERY[method]))
        assert refusal.code is StatusCode.RESOURCE_EXHAUSTED
        assert 0 < refusal.detail(RetryInfo).retry_delay.ToSeconds() <= 60
        assert refusal.detail(ErrorInfo).reason == "RATE_LIMITED"
        assert refusal.error.code == "unavailable"
    assert guarded.ask("Search", search(), token=guarded.key("another")).results


def test_a_jwt_for_another_server_is_refused(tmp_path: Any) -> None:
    jwt = pytest.importorskip("jwt")
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef0123456789abcdef", encoding="utf-8")
    auth = {"jwt": {"issuer": "https://id.example", "audience": "pincite", "key_file": str(secret),
                    "algorithms": ["HS256"]}}  # fmt: skip
    with pincite.open(tmp_path / "library", serve={"auth": auth}) as library:
        library.ingest(SAMPLES / "company")

        def token(**claims: Any) -> str:
            rights = {"tenant": "default", "organization": "default", "scope": "search:read", "sub": "ada"}
            return str(
                jwt.encode(
                    {"iss": "https://id.example", "aud": "pincite", "exp": 4_000_000_000, **rights, **claims},
                    secret.read_text(encoding="utf-8"),
                    algorithm="HS256",
                )
            )

        with serving(Desk(library)) as served:
            assert served.ask("Search", search(), token=token()).results
            for wrong, reason in (({"aud": "elsewhere"}, "invalid audience"), ({"exp": 1}, "invalid token")):
                refusal = refused(lambda wrong=wrong: served.ask("Search", search(), token=token(**wrong)))
                assert refusal.code is StatusCode.UNAUTHENTICATED
                assert refusal.detail(ErrorInfo).metadata["reason"] == reason
