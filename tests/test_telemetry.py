"""Spans and measurements: what is told, what is not, and what it costs where nobody listens."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

import grpc_client
import pincite
from desk import Desk
from model_service import openai, serving
from pincite import telemetry
from pincite.errors import InvalidArgument, Unavailable
from pincite.ingest.embed import EmbedOptions
from pincite.ingest.embed import embed as embed_all
from pincite.models.hashing import HashingEmbedder
from pincite.serve.desk import Desk as FrontDesk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb

STAGES = {"understand", "resolve", "legs", "fuse", "rerank", "cite"}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What a configured SDK would export; the provider of the process is left alone."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(telemetry, "_tracer", provider.get_tracer("pincite"))
    yield exporter
    provider.shutdown()


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def parent_of(span: ReadableSpan, exporter: InMemorySpanExporter) -> str:
    ids = {each.context.span_id: each.name for each in exporter.get_finished_spans() if each.context}
    return ids[span.parent.span_id] if span.parent else ""


def dense_library(path: Path) -> pincite.Library:
    return pincite.open({"library": str(path), "dense": "auto", "embedding": {"model": "hashing:512"}})


def test_a_search_is_one_trace_with_its_stages_and_legs_below_it(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nParental leave lasts twenty weeks.\n", encoding="utf-8")
    with dense_library(tmp_path / "library") as library:
        library.ingest(tmp_path / "leave.md")
        library.embed()
        spans.clear()
        library.search("parental leave")
    found = by_name(spans)
    root = found["retrieval main"]
    assert {"leg keyword", "leg exact", "leg dense", *STAGES} <= found.keys()
    for name in ("leg keyword", "leg dense", *STAGES):
        assert parent_of(found[name], spans) == "retrieval main"
    assert parent_of(found["embeddings hashing:512"], spans) == "leg dense"
    assert len({span.context.trace_id for span in found.values() if span.context}) == 1
    assert root.attributes is not None
    assert root.attributes["gen_ai.operation.name"] == "retrieval"
    assert root.attributes["gen_ai.data_source.id"] == "main"
    assert root.attributes["pincite.search.hits"] == 1
    assert (found["leg dense"].attributes or {})["pincite.leg.status"] == "ok"
    assert (found["embeddings hashing:512"].attributes or {})["gen_ai.embeddings.dimension.count"] == 512


def test_stages_lie_inside_the_search_and_follow_each_other(desk: Desk, spans: InMemorySpanExporter) -> None:
    desk.put(leave="# Leave\n\nParental leave lasts twenty weeks.\n")
    spans.clear()
    desk.search("leave")
    found = by_name(spans)
    root = found["retrieval main"]
    ends = [found[name].end_time or 0 for name in ("understand", "resolve", "legs", "fuse", "rerank", "cite")]
    slack = 5_000_000  # two clocks: one of the day, one that never goes back
    assert ends == sorted(ends)
    assert (root.start_time or 0) - slack <= (found["understand"].start_time or 0)
    assert ends[-1] <= (root.end_time or 0) + slack


def test_no_span_holds_what_is_asked(desk: Desk, spans: InMemorySpanExporter) -> None:
    desk.put(leave="# Leave\n\nParental leave lasts twenty weeks.\n")
    desk.search("parental leave zebrafish")
    with pytest.raises(InvalidArgument):
        desk.search("zebrafish", filters={"date_from": "zebrafish"})
    told = "".join(span.to_json() for span in spans.get_finished_spans())
    assert "retrieval" in told
    assert "zebrafish" not in told


def test_query_text_is_in_the_span_where_the_settings_say_so(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nParental leave.\n", encoding="utf-8")
    with pincite.open({"library": str(tmp_path / "library"), "telemetry": {"query_text": True}}) as library:
        library.ingest(tmp_path / "leave.md")
        hit = library.search("parental leave").hits[0]
    attributes = by_name(spans)["retrieval main"].attributes or {}
    assert attributes["gen_ai.retrieval.query.text"] == "parental leave"
    documents = json.loads(str(attributes["gen_ai.retrieval.documents"]))
    assert documents == [{"id": hit.passage.citation, "score": hit.score}]


def test_a_mistake_of_the_caller_is_named_and_is_no_failure(spans: InMemorySpanExporter) -> None:
    with pytest.raises(InvalidArgument), telemetry.span("asked"):
        raise InvalidArgument("secret")
    with pytest.raises(Unavailable), telemetry.span("broken"):
        raise Unavailable("secret")
    with pytest.raises(ZeroDivisionError), telemetry.span("crashed"):
        _ = 1 / 0
    found = by_name(spans)
    assert (found["asked"].attributes or {})["error.type"] == "invalid_argument"
    assert found["asked"].status.status_code is StatusCode.UNSET
    assert found["broken"].status.status_code is StatusCode.ERROR
    assert (found["crashed"].attributes or {})["error.type"] == "ZeroDivisionError"
    assert "secret" not in "".join(span.to_json() for span in spans.get_finished_spans())


def test_an_ingest_tells_its_stages(desk: Desk, spans: InMemorySpanExporter) -> None:
    seen: list[telemetry.Measured] = []
    with telemetry.observed_by(seen.append):
        desk.put(leave="# Leave\n\nParental leave lasts twenty weeks.\n", pay="# Pay\n\nPaid monthly.\n")
    found = by_name(spans)
    assert {"ingest main", "read", "commit", "index"} <= found.keys()
    assert parent_of(found["commit"], spans) == "ingest main"
    attributes = found["ingest main"].attributes or {}
    assert attributes["pincite.ingest.chunks"] == 2
    assert attributes["pincite.ingest.revision"] == 1
    assert (found["read"].attributes or {})["pincite.ingest.files"] == 2
    told = {measured.name for measured in seen if measured.what == telemetry.INGEST}
    assert told == {"read", "cut", "commit", "index", "total"}


def test_context_models_are_traced_with_tokens_and_cost(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nParental leave lasts twenty weeks.\n", encoding="utf-8")
    with serving(lambda _asked: openai(cached=30)) as service:
        model = {"provider": "openai", "model": "a-model", "base_url": service.url, "prices": {"input": 1, "output": 2}}
        with pincite.open({"library": str(tmp_path / "library"), "context_model": model}) as library:
            report = library.ingest(tmp_path / "leave.md")
    assert report.contexts is not None and report.contexts.cost_usd
    chats = [span for span in spans.get_finished_spans() if span.name == "chat a-model"]
    assert len(chats) == report.contexts.written
    assert parent_of(chats[0], spans) == "describe"
    told = [dict(span.attributes or {}) for span in chats]
    assert told[0]["gen_ai.provider.name"] == "openai"
    assert (told[0]["gen_ai.usage.input_tokens"], told[0]["gen_ai.usage.cache_read.input_tokens"]) == (100, 30)
    assert sum(each["gen_ai.usage.output_tokens"] for each in told) == report.contexts.tokens.output
    assert sum(each["pincite.usage.cost_usd"] for each in told) == pytest.approx(report.contexts.cost_usd)


def test_a_text_that_cannot_be_embedded_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nParental leave.\n\n# Pay\n\npoison\n", encoding="utf-8")
    embed = HashingEmbedder.embed

    def poisoned(self: HashingEmbedder, texts: list[str]) -> object:
        if any("poison" in text for text in texts):
            raise RuntimeError("cannot")
        return embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed", poisoned)
    seen: list[telemetry.Measured] = []
    with dense_library(tmp_path / "library") as library:
        library.ingest(tmp_path / "leave.md", embedding=False)
        scopes = [info.scope for info in library.repositories()]
        with telemetry.observed_by(seen.append):
            embed_all(library.catalog, library.index, scopes, library.embedder, EmbedOptions(max_attempts=1))
    outcomes = {(each.outcome, each.amount) for each in seen if each.what == telemetry.EMBEDDED and each.amount}
    assert outcomes == {("ok", 1), ("failed", 1)}


def test_observers_are_told_of_every_leg_with_its_status(desk: Desk) -> None:
    desk.put(leave="# Leave\n\nParental leave.\n")
    seen: list[telemetry.Measured] = []
    with telemetry.observed_by(seen.append):
        desk.search("leave")
    desk.search("leave")
    legs = {each.name: each.outcome for each in seen if each.what == telemetry.LEG}
    assert legs["keyword"] == "ok"
    assert legs["dense"] == "off"
    assert sum(each.what == telemetry.SEARCH and each.name == "total" for each in seen) == 1


def test_nothing_imports_opentelemetry_on_its_own(tmp_path: Path) -> None:
    code = f"import pincite, sys; pincite.open({str(tmp_path)!r}).close(); print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_search_without_listeners_records_and_measures_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """With OpenTelemetry's API imported (by this file) and no SDK configured."""
    desk.put(leave="# Leave\n\nParental leave.\n")
    monkeypatch.setattr(telemetry, "_tracer", None)
    monkeypatch.setattr(telemetry, "Measured", lambda *_: pytest.fail("measured for nobody"))
    opened = []
    real = telemetry.Laps
    monkeypatch.setattr(telemetry, "Laps", lambda what, span: opened.append(span) or real(what, span))
    assert desk.search("leave").hits
    assert opened == [telemetry.UNRECORDED]


