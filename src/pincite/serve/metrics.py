"""Metrics for Prometheus: requests and their times, progress of indexes and vectors, cost of models.

The desk reports every request, the engine every stage (`telemetry.observed_by`). The state of the library is read from
it at each scrape, because other processes change it too: how much is indexed, what is pending, what was spent.

With several workers, each counts into files of one folder (`PROMETHEUS_MULTIPROC_DIR`, set by `pincite serve`), and any
of them reports the sum. The counts of a dead worker stay in it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pincite import telemetry
from pincite.extras import require
from pincite.library import Library
from pincite.serve.audit import Served
from pincite.telemetry import Measured

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

SEARCHES = frozenset({"semanticSearch", "search", "getContext"})
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
MINUTES = (0.01, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0)
SHARED = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The counters of one process."""

    def __init__(self, library: Library) -> None:
        require("http", "metrics", "prometheus_client")
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._library = library
        self._own = CollectorRegistry()
        registry = self._own
        self._requests = Counter(
            "pincite_requests", "Requests.", ("surface", "operation", "outcome"), registry=registry
        )
        self._searches = Counter("pincite_search_requests", "Searches.", ("surface", "outcome"), registry=registry)
        self._seconds = Histogram(
            "pincite_search_duration_seconds",
            "How long the engine took for a search (total), and each of its stages.",
            ("stage",),
            buckets=SECONDS,
            registry=registry,
        )
        self._leg_seconds = Histogram(
            "pincite_search_leg_duration_seconds",
            "How long each leg of a search took.",
            ("leg",),
            buckets=SECONDS,
            registry=registry,
        )
        self._legs = Counter(
            "pincite_search_leg_outcomes", "Outcome of each leg of a search.", ("leg", "outcome"), registry=registry
        )
        self._ingests = Histogram(
            "pincite_ingest_duration_seconds",
            "How long an ingest took in this server (total), and each of its stages.",
            ("stage",),
            buckets=MINUTES,
            registry=registry,
        )
        self._embedded = Counter("pincite_embedding_texts", "Texts embedded by this server.", registry=registry)
        self._failures = Counter(
            "pincite_embedding_failures", "Failed attempts of this server to embed a text.", registry=registry
        )

    def __call__(self, served: Served) -> None:
        """Count one request."""
        self._requests.labels(served.door, served.operation, served.outcome).inc()
        if served.operation in SEARCHES:
            self._searches.labels(served.door, served.outcome).inc()

    def observe(self, measured: Measured) -> None:
        """Count what the engine did."""
        match measured.what:
            case telemetry.SEARCH:
                self._seconds.labels(measured.name).observe(measured.seconds)
            case telemetry.LEG:
                self._legs.labels(measured.name, measured.outcome).inc()
                if measured.outcome != "off":
                    self._leg_seconds.labels(measured.name).observe(measured.seconds)
            case telemetry.INGEST:
                self._ingests.labels(measured.name).observe(measured.seconds)
            case telemetry.EMBEDDED if measured.outcome == "ok":
                self._embedded.inc(measured.amount)
            case telemetry.EMBEDDED:
                self._failures.inc(measured.amount)

    def exposition(self, library: Library | None = None) -> tuple[bytes, str]:
        """The text for a scrape, and its media type. `library`: the caller's view; by default all of it."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._registry(library or self._library)), CONTENT_TYPE_LATEST

    def _registry(self, library: Library) -> CollectorRegistry:
        """The counters of all workers, and the state of the library as it is now."""
        from prometheus_client import CollectorRegistry, multiprocess

        registry = CollectorRegistry()
        if SHARED in os.environ:
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(_Passed(self._own))
        registry.register(_State(library))
        return registry


class _Passed:
    """The metrics of another registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterable[Any]:
        return self._registry.collect()


