"""The report of a run as data: a contract that gates, pages and later runs read.

    {dataset, kind, queries, metrics: {leg: {metric: value}}, by: {tag: {leg: …}}, latency_ms: {p50, p95, stages},
     index: {…}, intervals, by_queries, by_intervals, per_query, cases, notes}

The same run twice gives the same bytes, apart from `latency_ms`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from pincite.eval.bootstrap import intervals
from pincite.eval.metrics import METRICS, mean
from pincite.eval.results import HEADLINE, LEGS, STAGES, QuestionResult, Run
from pincite.ids import text_hash

DIGITS = 6
"""Digits of a metric; intervals come from 5,000 resamples and have four."""


def report(run: Run) -> dict[str, Any]:
    """The run as data."""
    by_tag = {tag: [o for o in run.outcomes if tag in o.tags] for tag in run.tags}
    body: dict[str, Any] = {
        "dataset": run.dataset,
        "kind": run.kind,
        "queries": len(run.outcomes),
        "metrics": _metrics(run, run.outcomes),
        "by": {tag: _metrics(run, outcomes) for tag, outcomes in by_tag.items()},
        "latency_ms": _latency(run.outcomes),
        "index": dict(run.index),
        "intervals": _intervals(run, run.outcomes, METRICS),
        "by_queries": {tag: len(outcomes) for tag, outcomes in by_tag.items()},
        "by_intervals": {tag: _intervals(run, outcomes, (HEADLINE,)) for tag, outcomes in by_tag.items()},
        "per_query": {outcome.case.id: _query(run, outcome) for outcome in run.outcomes},
        "cases": run.cases,
        "notes": list(run.notes),
    }
    for name in ("qrels", "description"):
        if text := getattr(run, name):
            body[name] = text
    return body


def _metrics(run: Run, outcomes: Sequence[QuestionResult]) -> dict[str, dict[str, float]]:
    return {leg: _rounded(mean([outcome.values[leg] for outcome in outcomes])) for leg in run.legs}


def _query(run: Run, outcome: QuestionResult) -> dict[str, Any]:
    values = {leg: _rounded(dict(outcome.values[leg])) for leg in run.legs}
    judged = sorted((judged.name, judged.grade) for judged in outcome.case.relevant)
    return {
        "query": outcome.case.query,
        "tags": list(outcome.tags),
        "judged": text_hash(json.dumps([judged, outcome.case.filters], sort_keys=True, ensure_ascii=False))[:8],
        **values,
    }


def _intervals(
    run: Run, outcomes: Sequence[QuestionResult], metrics: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """Bounds of 95 % for each leg and metric."""
    columns = [(leg, metric) for leg in run.legs for metric in metrics]
    values = np.array([[outcome.values[leg][metric] for leg, metric in columns] for outcome in outcomes])
    out: dict[str, dict[str, list[float]]] = {leg: {} for leg in run.legs}
    for (leg, metric), (low, high) in zip(columns, intervals(values), strict=True):
        out[leg][metric] = [round(low, 4), round(high, 4)]
    return out


def _latency(outcomes: Sequence[QuestionResult]) -> dict[str, Any]:
    """Medians and 95th percentiles, in total and by stage."""
    found = {stage for outcome in outcomes for stage in outcome.stages}
    stages = [stage for stage in (*STAGES[:3], *LEGS, *STAGES[3:]) if stage in found]
    return {
        **_percentiles([outcome.milliseconds for outcome in outcomes]),
        "stages": {stage: _percentiles([o.stages[stage] for o in outcomes if stage in o.stages]) for stage in stages},
    }


def _percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.quantile(milliseconds, (0.5, 0.95))
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in values.items()}