def test_a_trace_id_is_the_callers_or_one_of_its_own() -> None:
    assert telemetry.trace_ids() == ("", "")
    with telemetry.request({"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}):
        assert telemetry.trace_ids()[0] == "4bf92f3577b34da6a3ce929d0e0e4736"
        with telemetry.request():
            assert telemetry.trace_ids()[0] == "4bf92f3577b34da6a3ce929d0e0e4736"
    with telemetry.request({"traceparent": "nonsense"}):
        first = telemetry.trace_ids()[0]
    with telemetry.request():
        assert len(first) == 32 and telemetry.trace_ids()[0] != first
    assert telemetry.trace_ids() == ("", "")


def test_what_another_thread_does_belongs_to_the_span_that_is_open(spans: InMemorySpanExporter) -> None:
    def work() -> None:
        with telemetry.span("inner"):
            pass

    with ThreadPoolExecutor(1) as pool, telemetry.span("outer"):
        pool.submit(telemetry.carried(work)).result()
    assert parent_of(by_name(spans)["inner"], spans) == "outer"


def test_a_search_that_is_traced_answers_the_same(
    desk: Desk, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(leave="# Leave\n\nParental leave.\n")
    traced = desk.search("leave")
    assert "retrieval main" in by_name(spans)
    monkeypatch.setattr(telemetry, "_tracer", None)
    assert desk.search("leave").hits == traced.hits


def test_a_grpc_call_goes_on_with_its_callers_trace(desk: Desk, spans: InMemorySpanExporter) -> None:
    desk.put(leave="# Leave\n\nParental leave.\n")
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    with grpc_client.serving(FrontDesk(desk.library)) as served:
        spans.clear()
        served.stub.Search(pb.SearchRequest(query="zebrafish"), metadata=[("traceparent", parent)], timeout=60)
    found = by_name(spans)
    call = found["pincite.semantic.v1.SemanticQueryService/Search"]
    assert call.context is not None and call.parent is not None
    assert f"{call.context.trace_id:032x}" == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert f"{call.parent.span_id:016x}" == "00f067aa0ba902b7"
    assert parent_of(found["semanticSearch"], spans) == call.name
    assert parent_of(found["retrieval main"], spans) == "semanticSearch"