class _State:
    """What is read from the library at each scrape."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._infos = library.every_repository()

    def describe(self) -> Iterable[Metric]:
        """Empty: registering must not read the library."""
        return ()

    def collect(self) -> Iterator[Metric]:
        yield from self._indexes()
        yield from self._vectors()
        yield from self._spent()

    def _indexes(self) -> Iterator[Metric]:
        from prometheus_client.core import GaugeMetricFamily

        labels = ("repository",)
        chunks = GaugeMetricFamily("pincite_index_chunks", "Passages that can be found.", labels=labels)
        behind = GaugeMetricFamily("pincite_index_lag_revisions", "Commits not yet in the index.", labels=labels)
        lag = GaugeMetricFamily(
            "pincite_index_lag_seconds", "Age of the oldest commit not yet in the index.", labels=labels
        )
        for info in self._infos:
            name = f"{info.scope.tenant}/{info.scope.organization}/{info.scope.repository}"
            status = self._library.index.status(info.scope)
            chunks.add_metric((name,), status.chunks)
            behind.add_metric((name,), max(0, info.head - status.revision))
            waiting = self._library.catalog.commits.revisions(info.scope, limit=1, before=status.revision + 2)
            is_behind = bool(waiting) and waiting[0].number > status.revision
            lag.add_metric((name,), max(0.0, time.time() - waiting[0].time / 1e6) if is_behind else 0.0)
        yield from (chunks, behind, lag)

    def _vectors(self) -> Iterator[Metric]:
        """By tenant: a text is embedded once for all repositories of a tenant."""
        from prometheus_client.core import GaugeMetricFamily

        model = None if self._library.config.dense == "off" else self._library.model.current()
        if model is None:
            return
        labels = ("tenant",)
        coverage = GaugeMetricFamily(
            "pincite_embedding_coverage_ratio", "Share of texts that have vectors.", labels=labels
        )
        pending = GaugeMetricFamily("pincite_embedding_pending", "Texts waiting to be embedded.", labels=labels)
        parked = GaugeMetricFamily(
            "pincite_embedding_parked", "Texts that failed and are no longer tried.", labels=labels
        )
        oldest = GaugeMetricFamily(
            "pincite_embedding_oldest_pending_seconds", "How long the oldest pending text has waited.", labels=labels
        )
        catalog = self._library.catalog
        for tenant in self._tenants:
            counts = catalog.queue.counts(model.fingerprint, tenant=tenant)
            waits = counts["waiting"] + counts["claimed"] + self._unqueued(tenant, model.fingerprint)
            have = catalog.vectors.counts(tenant).get(model.fingerprint, 0)
            texts = have + waits + counts["parked"]
            coverage.add_metric((tenant,), have / texts if texts else 1.0)
            pending.add_metric((tenant,), waits)
            parked.add_metric((tenant,), counts["parked"])
            oldest.add_metric((tenant,), counts["oldest_seconds"])
        yield from (coverage, pending, parked, oldest)

    def _unqueued(self, tenant: str, fingerprint: str) -> int:
        """Passages of repositories where embedding has not started: their texts are not in a queue yet."""
        catalog, index = self._library.catalog, self._library.index
        scopes = [info.scope for info in self._infos if info.scope.tenant == tenant]
        return sum(index.status(scope).chunks for scope in scopes if not catalog.queue.enqueued(scope, fingerprint))

    def _spent(self) -> Iterator[Metric]:
        """From the ledger in the catalog: what all processes have ever spent."""
        from prometheus_client.core import CounterMetricFamily

        tokens = CounterMetricFamily(
            "pincite_llm_tokens", "Tokens billed by language models.", labels=("provider", "model", "kind")
        )
        cost = CounterMetricFamily(
            "pincite_llm_cost_usd", "Cost in dollars, at known prices.", labels=("provider", "model")
        )
        sums: dict[tuple[str, str], list[int]] = {}
        for tenant in self._tenants:
            for usage in self._library.catalog.usage.total(tenant):
                amounts = sums.setdefault((usage.provider, usage.model), [0, 0, 0, 0])
                fresh = usage.input_tokens - usage.cached_tokens
                for at, amount in enumerate((fresh, usage.cached_tokens, usage.output_tokens, usage.cost_micros)):
                    amounts[at] += amount
        for labels, (fresh, cached, output, micros) in sums.items():
            for kind, amount in (("input", fresh), ("cached", cached), ("output", output)):
                tokens.add_metric((*labels, kind), amount)
            cost.add_metric(labels, micros / 1e6)
        yield from (tokens, cost)

    @property
    def _tenants(self) -> list[str]:
        return sorted({info.scope.tenant for info in self._infos})
