"""What Prometheus is told: of requests, stages and legs, of indexes and vectors, of money; by one worker or several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import SAMPLES
from pincite import telemetry
from pincite.bookkeeping import Usage
from pincite.serve.desk import Desk
from pincite.serve.metrics import Metrics
from serve.http.real_server import RealServer


def values(text: str) -> dict[str, float]:
    """Every sample by its name and labels."""
    rows = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in rows}


class Counted:
    """A desk with metrics, as a server has them."""

    def __init__(self, library: pincite.Library) -> None:
        self.library = library
        self.metrics = Metrics(library)
        self.desk = Desk(library, observers=[self.metrics])

    def ask(self, query: str = "leave", **arguments: object) -> None:
        self.desk.run("semanticSearch", {"query": query, **arguments}, self.desk.local(), door="http")

    def told(self) -> dict[str, float]:
        return values(self.metrics.exposition()[0].decode())


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Counted]:
    config = {"library": str(tmp_path / "library"), "dense": "auto", "embedding": {"model": "hashing:512"}}
    with pincite.open(config) as library:
        found = Counted(library)
        with telemetry.observed_by(found.metrics.observe):
            yield found


def test_stages_legs_and_requests_are_counted(counted: Counted) -> None:
    counted.library.ingest(SAMPLES, embedding=False)
    counted.library.embed()
    counted.ask()
    with pytest.raises(pincite.PinciteError):
        counted.ask(mode="nope")
    told = counted.told()
    assert told['pincite_requests_total{operation="semanticSearch",outcome="ok",surface="http"}'] == 1
    assert told['pincite_search_requests_total{outcome="ok",surface="http"}'] == 1
    for stage in ("total", "understand", "resolve", "legs", "fuse", "rerank", "cite"):
        assert told[f'pincite_search_duration_seconds_count{{stage="{stage}"}}'] == 1
    assert told['pincite_search_leg_duration_seconds_count{leg="dense"}'] == 1
    assert told['pincite_search_leg_outcomes_total{leg="dense",outcome="ok"}'] == 1
    assert told['pincite_search_leg_outcomes_total{leg="keyword",outcome="ok"}'] == 1
    parts = [told[f'pincite_search_duration_seconds_sum{{stage="{stage}"}}'] for stage in ("total", "legs", "cite")]
    assert parts[0] >= parts[1] + parts[2]


def test_an_ingest_and_its_embedding_are_counted(counted: Counted) -> None:
    counted.library.ingest(SAMPLES, embedding=False)
    report = counted.library.embed()
    told = counted.told()
    assert told['pincite_ingest_duration_seconds_count{stage="total"}'] == 1
    assert told['pincite_ingest_duration_seconds_count{stage="commit"}'] == 1
    assert told["pincite_embedding_texts_total"] == report.embedded
    assert told["pincite_embedding_failures_total"] == 0


def test_coverage_is_none_before_anything_is_embedded_and_whole_after(counted: Counted) -> None:
    counted.library.ingest(SAMPLES, embedding=False)
    before = counted.told()
    chunks = before['pincite_index_chunks{repository="default/default/main"}']
    assert chunks > 0
    assert before['pincite_embedding_coverage_ratio{tenant="default"}'] == 0
    assert before['pincite_embedding_pending{tenant="default"}'] == chunks
    counted.library.embed()
    after = counted.told()
    assert after['pincite_embedding_coverage_ratio{tenant="default"}'] == 1
    assert after['pincite_embedding_pending{tenant="default"}'] == 0
    assert after['pincite_embedding_parked{tenant="default"}'] == 0
    assert after['pincite_embedding_oldest_pending_seconds{tenant="default"}'] == 0


def test_an_index_that_lags_is_seen_in_revisions_and_seconds(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    counted.library.ingest(SAMPLES, embedding=False)
    monkeypatch.setattr(counted.library.index, "advance", lambda *_, **__: 0)
    counted.library.deliver(SAMPLES, embedding=False, repository="late")
    told = counted.told()
    assert told['pincite_index_lag_revisions{repository="default/default/main"}'] == 0
    assert told['pincite_index_lag_seconds{repository="default/default/main"}'] == 0
    assert told['pincite_index_lag_revisions{repository="default/default/late"}'] == 1
    assert 0 < told['pincite_index_lag_seconds{repository="default/default/late"}'] < 600


def test_what_models_were_paid_is_read_from_the_ledger(counted: Counted) -> None:
    counted.library.ingest(SAMPLES, embedding=False)
    usage = Usage("anthropic", "m", "context", 1, input_tokens=100, cached_tokens=30, output_tokens=7, cost_micros=250)
    counted.library.catalog.usage.add("default", "2026-11-16", usage)
    told = counted.told()
    tokens = 'pincite_llm_tokens_total{kind="%s",model="m",provider="anthropic"}'
    assert [told[tokens % kind] for kind in ("input", "cached", "output")] == [70, 30, 7]
    assert told['pincite_llm_cost_usd_total{model="m",provider="anthropic"}'] == pytest.approx(0.00025)


def test_a_caller_with_a_key_is_told_of_its_own_repositories_only(counted: Counted) -> None:
    counted.library.ingest(SAMPLES, embedding=False)
    counted.library.ingest(SAMPLES, embedding=False, repository="other")
    mine = counted.library.for_caller(
        tenant="default", organization="default", repositories=frozenset({"other"}), roles=None
    )
    text = counted.metrics.exposition(mine)[0].decode()
    assert "default/default/other" in text
    assert "default/default/main" not in text


def test_every_metric_is_in_the_docs() -> None:
    root = Path(__file__).parent.parent.parent
    page = (root / "docs" / "observability.md").read_text(encoding="utf-8")
    source = (root / "src" / "pincite" / "serve" / "metrics.py").read_text(encoding="utf-8")
    names = set(re.findall(r'"(pincite_[a-z_]+)"', source))
    assert len(names) > 10
    assert {name for name in names if name not in page} == set()


@pytest.mark.slow
def test_any_of_several_workers_gives_the_sum_of_all(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library") as library:
        library.ingest(SAMPLES)
    with RealServer(tmp_path / "library", ("--workers", "2")) as server:
        import httpx2

        for _ in range(12):  # each a connection of its own, so that both workers get some
            with httpx2.Client(base_url=server.client.base_url, timeout=60) as client:
                assert client.get("/v1/search?q=leave").status_code == 200
        scrapes = []
        for _ in range(4):
            with httpx2.Client(base_url=server.client.base_url, timeout=60) as client:
                scrapes.append(values(client.get("/metrics").text))
    name = 'pincite_search_requests_total{outcome="ok",surface="http"}'
    assert [scrape[name] for scrape in scrapes] == [12] * 4
    assert {scrape['pincite_index_lag_revisions{repository="default/default/main"}'] for scrape in scrapes} == {0}
